#include "collsched/collective/alltoall/grouping.hpp"
#include "support/brief.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

using namespace collsched;
using alltoall::grouping;

namespace {

/// The sub-rounds by the definition of the paper: lists of active nodes, lists of targets.
std::vector<std::vector<std::vector<rank_t>>> spelled_out(rank_t p, rank_t group) {
    std::vector<std::vector<std::vector<rank_t>>> rounds;  // [sub-round][position] = targets
    for (rank_t first = 0; first < p; first += group) {
        std::vector<rank_t> active, others;
        for (rank_t i = 0; i < group && first + i < p; ++i) active.push_back(first + i);
        for (rank_t n = static_cast<rank_t>(active.size()); n < p; ++n) others.push_back((first + n) % p);
        const std::size_t a = active.size();
        std::vector<std::vector<rank_t>> sets(a);
        for (std::size_t n = 0; n < others.size(); ++n) sets[n % a].push_back(others[n]);
        for (std::size_t i = 0; i < a; ++i) sets[i].push_back(active[(i + 1) % a]);
        for (std::size_t turn = 0; turn < a; ++turn) {
            rounds.emplace_back(static_cast<std::size_t>(p));
            for (std::size_t i = 0; i < a; ++i)
                rounds.back()[static_cast<std::size_t>(active[i])] = sets[(i + turn) % a];
        }
    }
    return rounds;
}

}  // namespace

TEST_CASE("alltoall::grouping: equals the definition of the paper for every p up to 64 and every group") {
    for (rank_t p = 1; p <= support::most(64); ++p)
        for (rank_t group = 1; group <= p; ++group) {
            CAPTURE(p);
            CAPTURE(group);
            const grouping g{p, group};
            const auto wanted = spelled_out(p, group);
            REQUIRE(g.steps() == static_cast<step_t>(wanted.size()));
            bool same = true;
            for (step_t k = 0; k < g.steps(); ++k)
                for (rank_t v = 0; v < p; ++v) {
                    std::vector<rank_t> targets;
                    g.targets(v, k, [&](rank_t to) { targets.push_back(to); });
                    same = same && targets == wanted[static_cast<std::size_t>(k)][static_cast<std::size_t>(v)];
                }
            CHECK(same);
        }
}

TEST_CASE(
    "alltoall::grouping: every ordered pair meets once, no rank receives two messages, at most `group` ranks send") {
    for (rank_t p = 1; p <= support::most(64); ++p)
        for (rank_t group = 1; group <= p; ++group) {
            CAPTURE(p);
            CAPTURE(group);
            const grouping g{p, group};
            const auto n = static_cast<std::size_t>(p);
            std::vector<int> met(n * n);
            bool balanced = true, agreed = true;
            for (step_t k = 0; k < g.steps(); ++k) {
                std::vector<int> received(n);
                rank_t senders = 0, most = 0;
                for (rank_t v = 0; v < p; ++v) {
                    rank_t sent = 0;
                    g.targets(v, k, [&](rank_t to) {
                        ++met[static_cast<std::size_t>(v * p + to)];
                        ++received[static_cast<std::size_t>(to)];
                        agreed = agreed && g.source(to, k) == v;
                        ++sent;
                    });
                    senders += sent > 0 ? 1 : 0;
                    most = sent > most ? sent : most;
                    balanced = balanced && (sent > 0) == g.is_active(v, k);
                }
                for (const int times : received) balanced = balanced && times == 1;  // itself at times
                const rank_t active = g.at(k).active;
                balanced = balanced && senders == active && active <= group && most == (p - 1) / active + 1;
            }
            CHECK(balanced);
            CHECK(agreed);
            for (const int times : met) REQUIRE(times == 1);
        }
}

TEST_CASE("alltoall::grouping: the last group holds the remaining ranks") {
    constexpr grouping g{7, 3};
    static_assert(g.at(0) == grouping::round{0, 3, 0} && g.at(5) == grouping::round{3, 3, 2});
    static_assert(g.at(6) == grouping::round{6, 1, 0});
    CHECK(grouping{7, 0}.check() == argument_error{"group", 0, "1 to ranks"});
    CHECK(grouping{7, 8}.check() == argument_error{"group", 8, "1 to ranks"});
    CHECK(!grouping{7, 7}.check());
}
