#include "collsched/execute/communicator.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "collsched/execute/mock_network/mock_run.hpp"
#include "collsched/execute/processes.hpp"
#include "collsched/execute/thread_fabric.hpp"
#include "support/brief.hpp"
#include "support/concurrent_sums.hpp"
#include "support/conformance.hpp"
#include "support/layouts.hpp"
#include "support/processes.hpp"
#include "support/thread_ranks.hpp"

using namespace collsched;
using namespace std::chrono_literals;

namespace {

using list = std::vector<std::int64_t>;

/// A transport that notes the last post, and reports what the test has put there.
struct noting_transport {
    message::key last{};
    completion next{};
    const void* withdrawn = nullptr;
    std::chrono::nanoseconds waited{};

    int post_send(const message::key& key, std::span<const message::send_part>) { return last = key, 0; }
    int post_recv(const message::key& key, std::span<const message::receive_part>) { return last = key, 7; }
    completion poll() { return next; }
    completion wait_any(std::chrono::nanoseconds timeout) { return waited = timeout, next; }
    void cancel(const void* owner) { withdrawn = owner; }
};
/// The same with the optional calls.
struct combining_transport : noting_transport {
    bool combines = true;
    const void* done = nullptr;

    int post_recv_combine(const message::key& key, const message::combined_part&) {
        return last = key, already_complete;
    }
    bool combines_on_arrival() const { return combines; }
    void ended(const void* owner) { done = owner; }
};
/// The least transport: it calls back.
struct calling_transport {
    int post_send(const message::key&, std::span<const message::send_part>) { return 0; }
    int post_recv(const message::key&, std::span<const message::receive_part>) { return 0; }
    void cancel(const void*) {}
};

using noted = communicator<noting_transport>;
static_assert(polled_transport<noted> && !detail::has_post_recv_combine<noted> && !detail::has_ended<noted> &&
              !detail::has_combines_on_arrival<noted>);
static_assert(detail::has_post_recv_combine<communicator<combining_transport>> &&
              detail::has_combines_on_arrival<communicator<combining_transport>> &&
              detail::has_ended<communicator<combining_transport>>);
static_assert(transport<communicator<calling_transport>> && !polled_transport<communicator<calling_transport>>);
static_assert(detail::has_post_recv_combine<communicator<thread_fabric::endpoint>>);

/// The text of the bad_argument that f throws, or "".
template <class F>
std::string refusal(F f) {
    try {
        f();
    } catch (const bad_argument& error) {
        return error.what();
    }
    return "";
}

/// The communicators of all ranks of transports that carry nothing.
struct all_ranks {
    explicit all_ranks(rank_t ranks, std::uint64_t channels = noted::default_channels)
        : transports(static_cast<std::size_t>(ranks)) {
        for (rank_t r = 0; r < ranks; ++r) of.emplace_back(transports[static_cast<std::size_t>(r)], ranks, r, channels);
    }
    /// Calls f(communicator) for each rank.
    template <class F>
    std::vector<noted> each(F f) {
        std::vector<noted> made;
        for (noted& one : of) made.push_back(f(one));
        return made;
    }

    std::vector<noting_transport> transports;
    std::vector<noted> of;
};

/// Five rounds of concurrent sums of one rank, which waits for them. Returns the faults.
template <class Inner>
std::string faults_of_rounds(Inner& over, rank_t ranks, rank_t rank) {
    support::concurrent_sums sums(over, ranks, rank);
    std::string faults;
    for (int round = 0; round < 5; ++round) {
        sums.start((rank + round) % 2 == 0);
        sums.wait(30s);
        faults += sums.fault();
    }
    return faults;
}

std::vector<rank_t> members(const noted& one) { return {one.members().begin(), one.members().end()}; }

}  // namespace

