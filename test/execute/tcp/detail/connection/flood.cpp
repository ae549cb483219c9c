// A rank of the group that sends without end, or receives nothing: the memory for it is bounded.

#include "collsched/execute/tcp/detail/connection.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <functional>

#include "test/execute/tcp/attack.hpp"

using namespace collsched::detail::tcp;
using namespace collsched;
using namespace support;
using namespace std::chrono_literals;

namespace {

constexpr rank_t evil = attack::evil, ranks = attack::ranks;

}  // namespace

TEST_CASE("hostile peer: floods of frames do not grow what is kept, and do not hold up a wait") {
    using flood = std::function<std::vector<frame>(const attack&, std::uint64_t)>;
    const auto pair = [](const attack& a, std::uint64_t n) {
        const frame f = a.request_for(9, n);
        return std::vector{f, with_kind(frame_kind::withdrawn, f)};
    };
    const std::vector<std::pair<flood, bool>> all{
        {[](const attack& a, std::uint64_t n) { return std::vector{a.request_for(static_cast<std::int64_t>(n), n)}; },
         false},
        {[](const attack& a, std::uint64_t) { return std::vector{a.request_for(9, 1)}; }, false},
        {[](const attack& a, std::uint64_t n) {
             return std::vector{with_kind(frame_kind::withdrawn, a.request_for(9, n))};
         },
         false},
        {[](const attack& a, std::uint64_t n) {
             return std::vector{with_kind(frame_kind::data, a.request_for(9, n + 1))};
         },
         false},
        {[](const attack& a, std::uint64_t n) {
             return std::vector{with_kind(frame_kind::refused, a.request_for(9, n + 1), 3)};
         },
         false},
        {[](const attack&, std::uint64_t) { return std::vector{hello_of(evil, ranks, 0)}; }, false},
        {pair, false},  // a peer that does not read the replies
        {pair, true},   // a peer that reads them may continue forever
    };
    for (const auto& one : all) {
        const bool reads = one.second;
        attack a;
        std::atomic<bool> stop = false;
        std::atomic<std::uint64_t> sent = 0;
        std::jthread sender([&] {
            std::vector<frame> batch;
            for (std::uint64_t n = 1; !stop; batch.clear()) {
                for (int i = 0; i < 1000; ++i, ++n)
                    for (const frame& f : one.first(a, n)) batch.push_back(f);
                if (!a.peer().send(batch.data(), batch.size() * sizeof(frame))) break;
                sent += batch.size();
            }
        });
        std::jthread reader;
        if (reads) reader = std::jthread([&] { a.peer().drain(); });
        tcp_transport::usage most{};
        int ended = 0;
        const std::uint64_t enough = tcp_transport::options::most_requests;
        while (ended < 2 && sent < (reads ? enough : ~std::uint64_t{0})) {
            const completion c = a.at[1]->wait_any(1ms);
            ended += c.request.owner != nullptr;
            if (c.request.owner != nullptr) CHECK(c.error == tcp_transport::errors::protocol_violation);
            most.requests = std::max(most.requests, a.at[1]->current_usage().requests);
            most.queued = std::max(most.queued, a.at[1]->current_usage().queued);
        }
        CHECK(ended == (reads ? 0 : 2));
        CHECK(most.requests <= tcp_transport::options::most_requests);
        CHECK(most.queued <= tcp_transport::options::most_requests + 2);
        CHECK(a.at[1]->current_usage().requests <= (reads ? tcp_transport::options::most_requests : 0));
        stop = true;
        a.at[1].reset();
    }
}

TEST_CASE(
    "hostile peer: a rank may post tcp_transport::options::most_requests receives from one that does not reply, and "
    "cancel them") {
    attack a;
    for (std::size_t n = 1; n < tcp_transport::options::most_requests; ++n)
        REQUIRE(a.at[1]->post_recv(key(evil, 9, static_cast<std::int64_t>(n), &owner_b), {}) == 0);
    CHECK(a.at[1]->post_recv(key(evil, 9, 1 << 20, &owner_b), {}) == tcp_transport::errors::too_many);
    const std::size_t queued = a.at[1]->current_usage().queued;
    for (int again = 0; again < 3; ++again) {
        a.at[1]->cancel(&owner_b);
        // Requests count until they have a reply; frames in the queue do not count.
        int posted = 0;
        while (a.at[1]->post_recv(key(evil, 9, ++posted, &owner_b), {}) == 0) {}
        CHECK(a.at[1]->current_usage().queued <= tcp_transport::options::most_requests + queued);
    }
    a.peer().hang_up();
}
