#include "collsched/execute/shared_memory/detail/inbox_link.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

using namespace collsched;
using namespace collsched::detail;

TEST_CASE("is_message_of: kind, id, size and every part of the name and the fingerprint decide") {
    const message_label label{3, 9};
    std::vector<std::byte> body(sizeof label + 8);
    std::memcpy(body.data(), &label, sizeof label);
    const message::key key{.peer = 1, .channel = 3, .epoch = 5, .sequence = 9, .fingerprint = 77};
    const auto record = [&](std::uint32_t kind, std::uint64_t id, std::uint64_t epoch) {
        ring_entry made;
        static_cast<ring_record&>(made) = {static_cast<std::uint32_t>(body.size()), message_record::kind_with(kind, 77),
                                           id, epoch};
        made.body = body.data();
        return made;
    };
    CHECK(is_message_of(record(message_record::small, 1, 5), key, 8));
    CHECK(!is_message_of(record(message_record::small, 1, 5), key, 7));
    CHECK(!is_message_of(record(message_record::awaited, 1, 5), key, 8));
    CHECK(!is_message_of(record(message_record::small, 0, 5), key, 8));
    CHECK(!is_message_of(record(message_record::small, 1, 6), key, 8));
    for (message::key other : {key, key, key}) {
        static int changed = 0;
        (changed == 0 ? other.channel : changed == 1 ? other.fingerprint : other.epoch) += 2;
        ++changed;
        CHECK(!is_message_of(record(message_record::small, 1, 5), other, 8));
    }
    message::key later = key;
    later.sequence = 10;
    CHECK(!is_message_of(record(message_record::small, 1, 5), later, 8));
}