TEST_CASE("communicator: translates ranks and channels of posts, and ranks of completions") {
    noting_transport inner;
    const std::vector<rank_t> ranks{6, 2, 4};
    noted group(inner, 8, 2, ranks, detail::communicator_id(5), 10);
    CHECK(group.ranks() == 3);
    CHECK(group.rank() == 1);
    CHECK(&group.transport() == &inner);
    int owner = 0;
    CHECK(group.post_send(
              {.peer = 2, .channel = 9, .epoch = 3, .sequence = 4, .fingerprint = 5, .request = {&owner, 6}}, {}) == 0);
    CHECK(inner.last.peer == 4);
    CHECK(inner.last.channel == 59);
    CHECK(inner.last.epoch == 3);
    CHECK(inner.last.sequence == 4);
    CHECK(inner.last.fingerprint == 5);
    CHECK(inner.last.request == message::request{&owner, 6});
    CHECK(group.post_recv({.peer = 0}, {}) == 7);
    CHECK(inner.last.peer == 6);
    CHECK(inner.last.channel == 50);

    const std::map<rank_t, rank_t> here{{6, 0}, {2, 1}, {4, 2}, {0, -1}, {7, -1}, {8, -1}, {-1, -1}, {-5, -1}};
    for (const auto& [there, expected] : here) {
        CAPTURE(there);
        inner.next = {{&owner, 3}, 12, there};
        for (const completion& c : {group.poll(), group.wait_any(5ns)}) {
            CHECK(c.peer == expected);
            CHECK(c.error == 12);
            CHECK(c.request == message::request{&owner, 3});
        }
        CHECK(inner.waited == 5ns);
        CHECK(group.rank_of(there) == expected);
    }
    group.cancel(&owner);
    CHECK(inner.withdrawn == &owner);
}

TEST_CASE("communicator: a post to a rank or channel that it does not have fails, and reaches no transport") {
    noting_transport inner;
    const std::vector<rank_t> ranks{6, 2, 4};
    noted group(inner, 8, 2, ranks, detail::communicator_id(5), 10), none;
    for (const rank_t wrong : {rank_t{3}, rank_t{-1}, std::numeric_limits<rank_t>::max()}) {
        CHECK(group.post_send({.peer = wrong}, {}) == message::error::no_such_rank);
        CHECK(group.post_recv({.peer = wrong}, {}) == message::error::no_such_rank);
    }
    for (const std::uint64_t wrong : {std::uint64_t{10}, ~std::uint64_t{0}})
        CHECK(group.post_send({.peer = 0, .channel = wrong}, {}) == message::error::no_such_channel);
    CHECK(none.post_send({.peer = 0}, {}) == message::error::no_such_rank);
    none.cancel(nullptr);
    CHECK(inner.last.request.owner == nullptr);
    CHECK(inner.last.channel == 0);

    const allreduce::ring of_five{.ranks = 5, .bytes = 40, .element = 8};
    std::vector<double> in(5), out(5);
    bound_plan own(of_five, 2, {std::as_bytes(std::span(in)), std::as_writable_bytes(std::span(out))});
    execution run(own.plan(), group);
    run.start(own.buffers(), reductions::sum<double>());
    CHECK(run.state().error == message::error::no_such_rank);
}

TEST_CASE("communicator: the optional calls of the transport pass through") {
    combining_transport inner;
    communicator group(inner, 4, 1);
    CHECK(group.post_recv_combine({.peer = 3, .channel = 2}, {}) == already_complete);
    CHECK(inner.last.peer == 3);
    CHECK(inner.last.channel == group.channels() + 2);
    CHECK(group.post_recv_combine({.peer = 4}, {}) == message::error::no_such_rank);
    CHECK(group.combines_on_arrival());
    inner.combines = false;
    CHECK(!group.combines_on_arrival());
    group.ended(&group);
    CHECK(inner.done == &group);
}

