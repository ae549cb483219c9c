#include "collsched/topology/forwarding_bound.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/topology/networks.hpp"
#include "collsched/topology/throughput_bound.hpp"
#include "collsched/tree/pack_forest.hpp"
#include "support/brief.hpp"
#include "support/random_network.hpp"

using namespace collsched;
using topology::forwarding_bound;
using link_bound = topology::network::link_bound;
using topology::network;

namespace {

constexpr support::network_shape shapes[] = {support::network_shape::directed, support::network_shape::bidirectional,
                                             support::network_shape::balanced_switches};

/// Whether a message from a rank to another one needs the links from `from` to `to`.
bool needs(const network& net, rank_t source, rank_t sink, rank_t from, rank_t to) {
    std::vector<bool> reached(static_cast<std::size_t>(net.vertices()));
    reached[static_cast<std::size_t>(source)] = true;
    for (rank_t more = 0; more < net.vertices(); ++more)
        for (const network::link& one : net.links())
            if (reached[static_cast<std::size_t>(one.from)] && (one.from == source || net.is_switch(one.from)) &&
                !(one.from == from && one.to == to))
                reached[static_cast<std::size_t>(one.to)] = true;
    return !reached[static_cast<std::size_t>(sink)];
}

/// Per pair of ranks, whether messages from the first to the second one need certain links.
struct crossings {
    rank_t ranks;
    std::vector<bool> needed;

    crossings(const network& net, rank_t from, rank_t to) : ranks(net.ranks()) {
        for (rank_t u = 0; u < ranks; ++u)
            for (rank_t v = 0; v < ranks; ++v) needed.push_back(u != v && needs(net, u, v, from, to));
    }
    bool operator()(rank_t u, rank_t v) const { return needed[static_cast<std::size_t>(u * ranks + v)]; }

    bool is_receiver(rank_t v) const {
        for (rank_t u = 0; u < ranks; ++u)
            if (u != v && !(*this)(u, v)) return false;
        return true;
    }
    bool is_sender(rank_t u) const {
        for (rank_t v = 0; v < ranks; ++v)
            if (u != v && !(*this)(u, v)) return false;
        return true;
    }
    /// The fewest edges of a spanning tree that cross, out of the root or, backward, to it: by all trees.
    std::int64_t least_of_trees(rank_t root, bool backward) const {
        std::int64_t least = ranks, trees = 1;
        for (rank_t v = 0; v < ranks; ++v) trees *= ranks;
        for (std::int64_t number = 0; number < trees; ++number) {
            std::vector<rank_t> parent;
            for (std::int64_t rest = number, v = 0; v < ranks; ++v, rest /= ranks) parent.push_back(rest % ranks);
            if (parent[static_cast<std::size_t>(root)] != root || !is_tree(root, parent)) continue;
            std::int64_t crossing = 0;
            for (rank_t v = 0; v < ranks; ++v) {
                const rank_t up = parent[static_cast<std::size_t>(v)];
                if (v != root) crossing += (backward ? (*this)(v, up) : (*this)(up, v)) ? 1 : 0;
            }
            least = std::min(least, crossing);
        }
        return least;
    }

  private:
    bool is_tree(rank_t root, const std::vector<rank_t>& parent) const {
        for (rank_t v = 0; v < ranks; ++v) {
            rank_t at = v;
            for (rank_t i = 0; i < ranks; ++i) at = parent[static_cast<std::size_t>(at)];
            if (at != root) return false;
        }
        return true;
    }
};

/// The least bytes that cross the links, in multiples of M, if data moves over trees.
fraction least_load(const crossings& all, collective what, rank_t root) {
    const bool backward = what == collective::reduce || what == collective::reduce_scatter;
    if (what == collective::broadcast || what == collective::reduce) return all.least_of_trees(root, backward);
    std::int64_t sum = 0, both = 2 * all.ranks;
    for (rank_t r = 0; r < all.ranks; ++r) {
        sum += all.least_of_trees(r, backward);
        both = std::min(both, all.least_of_trees(r, true) + all.least_of_trees(r, false));
    }
    return what == collective::allreduce ? fraction(both) : fraction(sum, all.ranks);
}

std::int64_t capacity(const network& net, rank_t from, rank_t to) {
    std::int64_t sum = 0;
    for (const network::link& one : net.links())
        if (one.from == from && one.to == to) sum += one.bandwidth;
    return sum;
}

/// Cabinets of ranks, each with a medium, and cables between all media.
struct cabinets {
    std::vector<rank_t> sizes;                               ///< ranks per cabinet
    std::int64_t rank = 800, medium = 1000, between = 1000;  ///< bytes per second

