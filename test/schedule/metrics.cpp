#include "collsched/schedule/metrics.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "collsched/collective/allgather/recursive_doubling.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/execute/plan.hpp"
#include "support/samples.hpp"
#include "support/small_schedules.hpp"

using namespace collsched;

TEST_CASE("metrics: metrics equal a count over the edge list") {
    for (rank_t p = 1; p <= 12; ++p)
        for (const auto& [name, s] : support::samples(p)) {
            CAPTURE(name);
            const metrics_report m = metrics(s);
            const auto n = static_cast<std::size_t>(p);
            std::set<step_t> rounds;
            std::set<std::vector<std::int64_t>> messages;
            std::vector<std::set<rank_t>> peers(n);
            std::map<std::pair<step_t, rank_t>, std::set<rank_t>> into, outof;
            std::vector<bytes_t> sent(n), received(n), copied(n), copies(n);
            std::int64_t distance = 0, transfers = 0, signals = 0;
            const stored_schedule stored = materialize(s);
            for (const edge& e : stored.edges()) {
                const auto a = static_cast<std::size_t>(e.src), b = static_cast<std::size_t>(e.dst);
                if (e.is_local()) {
                    copied[a] += e.size;
                    ++copies[a];
                    continue;
                }
                ++transfers;
                if (e.size == 0) ++signals;
                rounds.insert(e.step);
                if (messages.insert({e.step, e.src, e.dst}).second) distance += std::abs(e.src - e.dst);
                peers[a].insert(e.dst);
                peers[b].insert(e.src);
                into[{e.step, e.dst}].insert(e.src);
                outof[{e.step, e.src}].insert(e.dst);
                sent[a] += e.size;
                received[b] += e.size;
            }
            CHECK(m.steps == s.steps());
            CHECK(m.rounds == static_cast<step_t>(rounds.size()));
            CHECK(m.messages == static_cast<std::int64_t>(messages.size()));
            CHECK(m.transfers == transfers);
            CHECK(m.ranks == p);
            CHECK(m.signals == signals);
            CHECK(m.bounds == bounds_of(s.contract()));
            CHECK(m.volume() == std::max(*std::ranges::max_element(sent), *std::ranges::max_element(received)));
            CHECK(m.alcd() * static_cast<double>(m.messages) == doctest::Approx(static_cast<double>(distance)));
            CHECK(m.distance == distance);
            std::int64_t most_in = 0, most_out = 0;
            for (const auto& [cell, others] : into) most_in = std::max(most_in, std::ssize(others));
            for (const auto& [cell, others] : outof) most_out = std::max(most_out, std::ssize(others));
            CHECK(m.max_in_degree == most_in);
            CHECK(m.max_out_degree == most_out);
            for (rank_t r = 0; r < p; ++r) {
                const auto i = static_cast<std::size_t>(r);
                CHECK(m.bytes_sent[r] == sent[i]);
                CHECK(m.bytes_received[r] == received[i]);
                CHECK(m.copies[r] == copies[i]);
                CHECK(m.copied_bytes[r] == copied[i]);
                CHECK(m.connections[r] == std::ssize(peers[i]));
                CHECK(m.scratch[r] == s.scratch(r));
                for (const binding how : support::bindings(s.contract())) {
                    const plan own(s, r, how);
                    CHECK(m.staging[r] >= own.staging_bytes());
                    if (std::ranges::none_of(own.nodes(), &plan::node::is_folded))
                        CHECK(m.staging[r] == own.staging_bytes());
                }
            }
            // The bound is for one port; with several at a time, a round reaches so many times more.
            const auto reach = static_cast<double>(1 + std::max(most_in, most_out));
            CHECK((m.bounds.rounds == 0 || std::pow(reach, m.rounds) > std::pow(2, m.bounds.rounds - 1)));
        }
}

TEST_CASE("metrics: counts beyond 64 bits are rejected, not wrapped") {
    constexpr bytes_t block = 1537228672809129301;  // six of them are just below 2^63
    CHECK(!check(allgather::recursive_doubling{.ranks = 6, .block = block}));
    CHECK_THROWS_WITH(
        metrics(allgather::recursive_doubling{.ranks = 6, .block = block}),
        "block: got 1537228672809129301, expected sizes of which no rank sends, receives or copies 2^63 bytes");
    CHECK(metrics(allgather::ring{.ranks = 6, .block = block}).bytes_sent[0] == 5 * block);
}

TEST_CASE("metrics: sums beyond 64 bits name the argument of their collective, with its first value") {
    const char* const range = "sizes of which no rank sends, receives or copies 2^63 bytes";
    const auto error_of = [](const auto& x) {
        try {
            metrics(x);
        } catch (const bad_argument& thrown) {
            return thrown.error();
        }
        return argument_error{};
    };
    constexpr bytes_t large = (bytes_t{1} << 62) + 1;
    const auto twice = [](const contract& contract) {
        const edge e{.src = 0, .dst = 1, .size = large};
        return support::by_hand(contract, 1, {e, e});
    };
    CHECK(error_of(twice({.collective = collective::broadcast, .ranks = 2, .bytes = large})) ==
          argument_error{"bytes", large, range});
    CHECK(error_of(twice({.collective = collective::alltoall, .ranks = 2, .blocks = block_matrix(5)})) ==
          argument_error{"block", 5, range});
    const std::vector<bytes_t> counts{1, 2, 3, 4};
    CHECK(error_of(twice({.collective = collective::alltoall, .ranks = 2, .blocks = block_matrix(counts)})) ==
          argument_error{"matrix", 1, range});
    CHECK(error_of(twice({.collective = collective::gather, .ranks = 2, .blocks = block_layout::partition(3, 2)})) ==
          argument_error{"block", 2, range});
    const edge copied{.src = 1, .dst = 1, .size = large};
    CHECK(error_of(support::by_hand({.ranks = 2}, 1, {copied, copied})) == argument_error{"bytes", 0, range});
    CHECK_THROWS_WITH(metrics(allgather::ring{.ranks = 0}), "ranks: got 0, expected 1 or more");
}

TEST_CASE("metrics: the volume is the largest entry of bytes sent and received, of any rank") {
    for (rank_t p = 1; p <= 5; ++p)
        for (rank_t busy = 0; busy < p; ++busy)
            for (const bool sends : {true, false}) {
                metrics_report m;
                m.ranks = p;
                m.bytes_sent = owned_array<bytes_t>(p);
                m.bytes_received = owned_array<bytes_t>(p);
                for (rank_t r = 0; r < p; ++r) m.bytes_sent[r] = m.bytes_received[r] = 1;
                (sends ? m.bytes_sent : m.bytes_received)[busy] = 7;
                CHECK(m.volume() == 7);
            }
}

TEST_CASE("metrics: a report has zero counts by default") {
    constexpr metrics_report none{};
    static_assert(none.ranks == 0 && none.steps == 0 && none.rounds == 0 && none.messages == 0);
    static_assert(none.transfers == 0 && none.signals == 0 && none.distance == 0);
    static_assert(none.max_in_degree == 0 && none.max_out_degree == 0 && none.bounds == contract::lower_bounds{0, 0});
    static_assert(none.volume() == 0 && none.alcd() == 0);
}
