#include "collsched/execute/transport.hpp"

#include <doctest/doctest.h>

using namespace collsched;

namespace {

struct archetype {
    int post_send(const message_key&, const std::byte*, bytes_t) { return 0; }
    int post_recv(const message_key&, std::byte*, bytes_t) { return 0; }
    completion poll() { return {}; }
    completion wait_any() { return {}; }
    void cancel() {}
};
/// Would let a receive be posted into memory that may not be written.
struct read_only : archetype {
    int post_recv(const message_key&, const std::byte*, bytes_t) = delete;
};
struct sleepless : archetype {
    completion wait_any() = delete;
};
struct vague : archetype {
    bool poll() { return false; }
};

}  // namespace

TEST_CASE("the concept asks for five calls") {
    static_assert(transport<archetype>);
    static_assert(!transport<sleepless>);
    static_assert(!transport<vague>);
    static_assert(!transport<read_only>);
    static_assert(!transport<int>);
    CHECK(completion{}.token == -1);
    CHECK(completion{}.error == 0);
}