    network made() const {
        std::vector<network::link> links;
        const rank_t ranks = std::accumulate(sizes.begin(), sizes.end(), rank_t{0});
        rank_t in = ranks, r = 0;
        for (const rank_t size : sizes) {
            links.push_back({in, in + 1, medium});
            for (const rank_t end = r + size; r < end; ++r)
                links.push_back({r, in, rank}), links.push_back({in + 1, r, rank});
            for (rank_t other = ranks; other < ranks + 2 * std::ssize(sizes); other += 2)
                if (other != in) links.push_back({in + 1, other, between});
            in += 2;
        }
        return {ranks, 2 * std::ssize(sizes), links};
    }
};

network random_cabinets(std::uint64_t seed) {
    collsched::detail::splitmix64 random(seed);
    cabinets some{.sizes = {}};
    for (std::int64_t n = random.between(2, 4); n > 0; --n) some.sizes.push_back(random.between(1, 4));
    some.rank = random.between(1, 20), some.medium = random.between(1, 40), some.between = random.between(1, 40);
    return some.made();
}

constexpr collective bounded[] = {collective::allgather, collective::reduce_scatter, collective::allreduce,
                                  collective::broadcast, collective::reduce};

}  // namespace

TEST_CASE("forwarding_bound: no trees load the links less, and receivers and senders are all that depend on them") {
    int found = 0, equal = 0;
    for (std::uint64_t seed = 0; seed < 300; seed += support::one_of())
        for (const support::network_shape shape : shapes) {
            const network net = support::random_network(seed, shape);
            if (net.ranks() > 5) continue;
            for (const collective what : bounded) {
                const rank_t root = static_cast<rank_t>(seed) % net.ranks();
                const link_bound bound = forwarding_bound(net, what, root);
                REQUIRE_FALSE(bound.error);
                if (bound.bandwidth == fraction(0)) continue;
                INFO(support::drawn(net));
                const crossings all(net, bound.from, bound.to);
                const fraction least = least_load(all, what, root);
                CHECK_FALSE(least < bound.load);
                ++found, equal += least == bound.load ? 1 : 0;
                CHECK(bound.bandwidth ==
                      fraction(capacity(net, bound.from, bound.to) * bound.load.denominator(), bound.load.numerator()));
                std::vector<rank_t> receivers, senders;
                for (rank_t r = 0; r < net.ranks(); ++r) {
                    if (all.is_receiver(r) && !(what == collective::broadcast && r == root)) receivers.push_back(r);
                    if (all.is_sender(r) && !(what == collective::reduce && r == root)) senders.push_back(r);
                }
                CHECK(bound.receivers == owned_array<rank_t>(receivers));
                CHECK(bound.senders == owned_array<rank_t>(senders));
            }
        }
    CHECK(found > 1000 / static_cast<int>(support::one_of()));
    CHECK(equal > found / 2);
    MESSAGE(equal, " of ", found, " equal");
}

