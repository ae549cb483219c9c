#include "collsched/execute/mock.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

using namespace collsched;
using std::chrono::nanoseconds;

namespace {

static_assert(polled_transport<mock_network::endpoint>);

int owner, stranger;

/// Messages of one byte from rank 0 to rank 1 of a network; the byte is their number.
struct pair_of_ranks {
    explicit pair_of_ranks(const mock_network::options& options)
        : network(3, options), zero(network.at(0)), one(network.at(1)) {
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>(i + 1);
        for (std::size_t i = 0; i < out.size(); ++i) from.push_back({&out[i], 1});
        for (std::size_t i = 0; i < in.size(); ++i) into.push_back({&in[i], 1});
    }
    static message::key key(rank_t peer, std::int64_t i) {
        return {.peer = peer, .sequence = i, .request = {&owner, i}};
    }
    int send(std::int64_t i) { return zero.post_send(key(1, i), std::span(&from[static_cast<std::size_t>(i)], 1)); }
    int receive(std::int64_t i) { return one.post_recv(key(0, i), std::span(&into[static_cast<std::size_t>(i)], 1)); }
    void post(std::int64_t messages) {
        for (std::int64_t i = 0; i < messages; ++i) receive(i);
        for (std::int64_t i = 0; i < messages; ++i) send(i);
    }
    bool arrived(std::size_t i) const { return in[i] == out[i]; }

    mock_network network;
    mock_network::endpoint zero, one;
    std::array<std::byte, 16> out{}, in{};
    std::vector<message::send_part> from;
    std::vector<message::receive_part> into;
};

/// The messages that are reported to an endpoint by repeated waits, in this order.
std::vector<std::int64_t> reported(mock_network::endpoint& at) {
    std::vector<std::int64_t> all;
    for (completion c = at.wait_any(forever); c.request.owner != nullptr; c = at.wait_any(forever))
        all.push_back(c.request.node);
    return all;
}

}  // namespace

TEST_CASE("mock_network: without faults, a message completes when both ends are posted, in either order") {
    pair_of_ranks all({});
    all.receive(1);
    CHECK(all.one.poll().request.owner == nullptr);
    all.send(0);
    all.send(1);
    CHECK((all.arrived(1) && !all.arrived(0)));
    completion c = all.one.poll();
    CHECK((c.request.owner == &owner && c.request.node == 1 && c.error == 0 && c.peer == 0));
    c = all.zero.poll();
    CHECK((c.request.node == 1 && c.peer == 1));
    CHECK(all.zero.poll().request.owner == nullptr);
    all.receive(0);
    CHECK(reported(all.zero) == std::vector<std::int64_t>{0});
    CHECK(reported(all.one) == std::vector<std::int64_t>{0});
}

TEST_CASE("mock_network: a post to a rank outside the network fails") {
    pair_of_ranks all({});
    for (const rank_t none : {rank_t{-1}, rank_t{3}}) {
        CHECK(all.zero.post_send(pair_of_ranks::key(none, 0), all.from) == mock_network::error::no_such_rank);
        CHECK(all.zero.post_recv(pair_of_ranks::key(none, 0), all.into) == mock_network::error::no_such_rank);
    }
    CHECK(all.zero.poll().request.owner == nullptr);
}

TEST_CASE("mock_network: messages of different channels or epochs do not match") {
    pair_of_ranks all({});
    for (const auto& [channel, epoch] : {std::pair{2, 1}, {1, 2}, {2, 2}})
        all.zero.post_send({.peer = 1,
                            .channel = static_cast<std::uint64_t>(channel),
                            .epoch = static_cast<std::uint64_t>(epoch),
                            .request = {&owner, channel * 10 + epoch}},
                           std::span(&all.from[static_cast<std::size_t>(channel * 2 + epoch)], 1));
    all.one.post_recv({.peer = 0, .channel = 1, .epoch = 1, .request = {&owner, 7}}, std::span(&all.into[0], 1));
    CHECK(all.one.poll().request.owner == nullptr);
    all.one.post_recv({.peer = 0, .channel = 2, .epoch = 1, .request = {&owner, 8}}, std::span(&all.into[0], 1));
    CHECK(all.one.poll().request.node == 8);
    CHECK(all.zero.poll().request.node == 21);
    CHECK(all.in[0] == all.out[5]);
}

