#include "collsched/verify/verify.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/circulant.hpp"
#include "collsched/collective/allgather/recursive_doubling.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/collective/barrier/dissemination.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/exscan/recursive_doubling.hpp"
#include "collsched/collective/gather/over_tree.hpp"
#include "collsched/collective/reduce/reversals.hpp"
#include "collsched/collective/reduce_scatter/reversals.hpp"
#include "collsched/collective/scan/recursive_doubling.hpp"
#include "collsched/collective/scatter/over_tree.hpp"
#include "support/archetypes.hpp"
#include "support/brief.hpp"
#include "support/samples.hpp"
#include "support/small_schedules.hpp"

using namespace collsched;

// Within clang's default limit of steps: 32 ranks of algorithms with O(p log p) edges.
#ifdef __clang__
static_assert(verify(barrier::dissemination{.ranks = 32}).ok());
static_assert(verify(broadcast::over_tree<trees::binomial>{.ranks = 32, .bytes = 8}).ok());
static_assert(verify(scatter::over_tree<trees::binomial>{.ranks = 32, .block = 4}).ok());
static_assert(verify(gather::over_tree<trees::binomial>{.ranks = 32, .block = 4}).ok());
static_assert(verify(reduce::over_tree<trees::binomial>{.ranks = 32, .bytes = 8}).ok());
static_assert(verify(allgather::recursive_doubling{.ranks = 32, .block = 4}).ok());
static_assert(verify(allgather::bruck{.ranks = 32, .block = 4}).ok());
static_assert(verify(allgather::circulant{.ranks = 32, .block = 4}).ok());
static_assert(verify(reduce_scatter::recursive_halving{.ranks = 32, .block = 4}).ok());
static_assert(verify(reduce_scatter::circulant{.ranks = 32, .block = 4}).ok());
static_assert(verify(allreduce::recursive_doubling{.ranks = 32, .bytes = 64}).ok());
static_assert(verify(scan::recursive_doubling{.ranks = 32, .bytes = 8}).ok());
static_assert(verify(exscan::recursive_doubling{.ranks = 32, .bytes = 8}).ok());
#endif

namespace {

/// Rank 2 expects its bytes a step later than they are sent.
struct late_listener : support::flat_broadcast {
    constexpr step_t steps() const { return 2; }
    constexpr void sends(rank_t r, step_t k, auto f) const {
        if (k == 0) support::flat_broadcast::sends(r, k, f);
    }
    constexpr void receives(rank_t r, step_t k, auto f) const {
        if (k == (r == 2 ? 1 : 0)) support::flat_broadcast::receives(r, k, f);
    }
};
/// next() leaves out the step in which rank 2 receives.
struct sleeper : support::flat_broadcast {
    constexpr step_t next(rank_t r, step_t k) const { return r == 2 ? steps() : k; }
};
/// next() goes backwards.
struct stuck : support::flat_broadcast {
    constexpr step_t next(rank_t, step_t) const { return -1; }
};
/// A schedule that passes an edge of another rank.
struct impostor : support::flat_broadcast {
    constexpr void sends(rank_t r, step_t k, auto f) const {
        support::flat_broadcast::sends(0, k, f);
        (void)r;
    }
};
/// A target that is no rank.
struct stray : support::flat_broadcast {
    constexpr void sends(rank_t r, step_t, auto f) const {
        if (r == 0) f(edge{.dst = ranks, .size = bytes});
    }
};

/// An edge with a change.
template <class Change>
struct changed : support::flat_broadcast {
    constexpr void sends(rank_t r, step_t k, auto f) const {
        support::flat_broadcast::sends(r, k, [&](edge e) {
            if (e.dst == 2) Change{}(e);
            f(static_cast<const edge&>(e));
        });
    }
};
struct longer {
    constexpr void operator()(edge& e) const { e.size = 2; }
};
struct negative {
    constexpr void operator()(edge& e) const { e.size = -1; }
};
struct to_nobody {
    constexpr void operator()(edge& e) const { e.dst = -1; }
};
struct at_another_step {
    constexpr void operator()(edge& e) const { e.step = 1; }
};
struct from_no_buffer {
    constexpr void operator()(edge& e) const { e.from = static_cast<buffer>(3); }
};
struct into_no_buffer {
    constexpr void operator()(edge& e) const { e.into = static_cast<buffer>(3); }
};
struct without_action {
    constexpr void operator()(edge& e) const { e.action = static_cast<action>(3); }
};
/// Rank 2 is sent nothing, and expects its bytes.
struct forgetful : support::flat_broadcast {
    constexpr void sends(rank_t r, step_t k, auto f) const {
        support::flat_broadcast::sends(r, k, [&](const edge& e) {
            if (e.dst != 2) f(e);
        });
    }
};
/// next() passes over the step in which rank 2 receives, and names a later one.
struct late_riser : support::flat_broadcast {
    constexpr step_t steps() const { return 2; }
    constexpr step_t next(rank_t r, step_t k) const { return r == 2 && k < 1 ? 1 : k; }
    constexpr void sends(rank_t r, step_t k, auto f) const {
        if (k == 0) support::flat_broadcast::sends(r, k, f);
    }
    constexpr void receives(rank_t r, step_t k, auto f) const {
        if (k == 0) support::flat_broadcast::receives(r, k, f);
    }
};

template <class S>
verdict judged(S) {
    return verify(S{{.ranks = 4, .bytes = 3}});
}

}  // namespace

namespace {

/// A broadcast down a chain in two halves per message, the second half first.
struct descending_halves {
    rank_t ranks = 1;
    bytes_t bytes = 8;