TEST_CASE("forwarding_bound: trees of packed forests never exceed it") {
    int packings = 0, below_cuts = 0, attained = 0;
    const auto check_all = [&](const network& net, rank_t root) {
        INFO(support::drawn(net));
        std::vector<rank_t> all;
        for (rank_t r = 0; r < net.ranks(); ++r) all.push_back(r);
        const auto packed_rate = [&](collective what) {
            const bool rooted = what == collective::broadcast || what == collective::reduce;
            const bool backward = what == collective::reduce || what == collective::reduce_scatter;
            const std::span<const rank_t> roots = rooted ? std::span<const rank_t>(&root, 1) : all;
            return trees::pack_forest(backward ? net.reversed() : net, roots).bandwidth;
        };
        for (const collective what : bounded) {
            if (what == collective::allreduce) continue;
            const link_bound bound = forwarding_bound(net, what, root);
            const fraction rate = packed_rate(what);
            if (bound.bandwidth == fraction(0)) continue;
            CHECK_FALSE(bound.bandwidth < rate);
            ++packings;
            if (!(bound.bandwidth < topology::throughput_bound(net, what, root).bandwidth)) continue;
            ++below_cuts;
            attained += rate == bound.bandwidth ? 1 : 0;
        }
        // An allreduce may be a reduce_scatter and then an allgather.
        const double gathered = packed_rate(collective::allgather).value(),
                     scattered = packed_rate(collective::reduce_scatter).value();
        const link_bound bound = forwarding_bound(net, collective::allreduce);
        if (bound.bandwidth == fraction(0) || gathered == 0 || scattered == 0) return;
        CHECK(1 / bound.bandwidth.value() < (1 / gathered + 1 / scattered) * (1 + 1e-12));
    };
    for (std::uint64_t seed = 0; seed < 200; seed += support::one_of()) {
        for (const support::network_shape shape : shapes) {
            const network net = support::random_network(seed, shape);
            check_all(net, static_cast<rank_t>(seed) % net.ranks());
        }
        const network net = random_cabinets(seed);
        check_all(net, static_cast<rank_t>(seed) % net.ranks());
    }
    const int part = static_cast<int>(support::one_of());
    CHECK(packings > 1000 / part);
    CHECK(below_cuts > 200 / part);
    MESSAGE(below_cuts, " of ", packings, " below the cuts, ", attained, " of these attained");
}

TEST_CASE("forwarding_bound: media of cabinets carry a message for each rank behind them") {
    const network net = cabinets{.sizes = {4, 4, 4}}.made();
    const link_bound bound = forwarding_bound(net, collective::allgather);
    // 4 ranks receive 11/12 M, and 4/12 M leaves.
    CHECK(bound.load == fraction(4));
    CHECK(bound.bandwidth == fraction(250));
    CHECK(bound.from == 12);
    CHECK(bound.to == 13);
    CHECK(bound.receivers == owned_array<rank_t>(std::vector<rank_t>{0, 1, 2, 3}));
    CHECK(bound.senders == bound.receivers);
    CHECK(forwarding_bound(net, collective::reduce_scatter).bandwidth == fraction(250));
    // The first cabinet of the root: three others receive, and the message leaves once.
    CHECK(forwarding_bound(net, collective::broadcast, 5).bandwidth == fraction(250));
    CHECK(forwarding_bound(net, collective::reduce, 5).bandwidth == fraction(250));
    CHECK(forwarding_bound(net, collective::allreduce).load == fraction(6));
    CHECK(topology::throughput_bound(net, collective::allgather).bandwidth == fraction(9600, 11));
}

TEST_CASE("forwarding_bound: the cable of a rank receives what the cut of the rank needs") {
    const network net = topology::networks::leaf_spine(
        {.leaves = 2, .ranks_per_leaf = 4, .spines = 2, .uplinks = 1, .rank_cable = {60}, .uplink_cable = {240}});
    CHECK(forwarding_bound(net, collective::allgather).bandwidth == fraction(60 * 8, 7));
    CHECK(forwarding_bound(net, collective::allgather).bandwidth ==
          topology::throughput_bound(net, collective::allgather).bandwidth);
    CHECK(forwarding_bound(net, collective::broadcast, 2).bandwidth == fraction(60));
}

TEST_CASE("forwarding_bound: no links decide where each rank has two paths") {
    const link_bound bound = forwarding_bound(topology::networks::ring(5, {7}), collective::allgather);
    CHECK_FALSE(bound.error);
    CHECK(bound.bandwidth == fraction(0));
    CHECK(bound.receivers.empty());
}

TEST_CASE("forwarding_bound: parallel links are one") {
    const std::vector<network::link> links{{0, 2, 5}, {0, 2, 6}, {2, 1, 9}, {2, 1, 9}, {1, 2, 30}, {2, 0, 30}};
    const link_bound bound = forwarding_bound(network(2, 1, links), collective::broadcast, 0);
    CHECK(bound.bandwidth == fraction(11));
    CHECK(bound.from == 0);
    CHECK(bound.to == 2);
    CHECK(bound.load == fraction(1));
}

