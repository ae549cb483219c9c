#include "collsched/execute/memory_fabric.hpp"

#include <doctest/doctest.h>

#include <array>

#include "collsched/execute/inline.hpp"
#include "collsched/execute/threads.hpp"

using namespace collsched;

namespace {

template <class Fabric>
void exchange_in_any_order() {
    Fabric fabric(2);
    auto zero = fabric.at(0), one = fabric.at(1);
    std::array<std::byte, 4> out{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}}, in{};
    // Receives first, sends in the other order: sequence numbers match them, not time.
    CHECK(one.post_recv({0, 5, 0, 10}, in.data(), 2) == 0);
    CHECK(one.post_recv({0, 5, 1, 11}, in.data() + 2, 2) == 0);
    CHECK(one.poll().token == -1);
    CHECK(zero.post_send({1, 5, 1, 21}, out.data() + 2, 2) == 0);
    CHECK(one.poll().token == 11);
    CHECK(zero.poll().token == 21);
    CHECK(zero.post_send({1, 5, 0, 20}, out.data(), 2) == 0);
    CHECK(one.wait_any().token == 10);
    CHECK(zero.wait_any().token == 20);
    CHECK(in == out);
}

}  // namespace

TEST_CASE("messages are matched by source, generation and sequence") {
    static_assert(transport<inline_fabric::endpoint> && transport<thread_fabric::endpoint>);
    exchange_in_any_order<inline_fabric>();
    exchange_in_any_order<thread_fabric>();
}

TEST_CASE("another generation is another message") {
    inline_fabric fabric(2);
    auto zero = fabric.at(0), one = fabric.at(1);
    std::byte out{7}, in{};
    zero.post_send({1, 2, 0, 0}, &out, 1);
    one.post_recv({0, 1, 0, 0}, &in, 1);
    CHECK(one.poll().token == -1);
    one.post_recv({0, 2, 0, 3}, &in, 1);
    CHECK(one.poll().token == 3);
    CHECK(in == out);
}

TEST_CASE("sizes that differ are an error at both ends, and nothing is written") {
    inline_fabric fabric(2);
    auto zero = fabric.at(0), one = fabric.at(1);
    std::byte out[2] = {std::byte{7}, std::byte{8}}, in[2] = {};
    zero.post_send({1, 0, 0, 4}, out, 2);
    one.post_recv({0, 0, 0, 5}, in, 1);
    CHECK(one.poll().error == size_mismatch);
    CHECK(zero.poll().error == size_mismatch);
    CHECK(in[0] == std::byte{});
}

TEST_CASE("what is cancelled is not met any more") {
    inline_fabric fabric(2);
    auto zero = fabric.at(0), one = fabric.at(1);
    std::byte out{7}, in{};
    zero.post_send({1, 0, 0, 4}, &out, 1);
    zero.cancel();
    one.post_recv({0, 0, 0, 5}, &in, 1);
    CHECK(one.poll().token == -1);
    CHECK(one.wait_any().error == would_block);
    one.cancel();
    zero.post_send({1, 0, 0, 6}, &out, 1);
    CHECK(zero.poll().token == -1);
}

TEST_CASE("a closed fabric lets nobody wait for ever, and still tells what had come") {
    thread_fabric fabric(2);
    auto zero = fabric.at(0), one = fabric.at(1);
    std::byte out{7}, in{};
    zero.post_send({1, 0, 0, 4}, &out, 1);
    one.post_recv({0, 0, 0, 5}, &in, 1);
    fabric.close();
    CHECK(one.wait_any().token == 5);
    CHECK(one.wait_any().error == closed);
    CHECK(zero.poll().token == 4);
    CHECK(zero.poll().token == -1);
}
