#include "collsched/execute/transport.hpp"

#include <doctest/doctest.h>

using namespace collsched;

namespace {

struct calling_back {
    int post_send(const message_key&, std::span<const send_part>) { return 0; }
    int post_recv(const message_key&, std::span<const receive_part>) { return 0; }
    void cancel(const void*) {}
};
struct archetype : calling_back {
    completion poll() { return {}; }
    completion wait_any(std::chrono::nanoseconds) { return {}; }
};
/// Would let a receive be posted into memory that may not be written.
struct read_only : archetype {
    int post_recv(const message_key&, std::span<const send_part>) { return 0; }
};
struct sleepless : archetype {
    completion wait_any(std::chrono::nanoseconds) = delete;
};
struct vague : archetype {
    bool poll() { return false; }
};
struct all_or_nothing : archetype {
    void cancel() {}
};

}  // namespace

TEST_CASE("transport: three functions suffice with callbacks, five with polling") {
    static_assert(transport<calling_back> && !polled_transport<calling_back>);
    static_assert(polled_transport<archetype>);
    static_assert(transport<sleepless> && !polled_transport<sleepless>);
    static_assert(transport<vague> && !polled_transport<vague>);
    static_assert(!transport<read_only>);
    static_assert(!transport<all_or_nothing>);
    static_assert(!transport<int>);
    CHECK(completion{}.request.owner == nullptr);
    CHECK(completion{}.error == 0);
}

TEST_CASE("total_bytes: sum of the sizes of all parts") {
    std::byte bytes[5] = {};
    const receive_part some[] = {{bytes, 2}, {bytes + 3, 1}};
    CHECK(total_bytes(std::span<const receive_part>(some)) == 3);
    CHECK(total_bytes(std::span<const send_part>()) == 0);
}