TEST_CASE("mock_network: sizes or schedules that differ are an error at both ends, and nothing is written") {
    for (const bool same_size : {false, true}) {
        pair_of_ranks all({});
        message::key key = pair_of_ranks::key(1, 0);
        key.fingerprint = same_size ? 5 : 0;
        all.zero.post_send(key, std::span(all.from).first(same_size ? 1 : 2));
        all.receive(0);
        const int error = same_size ? mock_network::error::disagreement : mock_network::error::size_mismatch;
        CHECK(all.zero.poll().error == error);
        CHECK(all.one.poll().error == error);
        CHECK(all.in[0] == std::byte{0});
    }
}

TEST_CASE("mock_network: a wait skips idle virtual time, and ends if no event is left") {
    pair_of_ranks all({.delay = 1'000'000});
    all.post(1);
    const completion c = all.one.wait_any(forever);
    CHECK(c.request.owner == &owner);
    CHECK((all.network.now() > 100 && all.network.now() <= 2'000'001));
    CHECK(all.one.wait_any(forever).error == mock_network::error::would_block);
    const std::int64_t before = all.network.now();
    CHECK(all.zero.wait_any(forever).request.owner == &owner);
    const std::int64_t start = std::max(before, all.network.now());
    CHECK(all.one.wait_any(nanoseconds(500)).error == 0);
    CHECK(all.network.now() == start + 500);
    CHECK(all.one.wait_any(nanoseconds(-5)).request.owner == nullptr);
    CHECK(all.network.now() == start + 501);
    CHECK(!all.network.skip(start + 700));
    CHECK(all.network.now() == start + 501);
    CHECK(!all.network.skip());
}

TEST_CASE("mock_network: each message and each completion has a random delay within the limit") {
    int apart = 0, moments = 0;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        pair_of_ranks all({.seed = seed, .delay = 20});
        all.post(1);
        std::int64_t at_zero = -1, at_one = -1, came = -1;
        for (bool turn = false; at_zero < 0 || at_one < 0; turn = !turn) {
            if ((turn ? all.zero : all.one).poll().request.owner != nullptr)
                (turn ? at_zero : at_one) = all.network.now();
            if (all.arrived(0) && came < 0) came = all.network.now();
            REQUIRE(all.network.now() < 50);
        }
        CHECK(came <= std::min(at_zero, at_one));
        apart += std::abs(at_zero - at_one) > 2 ? 1 : 0;
        moments += came > 4 ? 1 : 0;
    }
    CHECK(apart > 10);
    CHECK(moments > 10);
}

TEST_CASE("mock_network: the order of reports is random on request, and determined by the seed") {
    std::set<std::vector<std::int64_t>> orders;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto run = [&] {
            pair_of_ranks all({.seed = seed, .reorder = true});
            all.post(6);
            return reported(all.one);
        };
        const std::vector<std::int64_t> once = run();
        CHECK(once == run());
        CHECK(std::set<std::int64_t>(once.begin(), once.end()).size() == 6);
        orders.insert(once);
    }
    CHECK(orders.size() > 10);
    pair_of_ranks all({});
    all.post(6);
    CHECK(reported(all.one) == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("mock_network: an eager send completes before its receive is posted, and its memory may be reused") {
    pair_of_ranks all({.eager = true});
    all.send(3);
    CHECK(reported(all.zero) == std::vector<std::int64_t>{3});
    const std::byte sent = std::exchange(all.out[3], std::byte{0});
    all.from[3] = {nullptr, 77};
    CHECK(all.one.poll().request.owner == nullptr);
    all.receive(3);
    CHECK(all.one.poll().request.node == 3);
    CHECK(all.in[3] == sent);
    CHECK(all.zero.poll().request.owner == nullptr);
}

TEST_CASE("mock_network: an eager send is complete by the return value of its post or by a report, never by both") {
    int at_once = 0;
    for (std::uint64_t seed = 0; seed < 32; ++seed) {
        pair_of_ranks all({.seed = seed, .eager = true, .at_once = true});
        const int said = all.zero.post_send(pair_of_ranks::key(1, 3), std::span(&all.from[3], 1));
        REQUIRE((said == 0 || said == already_complete));
        at_once += said == already_complete ? 1 : 0;
        CHECK(reported(all.zero).size() == (said == 0 ? 1u : 0u));
        all.receive(3);
        CHECK(all.one.poll().request.node == 3);
        CHECK(all.in[3] == all.out[3]);
        CHECK(all.zero.poll().request.owner == nullptr);
    }
    CHECK((at_once > 0 && at_once < 32));
}

TEST_CASE("mock_network: a full window delays eager sends until their receives are posted") {
    for (const bool of_rank : {false, true}) {
        pair_of_ranks all({.eager = true, .pair_window = of_rank ? 0 : 2, .rank_window = of_rank ? 2 : 0});
        for (std::int64_t i = 0; i < 4; ++i) all.send(i);
        CHECK(reported(all.zero) == std::vector<std::int64_t>{0, 1});
        std::byte other{};
        const message::send_part elsewhere{&other, 1};
        all.zero.post_send({.peer = 2, .request = {&owner, 9}}, std::span(&elsewhere, 1));
        CHECK(reported(all.zero) == (of_rank ? std::vector<std::int64_t>{} : std::vector<std::int64_t>{9}));
        all.receive(0);
        CHECK(reported(all.one) == std::vector<std::int64_t>{0});
        for (const std::int64_t i : {3, 2, 1}) all.receive(i);
        CHECK(all.arrived(1));
        CHECK(all.arrived(2));
        CHECK(all.arrived(3));
    }
}

TEST_CASE("mock_network: at most a window of messages is in flight, and the others wait in their order") {
    for (const std::int64_t window : {1, 2, 3}) {
        std::set<std::size_t> out_of_order;
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            pair_of_ranks all({.seed = seed, .delay = 30, .pair_window = window});
            all.post(8);
            std::size_t first_missing = 0;
            while (first_missing < 8) {
                all.zero.poll();
                while (first_missing < 8 && all.arrived(first_missing)) ++first_missing;
                for (std::size_t i = first_missing; i < 8; ++i)
                    if (all.arrived(i)) out_of_order.insert(i - first_missing);
                REQUIRE(all.network.now() < 1000);
            }
        }
        if (window == 1) CHECK(out_of_order.empty());
        else CHECK(!out_of_order.empty());
    }
}

