#include "collsched/execute/detail/control_links.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <span>
#include <vector>

#include "collsched/execute/mock.hpp"

using namespace collsched;

namespace {

/// Control messages of ranks of a mock network; those that the test needs.
struct linked_ranks {
    using links = detail::control_links<mock_network::endpoint>;

    explicit linked_ranks(rank_t ranks) : network(ranks) {
        for (rank_t r = 0; r < ranks; ++r) ends.push_back(network.at(r));
    }
    links& link(rank_t rank) {
        return all.emplace_back(communicator(ends[static_cast<std::size_t>(rank)], network.ranks(), rank));
    }
    void drain(rank_t rank) {
        auto& end = ends[static_cast<std::size_t>(rank)];
        for (completion c = end.poll(); !c.empty(); c = end.poll()) deliver(c);
    }

    mock_network network;
    std::deque<mock_network::endpoint> ends;
    std::deque<links> all;
};

}  // namespace

TEST_CASE("control_links: a member that receives a revocation sends it on, also after the death of the first sender") {
    linked_ranks ranks(3);
    auto& zero = ranks.link(0);
    auto& one = ranks.link(1);
    const run_status cause{.state = run_status::phase::failed, .error = 4, .step = 7, .rank = 0, .peer = 2};
    zero.revoke(cause);  // no receive of rank 2 is posted, so the message to it is lost
    ranks.drain(1);
    CHECK(one.is_revoked());
    ranks.network.kill(0);
    auto& two = ranks.link(2);
    CHECK(!two.is_revoked());
    ranks.drain(2);
    CHECK(two.is_revoked());
    for (const run_status& received : {zero.cause(), one.cause(), two.cause()}) {
        CHECK((received.failed() && received.error == cause.error && received.step == cause.step));
        CHECK((received.rank == cause.rank && received.peer == cause.peer));
    }
    CHECK(two.failed() == std::vector<rank_t>{0});
    CHECK(two.failure() == mock_network::error::peer_died);
}

TEST_CASE("control_links: the sender of a message that no member sends counts as failed") {
    for (const bool is_short : {false, true}) {
        linked_ranks ranks(2);
        auto& zero = ranks.link(0);
        communicator other(ranks.ends[1], 2, 1);
        const std::vector<std::uint64_t> words{99, 1, 0, 0, 0, 0};
        const std::span<const std::byte> bytes = std::as_bytes(std::span(words));
        const message::send_part part{bytes.data(), std::ssize(bytes) - (is_short ? 8 : 0)};
        int owner = 0;
        REQUIRE(other.post_send({.peer = 0, .channel = other.open_channel().channel, .request = {&owner, 0}},
                                {&part, 1}) == 0);
        ranks.drain(0);
        CHECK(zero.failed() == std::vector<rank_t>{1});
        CHECK(zero.failure() == (is_short ? static_cast<int>(mock_network::error::size_mismatch)
                                          : static_cast<int>(message::error::protocol_violation)));
        zero.start(6);  // with itself alone
        CHECK(zero.has_ended());
        CHECK(zero.protocol().decision().flags == 6);
        CHECK(zero.protocol().decision().has_failed(1));
    }
}

TEST_CASE("control_links: an agreement has ended when the other members need no message of this one") {
    linked_ranks ranks(2);
    auto& zero = ranks.link(0);
    auto& one = ranks.link(1);
    zero.start(3);
    one.start(6);
    ranks.drain(0);  // the report of 1, and the proposal to it
    ranks.drain(1);  // accepts
    CHECK(one.protocol().running());
    ranks.drain(0);
    CHECK(!zero.protocol().running());
    ranks.drain(1);
    ranks.drain(0);
    CHECK((zero.has_ended() && one.has_ended()));
    CHECK(zero.protocol().decision().flags == 2);
    CHECK(one.protocol().decision() == zero.protocol().decision());
}
