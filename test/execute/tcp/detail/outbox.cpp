#include "collsched/execute/tcp/detail/outbox.hpp"

#include <doctest/doctest.h>

#include <array>
#include <vector>

#include <asio/io_context.hpp>
#include <asio/read.hpp>

using namespace collsched;
using namespace collsched::detail::tcp;

namespace {

/// Two connected sockets. Neither blocks a write.
struct socket_pair {
    socket_pair() {
        asio::ip::tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
        near.connect(acceptor.local_endpoint());
        acceptor.accept(far);
        near.non_blocking(true);
    }
    asio::io_context io;
    asio::ip::tcp::socket near{io}, far{io};
};

int owner, other_owner;

outgoing item_of(frame_kind kind, std::uint64_t id, void* whose, std::span<const message::send_part> parts = {}) {
    return {{.kind = kind, .id = id},
            {whose, static_cast<std::int64_t>(id)},
            detail::part_cursor(parts),
            total_bytes(parts)};
}

}  // namespace

TEST_CASE("outbox: writes frames and messages in order, and reports each message that is written") {
    socket_pair pair;
    std::array<std::byte, 6> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
    const message::send_part parts[] = {{bytes.data(), 2}, {bytes.data() + 2, 4}};
    outbox queue;
    queue.push(item_of(frame_kind::data, 1, &owner, parts));
    queue.push(item_of(frame_kind::request, 2, nullptr));
    CHECK(queue.size() == 2);
    CHECK(queue.replies() == 1);
    std::vector<std::int64_t> sent;
    CHECK(!queue.write(pair.near, [&](const message::request& request) { sent.push_back(request.node); }));
    CHECK(sent == std::vector<std::int64_t>{1, 2});
    CHECK(queue.size() == 0);
    CHECK(queue.replies() == 0);
    frame first, second;
    std::array<std::byte, 6> arrived{};
    asio::read(pair.far, asio::buffer(&first, sizeof first));
    asio::read(pair.far, asio::buffer(arrived));
    asio::read(pair.far, asio::buffer(&second, sizeof second));
    CHECK(first.id == 1);
    CHECK(second.id == 2);
    CHECK(arrived == bytes);
}

TEST_CASE("outbox: cancel copies the rest of a message that has begun, and removes others of the owner") {
    socket_pair pair;
    std::vector<std::byte> bytes(64 << 20, std::byte{7});  // more than the network buffers
    const message::send_part parts[] = {{bytes.data(), std::ssize(bytes)}};
    outbox queue;
    queue.push(item_of(frame_kind::data, 1, &owner, parts));
    queue.push(item_of(frame_kind::data, 2, &owner));
    queue.push(item_of(frame_kind::data, 3, &other_owner));
    std::vector<std::int64_t> sent;
    const auto note = [&](const message::request& request) {
        if (request.owner != nullptr) sent.push_back(request.node);
    };
    CHECK(queue.write(pair.near, note) == asio::error::would_block);
    const std::vector<outgoing> removed = queue.cancel(&owner);
    REQUIRE(removed.size() == 1);
    CHECK(removed[0].head.id == 2);
    CHECK(queue.replies() == 2);
    std::vector<std::byte> arrived(sizeof(frame) + bytes.size() + sizeof(frame));
    std::fill(bytes.begin(), bytes.end(), std::byte{9});
    std::size_t size = 0;
    while (size < arrived.size()) {
        size += pair.far.read_some(asio::buffer(arrived.data() + size, arrived.size() - size));
        queue.write(pair.near, note);
    }
    CHECK(queue.size() == 0);
    CHECK(sent == std::vector<std::int64_t>{3});
    CHECK(std::all_of(arrived.begin() + sizeof(frame), arrived.end() - sizeof(frame),
                      [](std::byte b) { return b == std::byte{7}; }));
}

TEST_CASE("outbox: removes requests that have not begun, and marks replies whose receive was cancelled") {
    outbox queue;
    queue.push(item_of(frame_kind::request, 1, nullptr));
    queue.push(item_of(frame_kind::request, 2, nullptr));
    queue.push(item_of(frame_kind::refused, 3, &owner));
    queue.remove_requests([](const frame& f) { return f.id == 1; });
    CHECK(queue.size() == 2);
    queue.mark_withdrawn(3);
    std::vector<std::int64_t> cleared;
    const auto removed = queue.cancel(&owner);
    REQUIRE(removed.size() == 1);
    CHECK(removed[0].withdrawn);
    queue.clear([&](const message::request& request) { cleared.push_back(request.node); });
    CHECK(cleared == std::vector<std::int64_t>{2});
}