TEST_CASE("mock_network: receives hold noise until their bytes come, if that option is set") {
    pair_of_ranks all({.noise = true});
    all.in.fill(std::byte{0});
    for (std::int64_t i = 0; i < 16; ++i) all.receive(i);
    int changed = 0;
    for (const std::byte one : all.in) changed += one == std::byte{0} ? 0 : 1;
    CHECK(changed > 8);
    for (std::int64_t i = 0; i < 16; ++i) all.send(i);
    CHECK(all.in == all.out);
}

TEST_CASE("mock_network: a cancelled message is neither matched nor written nor reported any more") {
    pair_of_ranks all({.delay = 10});
    all.send(0);
    all.zero.cancel(&stranger);
    all.zero.cancel(&owner);
    all.receive(0);
    CHECK(all.one.wait_any(forever).error == mock_network::error::would_block);
    all.send(0);
    all.one.cancel(&owner);
    CHECK(!all.network.skip());
    CHECK(all.in[0] == std::byte{0});
    all.receive(0);
    CHECK(reported(all.zero) == std::vector<std::int64_t>{0});
    all.one.cancel(&owner);
    CHECK(reported(all.one).empty());
    CHECK(all.network.most_in_flight(1).receives == 1);
    CHECK(all.network.most_in_flight(0).sends == 1);
}

TEST_CASE("mock_network: a cancelled eager send is still delivered") {
    pair_of_ranks all({.eager = true});
    all.send(0);
    all.zero.cancel(&owner);
    CHECK(reported(all.zero).empty());
    all.receive(0);
    CHECK(all.arrived(0));
}

TEST_CASE("mock_network: the largest numbers of sends and receives in flight are counted separately") {
    pair_of_ranks all({});
    for (std::int64_t i = 0; i < 5; ++i) all.receive(i);
    for (std::int64_t i = 0; i < 3; ++i) {
        all.send(i);
        all.zero.poll();
    }
    CHECK(all.network.most_in_flight(1).receives == 5);
    CHECK(all.network.most_in_flight(1).sends == 0);
    CHECK(all.network.most_in_flight(0).sends == 1);
    CHECK(all.network.reported() == 3);
}