TEST_CASE("communicator: wrong arguments are refused") {
    noting_transport inner;
    const auto made = [&](rank_t ranks, rank_t rank, std::vector<rank_t> of, detail::communicator_id id = {},
                          std::uint64_t channels = 8) {
        return refusal([&] { noted(inner, ranks, rank, of, id, channels); });
    };
    CHECK(made(4, 0, {0, 1}) == "");
    CHECK(made(0, 0, {}) == "ranks: got 0, expected 1 or more");
    CHECK(made(4, 4, {0, 1}) == "rank: got 4, expected 0 .. ranks-1");
    CHECK(made(4, -1, {0, 1}) == "rank: got -1, expected 0 .. ranks-1");
    CHECK(made(4, 0, {0, 4}) == "members[1]: got 4, expected a rank, 0 .. ranks-1");
    CHECK(made(4, 0, {0, 1, 0}) == "members[2]: got 0, expected each rank at most once");
    CHECK(made(4, 0, {0}, detail::communicator_id(0)) == "id: got 0, expected 1 .. 2^64 / channels - 1");
    CHECK(made(4, 0, {0}, {}, 1) == "channels: got 1, expected 2 or more");
    CHECK(made(4, 0, {0}, detail::communicator_id(4), std::uint64_t{1} << 62) ==
          "id: got 4, expected 1 .. 2^64 / channels - 1");
    CHECK(made(4, 0, {0}, detail::communicator_id(3), std::uint64_t{1} << 62) == "");
    CHECK(refusal([&] { noted(inner, -1, 0); }) == "ranks: got -1, expected 1 or more");

    noted world(inner, 4, 0);
    const auto split = [&](list colors, list keys = {}) { return refusal([&] { world.split(colors, keys); }); };
    CHECK(split({0, 0, 1}) == "colors: got 3, expected a color of each rank");
    CHECK(split({0, 0, 1, 1, 2}) == "colors: got 5, expected a color of each rank");
    CHECK(split({0, -2, 1, 1}) == "colors[1]: got -2, expected 0 or more, or -1 for no communicator");
    CHECK(split({0, 0, 1, 1}, {1, 2, 3}) == "keys: got 3, expected a key of each rank, or none");
    const auto subset = [&](std::vector<rank_t> of) { return refusal([&] { world.subset(of); }); };
    CHECK(subset({0, 4}) == "members[1]: got 4, expected a rank, 0 .. ranks-1");
    CHECK(subset({1, 1}) == "members[1]: got 1, expected each rank at most once");
    CHECK(world.children() == 0);  // refused children have no number
    CHECK(refusal([&] { world.subset({}, 3), world.subset({}, 2); }) == "n: got 2, expected children() or more");
    const std::uint64_t next = world.children();
    const std::vector<rank_t> twice{1, 1};
    CHECK(refusal([&] { world.subset(twice, 9); }) == "members[1]: got 1, expected each rank at most once");
    CHECK(refusal([&] { world.subset({}, std::uint64_t{1} << 40); }) ==
          "n: got 1099511627776, expected a number whose id has 63 bits or fewer");
    CHECK(refusal([&] { world.subset({}, ~std::uint64_t{0}); }) ==
          "n: got -1, expected a number whose id has 63 bits or fewer");
    CHECK(world.children() == next);
}

TEST_CASE("communicator: split groups ranks by color, sorts them by key, and leaves out ranks without a color") {
    support::random_source random(9);
    for (rank_t p = 1; p <= 20; ++p)
        for (int round = 0; round < 8; ++round) {
            all_ranks world(p);
            list colors, keys;
            const std::int64_t far = std::numeric_limits<std::int64_t>::max();
            for (rank_t r = 0; r < p; ++r) {
                colors.push_back(random.below(4) == 0 ? far : random.below(1 + p / 3) - 1);
                keys.push_back(random.below(5) == 0 ? -far : random.below(3) - 1);
            }
            const bool sorted = round % 2 == 0;
            const std::vector<noted> parts = world.each([&](noted& one) {
                return one.split(colors, sorted ? std::span(keys) : std::span<const std::int64_t>());
            });
            for (rank_t r = 0; r < p; ++r) {
                const auto at = static_cast<std::size_t>(r);
                std::multimap<std::pair<std::int64_t, rank_t>, rank_t> order;
                for (rank_t other = 0; other < p && colors[at] != noted::undefined; ++other)
                    if (colors[static_cast<std::size_t>(other)] == colors[at])
                        order.insert({{sorted ? keys[static_cast<std::size_t>(other)] : 0, other}, other});
                std::vector<rank_t> expected;
                for (const auto& [key, rank] : order) expected.push_back(rank);
                CHECK(members(parts[at]) == expected);
                CHECK(parts[at].empty() == (colors[at] == noted::undefined));
                if (parts[at].empty()) CHECK(parts[at].rank() == -1);
                else CHECK(parts[at].members()[static_cast<std::size_t>(parts[at].rank())] == r);
            }
        }
}