    static constexpr algorithm_info info{.collective = collective::broadcast, .name = "descending-halves"};
    constexpr step_t steps() const { return ranks; }
    constexpr void targets(rank_t r, step_t k, auto f) const {
        if (k == r + 1 && k < ranks) f(k);
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        if (k == r && k > 0) f(k - 1);
    }
    constexpr void transfers(rank_t src, rank_t, step_t, auto f) const {
        const buffer from = src == 0 ? buffer::input : buffer::output;
        for (const bytes_t half : {bytes / 2, bytes_t{0}})
            f(edge{.from_offset = half, .into_offset = half, .size = bytes / 2, .from = from});
    }
    constexpr void local(rank_t r, step_t k, auto f) const {
        if (r == 0 && k == 0) f(edge{.size = bytes});
    }
    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks);
        f("bytes", self.bytes);
    }
};

}  // namespace

TEST_CASE("verify: every algorithm is correct at p = 1 .. 64 and further in long runs, all layouts, both bindings") {
    const bool full = support::long_run();
    const rank_t most = full ? 300 : support::brief() ? 20 : 64, dense = full ? 128 : 40, stride = full ? 29 : 7;
    for (rank_t p = 1; p <= most; p += p < dense ? 1 : stride)
        for (const auto& [name, schedule] : support::samples(p))
            for (const binding how : support::bindings(schedule.contract())) {
                const verdict v = verify(schedule, how);
                INFO(name, " ", name_of(v.finding), " step ", v.step, " rank ", v.rank);
                REQUIRE(v.ok());
            }
}

TEST_CASE("verify: schedules whose members contradict each other are rejected") {
    CHECK(verify(support::flat_broadcast{.ranks = 4, .bytes = 3}).ok());
    CHECK(judged(late_listener{}) == verdict{verdict::kind::unmatched, 0, 2, buffer::output, 0});
    CHECK(judged(sleeper{}) == verdict{verdict::kind::unmatched, 1, 2, buffer::output, 1});
    CHECK(judged(late_riser{}) == verdict{verdict::kind::unmatched, 2, 2, buffer::output, 1});
    CHECK(judged(forgetful{}) == verdict{verdict::kind::unmatched, 0, 2, buffer::output, 0});
    CHECK(judged(changed<longer>{}) == verdict{verdict::kind::unmatched, 0, 2, buffer::output, 0});
    CHECK(judged(stuck{}) == verdict{verdict::kind::bad_edge, 0, 0});
    CHECK(judged(impostor{}) == verdict{verdict::kind::bad_edge, 0, 1});
    CHECK(judged(stray{}) == verdict{verdict::kind::bad_edge, 0, 0});
    CHECK(judged(changed<negative>{}) == verdict{verdict::kind::bad_edge, 0, 0});
    CHECK(judged(changed<to_nobody>{}) == verdict{verdict::kind::bad_edge, 0, 0});
    CHECK(judged(changed<at_another_step>{}) == verdict{verdict::kind::bad_edge, 0, 0});
    CHECK_THROWS(judged(changed<from_no_buffer>{}));
    CHECK_THROWS(judged(changed<into_no_buffer>{}));
    CHECK_THROWS(judged(changed<without_action>{}));
}

TEST_CASE("verify: edges that are generated again, for lack of memory, are those that were kept") {
    const auto same = [](const auto& x) {
        const auto& s = lower(x);
        return detail::schedule_ref::visit(s, [](const detail::schedule_ref& any) {
            detail::schedule_edges kept, again(0);
            REQUIRE(kept.collect(any).ok());
            REQUIRE(again.collect(any).ok());
            CHECK(again.match(any).ok());
            return kept.edges() == again.edges() && !kept.edges().empty() && !again.unknown();
        });
    };
    for (const rank_t p : {2, 5, 8}) {
        CHECK(same(allgather::bruck{.ranks = p, .block = 3}));
        CHECK(same(exscan::recursive_doubling{.ranks = p, .bytes = 8}));
        CHECK(same(broadcast::over_tree<trees::binomial>{.ranks = p, .bytes = 6, .segment = 2}));
        CHECK(same(descending_halves{.ranks = p}));
    }
}

TEST_CASE("verify: a barrier without a signal names the rank that misses it, and the rank that it is from") {
    const stored_schedule whole = support::dissemination_barrier(4);
    const std::vector<edge> first(whole.edges().begin(), whole.edges().begin() + 4);
    CHECK(verify(support::by_hand({.collective = collective::barrier, .ranks = 4}, 2, first)) ==
          verdict{verdict::kind::missing_signal, 2, 0, buffer::output, 1});
}

TEST_CASE("verify: wrong parameters throw") {
    CHECK_THROWS_WITH(verify(allgather::ring{.ranks = 0}), "ranks: got 0, expected 1 or more");
    CHECK_THROWS_WITH(verify(allgather::bruck{.ranks = 4, .block = -1}), "block: got -1, expected 0 bytes or more");
}

TEST_CASE("verify: sizes far beyond memory are proved too") {
    for (const algorithm_entry& entry : support::registered_at(9))
        CHECK(verify(entry.make({.ranks = 9, .block = std::int64_t{1} << 55, .bytes = std::int64_t{1} << 58})).ok());
}

TEST_CASE("verify: a schedule may name the edges of a message in any order") {
    for (const rank_t p : {2, 3, 5, 8}) CHECK(verify(descending_halves{.ranks = p}).ok());
    static_assert(proved<verify(descending_halves{.ranks = 5})>);
}
