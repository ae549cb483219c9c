#include "collsched/execute/transport.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>

using namespace collsched;

namespace {

struct calling_back {
    int post_send(const message::key&, std::span<const message::send_part>) { return 0; }
    int post_recv(const message::key&, std::span<const message::receive_part>) { return 0; }
    void cancel(const void*) {}
};
struct archetype : calling_back {
    completion poll() { return {}; }
    completion wait_any(std::chrono::nanoseconds) { return {}; }
};
/// Would let a receive be posted into memory that may not be written.
struct read_only : archetype {
    int post_recv(const message::key&, std::span<const message::send_part>) { return 0; }
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
    const message::receive_part some[] = {{bytes, 2}, {bytes + 3, 1}};
    CHECK(total_bytes(std::span<const message::receive_part>(some)) == 3);
    CHECK(total_bytes(std::span<const message::send_part>()) == 0);
}

TEST_CASE("transport: defaults of parts, requests, keys and completions") {
    constexpr message::send_part sent;
    constexpr message::receive_part received;
    static_assert(sent.data == nullptr && sent.size == 0 && sent.area == message::area::input && sent.offset == 0);
    static_assert(received.data == nullptr && received.size == 0 && received.area == message::area::output);
    static_assert(received.offset == 0);
    static_assert(message::request{}.owner == nullptr && message::request{}.node == -1);
    CHECK((message::request{}.notify == nullptr));
    constexpr message::key key;
    static_assert(key.peer == 0 && key.channel == 0 && key.epoch == 0 && key.sequence == 0 && key.fingerprint == 0);
    static_assert(completion{}.peer == -1 && completion{}.empty() && already_complete == -1);
    static_assert(!completion{.error = 1}.empty());
    int owner = 0, other = 0;
    CHECK_FALSE(completion{.request = {&owner, 0}}.empty());
    CHECK(message::request{&owner, 1} == message::request{&owner, 1});
    CHECK_FALSE(message::request{&owner, 1} == message::request{&owner, 2});
    CHECK_FALSE(message::request{&owner, 1} == message::request{&other, 1});
    CHECK((message::combined_part().op == nullptr && message::combined_part().action == action::combine_after));
}

namespace {

/// Joins operands as texts of one byte each: the first operand times ten plus the second.
void join(void*, std::byte* into, const std::byte* from, bytes_t size, action how) {
    for (bytes_t i = 0; i < size; ++i) {
        const int a = std::to_integer<int>(into[i]), b = std::to_integer<int>(from[i]);
        into[i] = static_cast<std::byte>(how == action::combine_before ? 10 * b + a : 10 * a + b);
    }
}
void join_into(void*, std::byte* into, const std::byte* first, const std::byte* second, bytes_t size) {
    for (bytes_t i = 0; i < size; ++i)
        into[i] = static_cast<std::byte>(10 * std::to_integer<int>(first[i]) + std::to_integer<int>(second[i]));
}

}  // namespace

TEST_CASE("message::combined_part: the order of operands is that of the action, whichever way it combines") {
    for (const bool has_into : {false, true})
        for (const bool in_target : {false, true})
            for (const action how : {action::combine_before, action::combine_after}) {
                reduction op{.combine = join};
                if (has_into) op.combine_into = join_into;
                std::byte target[4] = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
                const std::byte apart[4] = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
                const std::byte message[4] = {std::byte{5}, std::byte{6}, std::byte{7}, std::byte{8}};
                const message::combined_part all{{target, 4, message::area::scratch, 20},
                                                 {in_target ? target : apart, 4, message::area::input, 40},
                                                 how,
                                                 &op};
                CHECK(all.combines_received() == (!has_into && !in_target));
                const message::combined_part part = all.range(1, 2);
                CHECK((part.into.data == target + 1 && part.into.size == 2 && part.into.offset == 21));
                CHECK((part.operand.data == all.operand.data + 1 && part.operand.size == 2));
                CHECK((part.operand.offset == 41 && part.operand.area == message::area::input));
                CHECK((part.into.area == message::area::scratch && part.action == how && part.op == &op));
                const bool before = how == action::combine_before;
                part.combine(message + 1);
                CHECK(std::to_integer<int>(target[1]) == (before ? 62 : 26));
                CHECK(std::to_integer<int>(target[2]) == (before ? 73 : 37));
                CHECK((target[0] == std::byte{1} && target[3] == std::byte{4}));
                if (!part.combines_received()) continue;
                std::copy(message, message + 4, target);
                part.combine_received();
                CHECK(std::to_integer<int>(target[1]) == (before ? 62 : 26));
                CHECK((target[0] == std::byte{5} && target[3] == std::byte{8}));
            }
}