TEST_CASE("forwarding_bound: errors") {
    const network net = topology::networks::ring(3, {7});
    const auto error_of = [](const network& one, collective what, rank_t root = 0) {
        const link_bound bound = forwarding_bound(one, what, root);
        CHECK((bound.bandwidth == fraction(0) && bound.load == fraction(0) && bound.from == 0 && bound.to == 0));
        CHECK((bound.receivers.empty() && bound.senders.empty()));
        return bound.error;
    };
    for (const rank_t root : {-1, 3})
        CHECK(error_of(net, collective::broadcast, root) == argument_error{"root", root, "0 to ranks-1"});
    CHECK(error_of(net, collective::alltoall) ==
          argument_error{"collective", static_cast<std::int64_t>(collective::alltoall),
                         "allgather, reduce_scatter, broadcast, reduce or allreduce"});
    CHECK(error_of(network(1, 0, {}), collective::allgather) == argument_error{"ranks", 1, "2 or more"});
    CHECK(error_of(network(0, 0, {}), collective::allgather) == network(0, 0, {}).check());
    const std::vector<network::link> large{{0, 1, INT64_MAX - 1}, {0, 1, 5}, {1, 0, 1}};
    CHECK(error_of(network(2, 0, large), collective::allgather) ==
          argument_error{"bandwidth", 0, "links from a vertex to another one below 2^63"});
}

TEST_CASE("forwarding_bound: the bound is the least one of all links, by the definition") {
    const auto is_part = [](const std::vector<rank_t>& some, const std::vector<rank_t>& all) {
        return std::ranges::all_of(some, [&](rank_t r) { return std::ranges::find(all, r) != all.end(); });
    };
    for (std::uint64_t seed = 0; seed < 60; ++seed)
        for (const support::network_shape shape : shapes) {
            const network net = support::random_network(seed, shape);
            const std::int64_t ranks = net.ranks(), root = static_cast<rank_t>(seed) % ranks;
            fraction gathered = 0, sent = 0, reduced = 0;  // bounds; 0: no links decide
            const auto lower = [](fraction& bound, std::int64_t rate, std::int64_t load, std::int64_t parts = 1) {
                if (load > 0 && (bound == fraction(0) || fraction(rate * parts, load) < bound))
                    bound = fraction(rate * parts, load);
            };
            for (rank_t from = 0; from < net.vertices(); ++from)
                for (rank_t to = 0; to < net.vertices(); ++to) {
                    const std::int64_t rate = capacity(net, from, to);
                    if (rate == 0) continue;
                    const crossings all(net, from, to);
                    std::vector<rank_t> receivers, senders, others;
                    bool both = false;
                    for (rank_t r = 0; r < ranks; ++r) {
                        if (all.is_receiver(r)) receivers.push_back(r);
                        if (all.is_receiver(r) && r != root) others.push_back(r);
                        if (all.is_sender(r)) senders.push_back(r);
                        both = both || (all.is_receiver(r) && all.is_sender(r));
                    }
                    const std::int64_t r = std::ssize(receivers), s = std::ssize(senders);
                    const bool some = s > 0 && s < ranks, leave = some && is_part(receivers, senders);
                    const bool root_leaves = some && is_part({root}, senders) && is_part(others, senders);
                    lower(gathered, rate, r * (ranks - 1) + (leave ? s : 0), ranks);
                    lower(sent, rate, std::ssize(others) + (root_leaves ? 1 : 0));
                    const std::int64_t first = both ? 2 : r + s > 0 ? 1 : 0;
                    lower(reduced, rate, std::max(r + (leave ? 1 : 0), r + s - first));
                }
            INFO(support::drawn(net));
            CHECK(forwarding_bound(net, collective::allgather).bandwidth == gathered);
            CHECK(forwarding_bound(net, collective::broadcast, root).bandwidth == sent);
            CHECK(forwarding_bound(net, collective::allreduce).bandwidth == reduced);
            CHECK(forwarding_bound(net.reversed(), collective::reduce_scatter).bandwidth == gathered);
            CHECK(forwarding_bound(net.reversed(), collective::reduce, root).bandwidth == sent);
        }
}
