#include "collsched/tree/planned_tree.hpp"

#include <doctest/doctest.h>

#include "collsched/tree/k_nomial.hpp"
#include "collsched/tree/chain.hpp"
#include "support/brief.hpp"
#include "support/trees.hpp"

using namespace collsched;
using trees::logp_optimal;

static_assert(support::broken_law(logp_optimal(17, 6, 2, 4), 17) == nullptr);

namespace {

using time = std::int64_t;

/// The time when the last rank has the message: a sender starts one every max(g, o), a message takes L + 2o.
template <rooted_tree T>
time completion(const T& t, rank_t p, time L, time o, time g) {
    std::vector<time> ready(static_cast<std::size_t>(p));
    std::vector<rank_t> order{0};
    time last = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        time start = ready[static_cast<std::size_t>(order[i])];
        for (step_t k = 0; k < t.steps(p); ++k)
            if (const rank_t to = t.child(p, order[i], k); to >= 0) {
                order.push_back(to);
                const time arrival = ready[static_cast<std::size_t>(to)] = start + L + 2 * o;
                last = arrival > last ? arrival : last;
                start += g > o ? g : o;
            }
    }
    return last;
}

/// The earliest completion of any tree, for 1 .. most ranks: the first send splits the ranks into those of the child and those of
/// the sender, which continues after max(g, o).
std::vector<time> soonest(rank_t most, time L, time o, time g) {
    std::vector<time> best(static_cast<std::size_t>(most) + 1);
    for (std::size_t p = 2; p < best.size(); ++p) {
        best[p] = INT64_MAX;
        for (std::size_t child = 1; child < p; ++child) {
            const time there = L + 2 * o + best[child];
            const time here = child + 1 == p ? 0 : (g > o ? g : o) + best[p - child];
            best[p] = std::min(best[p], std::max(there, here));
        }
    }
    return best;
}

}  // namespace

TEST_CASE("trees::logp_optimal: no tree completes earlier") {
    for (time L = 0; L <= 5; ++L)
        for (time o = 0; o <= 3; ++o)
            for (time g = 0; g <= 4; ++g) {
                const std::vector<time> best = soonest(40, L, o, g);
                for (rank_t p = 1; p <= support::most(40); ++p) {
                    CAPTURE(p);
                    const trees::planned_tree t = logp_optimal(p, L, o, g);
                    CHECK(support::fault(support::broken_law(t, p), p) == "");
                    CHECK(completion(t, p, L, o, g) == best[static_cast<std::size_t>(p)]);
                }
            }
}

TEST_CASE("trees::logp_optimal: eight ranks, L = 6, o = 2, g = 4 complete at 24, as in the LogP paper") {
    const trees::planned_tree t = logp_optimal(8, 6, 2, 4);
    CHECK(t.planner() == std::string("logp-optimal"));
    CHECK(completion(t, 8, 6, 2, 4) == 24);
    CHECK(support::drawn(t, 8) == "0>1; 0>2 1>4; 0>3 1>6 2>7; 0>5");
}

TEST_CASE("trees::logp_optimal: special cases of L, o and g") {
    for (rank_t p = 1; p <= support::most(300); ++p) {
        CAPTURE(p);
        // A message takes as long as its sender: every rank sends all the time.
        CHECK(support::same_answers(logp_optimal(p, 7, 0, 7), trees::binomial_doubling{}, p));
        // The root is done before the first child could help; and at no cost, the lowest rank is always free.
        CHECK(support::same_answers(logp_optimal(p, 1000, 1, 2), trees::flat{}, p));
        CHECK(support::same_answers(logp_optimal(p, 0, 0, 0), trees::flat{}, p));
    }
    // L = 0, o = g = 1: the ranks reached by time t are the Fibonacci numbers, 1 1 2 3 5 for t = 0 .. 4.
    for (time t = 2, reached = 2, before = 1; reached < 5000; ++t) {
        CHECK(completion(logp_optimal(reached, 0, 1, 1), reached, 0, 1, 1) == t);
        CHECK(completion(logp_optimal(reached + 1, 0, 1, 1), reached + 1, 0, 1, 1) == t + 1);
        const time sum = reached + before;
        before = reached;
        reached = sum;
    }
}

TEST_CASE("trees::logp_optimal: ties go to the lowest rank, which gives the same tree everywhere") {
    const rank_t p = 2000;
    const trees::planned_tree t = logp_optimal(p, 3, 1, 2);
    std::vector<time> free(static_cast<std::size_t>(p), INT64_MAX);
    free[0] = 0;
    for (rank_t child = 1; child < p; ++child) {
        const auto sender = std::min_element(free.begin(), free.end());
        CHECK(t.parent(p, child) == sender - free.begin());
        free[static_cast<std::size_t>(child)] = *sender + 5;
        *sender += 2;
    }
}

TEST_CASE("trees::logp_optimal: wrong parameters are reported") {
    CHECK(support::complaint(logp_optimal(0, 1, 1, 1).check(0)) == "ranks: got 0, expected 1 or more");
    CHECK(support::complaint(logp_optimal(2, -1, 1, 1).check(2)) == "L: got -1, expected 0 or more");
    CHECK(support::complaint(logp_optimal(2, 1, -1, 1).check(2)) == "o: got -1, expected 0 or more");
    CHECK(support::complaint(logp_optimal(2, 1, 1, -1).check(2)) == "g: got -1, expected 0 or more");
    CHECK(support::complaint(logp_optimal(2, INT64_MAX, 1, 1).check(2)).starts_with("L: got "));
    CHECK(support::complaint(logp_optimal(4, 2, 1, INT64_MAX / 4).check(4)).starts_with("L: got "));
    CHECK(!logp_optimal(4, 1, 1, INT64_MAX / 4).check(4));
}
