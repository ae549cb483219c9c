#include "collsched/execute/shared_memory/detail/message_record.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstring>

using namespace collsched;
using namespace collsched::detail;

static_assert(message_record::small == 1 && message_record::announce == 2 && message_record::request == 3 &&
              message_record::part == 4 && message_record::reply == 5 && message_record::take_back == 6 &&
              message_record::matched == 7);
static_assert(ring_memory::record_size(sizeof(message_label) + 16) == 64,
              "16 bytes of a message are in one line with the notice");
static_assert(ring_memory::record_size(0) == 64, "a report of matches is one line");
static_assert(folded(0) == 0 && folded(4) != folded(5));

TEST_CASE("folded: 24 bits, none of which are set for 0 alone, and that depend on all of a fingerprint") {
    for (int bit = 0; bit < 64; ++bit) {
        const std::uint64_t one = std::uint64_t{1} << bit;
        CHECK((folded(one) != 0 && folded(one) < 1U << 24));
        CHECK(folded(one ^ 0x5555) != folded(0x5555));
    }
}

TEST_CASE("message_record: only the kind of a small message has a fingerprint") {
    for (std::uint32_t kind = 1; kind < 12; ++kind) {
        const bool is_small = kind == message_record::small || kind == message_record::awaited;
        ring_record record{0, message_record::kind_with(kind, 77), 1, 0};
        CHECK((message_record::kind_of(record) == kind) == is_small);
        record.kind = kind;
        CHECK(message_record::kind_of(record) == kind);
    }
}

TEST_CASE("small_message: it is described as by an envelope without memory") {
    std::array<std::byte, 24> body{};
    const message_label label{3, 4};
    std::memcpy(body.data(), &label, sizeof label);
    ring_entry record;
    static_cast<ring_record&>(record) = {24, message_record::kind_with(message_record::awaited, 77), 9, 5};
    record.body = body.data();
    const sent_message sent = small_message(record);
    CHECK((sent.id == 9 && sent.awaited && sent.bytes == body.data() + 16 && !sent.is_complete()));
    CHECK((sent.envelope.fingerprint == folded(77) && sent.envelope.size == 8 && sent.envelope.memory.id == 0));
    CHECK(sent.envelope.name(9) == message_name{9, 3, 5, 4});
}