TEST_CASE("communicator: a subset of a subset has ranks of the transport, in the given order") {
    all_ranks world(6);
    const std::vector<rank_t> first{5, 1, 3, 0}, second{3, 1, 0};
    const std::vector<noted> parts = world.each([&](noted& one) {
        noted part = one.subset(first);
        return part.empty() ? part : part.subset(second);
    });
    for (rank_t r = 0; r < 6; ++r) {
        const noted& part = parts[static_cast<std::size_t>(r)];
        const std::vector<rank_t> expected{0, 1, 5};
        CHECK(part.empty() == (r != 0 && r != 1 && r != 5));
        if (!part.empty()) CHECK(members(part) == expected);
        if (!part.empty()) CHECK(part.id() == detail::communicator_id().child(0).child(0));
    }
}

TEST_CASE("communicator: ids are equal on all members, and different between communicators that share a rank") {
    support::random_source random(17);
    for (int round = 0; round < 20; ++round) {
        const rank_t p = 2 + random.below(7);
        all_ranks world(p);
        std::vector<std::vector<noted>> made(static_cast<std::size_t>(p));  // of each rank, in the order of creation
        for (rank_t r = 0; r < p; ++r)
            made[static_cast<std::size_t>(r)].push_back(world.of[static_cast<std::size_t>(r)]);
        std::map<std::uint64_t, std::vector<rank_t>> lists;  // members by id: a split gives an id to disjoint groups
        for (int step = 0; step < 25; ++step) {
            const auto chosen_rank = static_cast<std::size_t>(random.below(p));
            const auto& own = made[chosen_rank];
            const noted parent = own[static_cast<std::size_t>(random.below(std::ssize(own)))];
            list colors;
            for (rank_t r = 0; r < parent.ranks(); ++r) colors.push_back(random.below(3) - 1);
            for (const rank_t r : members(parent)) {
                auto& of = made[static_cast<std::size_t>(r)];
                const auto same = std::find_if(of.begin(), of.end(), [&](const noted& one) {
                    return one.id() == parent.id() && members(one) == members(parent);
                });
                REQUIRE(same != of.end());
                if (noted child = same->split(colors); !child.empty()) of.push_back(child);
            }
        }
        for (const auto& of : made)
            for (const noted& one : of) {
                int seen = 0;
                for (const noted& other : of) seen += other.id() == one.id();
                CHECK(seen == 1);
                for (const rank_t r : members(one)) {
                    bool there = false;
                    for (const noted& other : made[static_cast<std::size_t>(r)])
                        there = there || (other.id() == one.id() && members(other) == members(one));
                    CHECK(there);
                }
            }
    }
}

TEST_CASE("communicator: copies are the same communicator, and count children and channels together") {
    all_ranks world(3);
    noted copy = world.of[0];
    CHECK(copy == world.of[0]);
    CHECK(!(copy == world.of[1]));
    CHECK(noted() == noted());
    const noted first = copy.dup(), second = world.of[0].dup();
    CHECK(members(first) == members(copy));
    CHECK(first.id() != second.id());
    CHECK(!(first == second));
    CHECK(copy.children() == 2);
    CHECK(copy.open_channel().channel == 1);
    CHECK(world.of[0].open_channel().channel == 2);
    CHECK(copy.library_options().epoch == 0);
    CHECK(world.of[0].library_options().epoch == 1);
}

TEST_CASE("communicator: a child with an agreed number skips the numbers below") {
    all_ranks world(4);
    for (int i = 0; i < 3; ++i) world.of[1].dup();
    const std::vector<rank_t> survivors{3, 1};
    const noted one = world.of[1].subset(survivors, 3), three = world.of[3].subset(survivors, 3);
    CHECK(one.id() == three.id());
    CHECK(one.id() == detail::communicator_id().child(3));
    CHECK(one.rank() == 1);
    CHECK(three.rank() == 0);
    CHECK(world.of[3].children() == 4);
}

TEST_CASE("communicator: the last child is refused when the bits of ids are used up") {
    noting_transport inner;
    noted deepest(inner, 1, 0, 8);
    int levels = 0;
    std::string text;
    for (; levels < 100 && text.empty(); ++levels) text = refusal([&] { deepest = deepest.dup(); });
    CHECK(levels - 1 == 60);  // of the 64 bits, 3 are those of the channel and 1 is the first digit
    CHECK(text.find("id: got ") == 0);
}

