#include "collsched/execute/shared_memory/detail/offered_message.hpp"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "support/pieces.hpp"

using namespace collsched;
using namespace collsched::detail;
using support::cut;
using support::noise;

TEST_CASE("chunked_copy: each chunk is copied once, by either end") {
    splitmix64 random(2);
    for (const bytes_t size : {bytes_t{1}, chunked_copy::chunk, 12 * chunked_copy::chunk + 7}) {
        std::vector<std::byte> out = noise(size, 3);
        out.back() = std::byte{1};
        std::vector<std::byte> in(out.size());
        const auto sent = cut<message::send_part>(out.data(), size, size / 3 + 1, random);
        const auto received = cut<message::receive_part>(in.data(), size, size / 5 + 1, random);
        chunked_copy shared;
        shared.copy();
        CHECK(shared.close());
        CHECK(in[0] == std::byte{});
        shared.open(sent, received, size);
        CHECK(!shared.close());
        std::thread other([&] { shared.copy(); });
        shared.copy();
        while (!shared.close()) std::this_thread::yield();
        other.join();
        CHECK(in == out);
        // All chunks are there once a thread that copies none can close the copy.
        in.assign(in.size(), std::byte{});
        shared.open(sent, received, size);
        std::thread copies([&] { shared.copy(); });
        while (!shared.close()) {}
        const std::byte last = in.back();
        CHECK(last == out.back());
        CHECK(in == out);
        copies.join();
    }
}

TEST_CASE("chunked_copy: a thread that finds all chunks begun reads no memory of the message, which may be gone") {
    const std::vector<std::byte> out = noise(100, 3);
    std::vector<std::byte> in(out.size());
    message::send_part from{out.data(), 100};
    const message::receive_part into{in.data(), 100};
    chunked_copy shared;
    shared.open({&from, 1}, {&into, 1}, 100);
    shared.copy();
    from = {nullptr, 100};
    shared.copy();
    CHECK(shared.close());
    shared.copy();
    CHECK(in == out);
}