TEST_CASE("mock_network: each fault strikes the operation that it numbers") {
    SUBCASE("refused") {
        pair_of_ranks all({.faults = {.refuse = 3, .error = 99}});
        for (std::int64_t i = 0; i < 3; ++i) CHECK(all.receive(i) == 0);
        CHECK(all.send(2) == 99);
        CHECK(all.send(2) == 0);
        const mock_network::victim& struck = all.network.struck();
        CHECK((struck.rank == 0 && struck.sends && struck.key.sequence == 2 && struck.key.peer == 1));
    }
    SUBCASE("failed") {
        pair_of_ranks all({.faults = {.fail = 1}});
        all.post(3);
        for (const int error : {0, int(mock_network::error::injected), 0}) {
            CHECK(all.zero.poll().error == error);
            CHECK(all.one.poll().error == error);
        }
        CHECK((all.arrived(0) && !all.arrived(1) && all.arrived(2)));
        CHECK((all.network.struck().rank == 1 && all.network.struck().key.sequence == 1));
    }
    SUBCASE("lost") {
        pair_of_ranks all({.faults = {.lose = 3}});
        all.post(3);
        CHECK(reported(all.zero) == std::vector<std::int64_t>{0, 1, 2});
        CHECK(reported(all.one) == std::vector<std::int64_t>{0, 2});
        CHECK((all.network.struck().rank == 1 && all.network.struck().key.sequence == 1));
    }
    SUBCASE("repeated") {
        pair_of_ranks all({.faults = {.repeat = 2}});
        all.post(3);
        CHECK(reported(all.zero) == std::vector<std::int64_t>{0, 1, 1, 2});
        CHECK(reported(all.one) == std::vector<std::int64_t>{0, 1, 2});
        CHECK((all.network.struck().rank == 0 && all.network.struck().sends));
    }
    SUBCASE("none") {
        pair_of_ranks all({});
        all.post(3);
        CHECK(all.network.struck().rank == -1);
    }
}

TEST_CASE("mock_network: a dead rank completes nothing, and messages with it fail") {
    pair_of_ranks all({.faults = {.dead = 1, .dies_at = 100}});
    all.send(0);
    all.receive(0);
    all.send(1);
    std::byte here{};
    const message::receive_part from_two{&here, 1};
    all.zero.post_recv({.peer = 2, .request = {&owner, 5}}, std::span(&from_two, 1));
    CHECK(all.zero.poll().request.node == 0);
    CHECK(!all.network.is_dead(1));
    const completion c = all.zero.wait_any(forever);
    CHECK((c.request.node == 1 && c.error == mock_network::error::peer_died && c.peer == 1));
    CHECK((all.network.is_dead(1) && !all.network.is_dead(0)));
    CHECK(all.network.now() == 100);
    CHECK(all.send(2) == 0);
    CHECK(all.zero.poll().error == mock_network::error::peer_died);
    CHECK(all.receive(2) == 0);
    CHECK(all.one.poll().request.owner == nullptr);
    CHECK(all.one.wait_any(nanoseconds(9)).error == 0);
    CHECK(all.zero.wait_any(forever).error == mock_network::error::would_block);
}

TEST_CASE("mock_network: messages in flight from a dead rank are not delivered") {
    for (const bool eager : {false, true}) {
        pair_of_ranks all({.eager = eager, .delay = 1'000'000, .faults = {.dead = 0, .dies_at = 2}});
        all.send(0);
        all.receive(0);
        if (eager) all.send(1);
        CHECK(all.one.poll().request.owner == nullptr);
        const completion c = all.one.wait_any(forever);
        CHECK((c.request.node == 0 && c.error == mock_network::error::peer_died && c.peer == 0));
        all.receive(1);
        CHECK(all.one.wait_any(forever).error == mock_network::error::peer_died);
        CHECK((!all.arrived(0) && !all.arrived(1)));
    }
}

TEST_CASE(
    "mock_network: an idle poll returns each death until the rank acknowledges it, and no dead rank receives one") {
    mock_network network(4, {.faults = {.reports_death = true}});
    mock_network::endpoint zero = network.at(0), one = network.at(1);
    CHECK(zero.poll().empty());
    network.kill(2);
    network.kill(3);
    for (const rank_t dead : {rank_t{2}, rank_t{3}}) {
        for (const completion& c : {zero.poll(), zero.wait_any(forever)})
            CHECK((c.request.owner == nullptr && c.error == mock_network::error::peer_died && c.peer == dead));
        zero.acknowledge(dead);
    }
    CHECK(zero.poll().empty());
    CHECK(one.poll().peer == 2);
    CHECK(network.at(3).poll().empty());
    CHECK(network.is_dead(3));
    std::byte sent{5}, received{};
    const message::send_part out{&sent, 1};
    const message::receive_part in{&received, 1};
    CHECK(one.post_send({.peer = 0, .request = {&owner, 1}}, {&out, 1}) == 0);
    CHECK(zero.post_recv({.peer = 1, .request = {&owner, 2}}, {&in, 1}) == 0);
    CHECK((zero.poll().error == 0 && received == sent));
    CHECK(zero.post_recv({.peer = 3, .request = {&owner, 3}}, {&in, 1}) == 0);
    CHECK(zero.poll().error == mock_network::error::peer_died);
}