TEST_CASE("communicator: hands out channels between 1 and channels - 2, each with the epoch that it was closed with") {
    noting_transport inner;
    noted group(inner, 2, 0, 5);
    for (std::uint64_t c = 1; c <= 3; ++c) CHECK(group.open_channel().channel == c);
    CHECK(refusal([&] { group.open_channel(); }) == "channels: got 3, expected a channel that is not open");
    CHECK(!group.close_channel(2, 9));
    CHECK(refusal([&] { group.close_channel(2, 9); }) ==
          "channel: got 2, expected an open channel, and its epoch or a later one");
    CHECK(refusal([&] { group.close_channel(0, 9); }) != "");
    CHECK(refusal([&] { group.close_channel(4, 9); }) != "");
    const execution_options again = group.open_channel();
    CHECK(again.channel == 2);
    CHECK(again.epoch == 9);
    CHECK(group.library_options().channel == 4);
}

TEST_CASE("communicator: disjoint and overlapping communicators run at once between threads") {
    for (const rank_t p : {1, 2, 3, 6, 8})
        CHECK(support::thread_faults(p, [&](auto& endpoint, rank_t r) { return faults_of_rounds(endpoint, p, r); }) ==
              "");
}

TEST_CASE("communicator: disjoint and overlapping communicators run at once between processes") {
    process_group::anonymous_segment room;
    support::rank_processes all(5, [&](rank_t r) -> std::string {
        process_group group;
        if (const process_group::join_error wrong = group.join(room, 5, r)) return wrong.object;
        process_group::transport transport(group);
        return faults_of_rounds(transport, 5, r);
    });
    for (const std::string& fault : all.faults()) CHECK(fault == "");
}

TEST_CASE("communicator: disjoint and overlapping communicators run at once over an adversarial network") {
    for (std::uint64_t seed = 1; seed <= (support::brief() ? 7U : 30U); ++seed) {
        const rank_t p = 1 + static_cast<rank_t>(seed % 7);
        mock_network network(p, {.seed = seed,
                                 .eager = true,
                                 .at_once = true,
                                 .reorder = true,
                                 .noise = true,
                                 .delay = 500,
                                 .pair_window = 1});
        std::deque<mock_network::endpoint> endpoints;
        std::deque<support::concurrent_sums<mock_network::endpoint>> sums;
        for (rank_t r = 0; r < p; ++r) sums.emplace_back(endpoints.emplace_back(network.at(r)), p, r);
        for (int round = 0; round < 2; ++round) {
            std::vector<execution<communicator<mock_network::endpoint>>*> all;
            for (auto& one : sums) {
                one.start(all.size() % 2 == 0);
                for (auto* run : one.runs()) all.push_back(run);
            }
            CHECK(take_turns(network, all));
            for (const auto& one : sums) CHECK(one.fault() == "");
        }
    }
}

TEST_CASE("communicator: a failure of the transport names a rank of the communicator") {
    mock_network network(6, {.faults = {.dead = 4, .dies_at = 0}});
    auto endpoint = network.at(2);
    const std::vector<rank_t> ranks{2, 4};
    communicator group(endpoint, 6, 2, ranks, detail::communicator_id());
    network.pass(1);
    std::vector<double> in(5), out(5);
    bound_plan own(allreduce::ring{.ranks = 2, .bytes = 40, .element = 8}, 0,
                   {std::as_bytes(std::span(in)), std::as_writable_bytes(std::span(out))});
    execution run(own.plan(), group);
    run.start(own.buffers(), reductions::sum<double>());
    run.wait();
    CHECK(run.state().error == mock_network::error::peer_died);
    CHECK(run.state().peer == 1);
}

TEST_CASE("communicator: every algorithm is right over a permuted part of the ranks of a transport") {
    const rank_t ranks = support::long_run() ? 5 : 4, p = ranks + 3;
    std::vector<support::conformance_case> cases;
    support::for_each_conformance_case(ranks, ranks, true, [&](const auto& one) { cases.push_back(one); });
    REQUIRE(!cases.empty());
    std::vector<rank_t> list;
    for (rank_t i = 0; i < ranks; ++i) list.push_back((3 * i + 5) % p);
    CHECK(support::thread_faults(p, [&](auto& endpoint, rank_t r) {
              communicator world(endpoint, p, r);
              communicator part = world.subset(list);
              std::string fault;
              for (const auto& one : cases)
                  if (fault.empty() && !part.empty()) fault = support::conform(one, part.rank(), part, 1min);
              return fault;
          }) == "");
}
