#include "collsched/schedule/detail/edge_schedule.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "collsched/collective/algorithm_list.hpp"
#include "collsched/schedule/metrics.hpp"
#include "collsched/verify/verify.hpp"
#include "support/block_counts.hpp"
#include "support/small_schedules.hpp"

using namespace collsched;

namespace {

/// An edge algorithm with the least that the concept requires: in step k every rank signals the rank at distance 2^k.
struct dissemination {
    rank_t ranks = 1;

    static constexpr algorithm_info info{.collective = collective::barrier, .name = "dissemination"};
    constexpr step_t steps() const {
        step_t count = 0;
        while (rank_t{1} << count < ranks) ++count;
        return count;
    }
    constexpr void targets(rank_t r, step_t k, auto f) const { f((r + (rank_t{1} << k)) % ranks); }
    constexpr void sources(rank_t r, step_t k, auto f) const { f((r - (rank_t{1} << k) + ranks) % ranks); }
    constexpr void transfers(rank_t, rank_t, step_t, auto f) const { f(edge{}); }
    static constexpr void parameters(auto& self, auto f) { f("ranks", self.ranks); }
};

/// Everything optional: rank 0 combines the inputs of the others after its own, rank r's in step r + 1; step 1 has
/// no edges, and the others keep a copy in scratch in the end.
struct slow_reduce {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;
    step_t window = 2;

    static constexpr algorithm_info info{.collective = collective::reduce, .name = "slow-reduce"};
    constexpr step_t steps() const { return ranks + 1; }
    constexpr step_range active(rank_t r) const { return {r == 0 ? 0 : r + 1, ranks}; }
    constexpr void targets(rank_t r, step_t k, auto f) const {
        if (r > 0 && k == r + 1) f(rank_t{0});
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        if (r == 0 && k > 1) f(k - 1);
    }
    constexpr void transfers(rank_t, rank_t, step_t, auto f) const {
        const bytes_t half = bytes / element / 2 * element;
        f(edge{.size = half, .into = buffer::output, .action = action::combine_after});
        f(edge{.from_offset = half, .into_offset = half, .size = bytes - half, .action = action::combine_after});
    }
    constexpr void local(rank_t r, step_t k, auto f) const {
        if (r == 0 && k == 0) f(edge{.size = bytes});
        if (r > 0 && k == ranks) f(edge{.size = bytes, .into = buffer::scratch});
    }
    constexpr bytes_t scratch(rank_t r) const { return r == 0 ? 0 : bytes; }
    constexpr argument_error check() const {
        return bytes > 100 ? argument_error{"bytes", bytes, "100 or less"} : argument_error{};
    }
    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks);
        f("bytes", self.bytes);
        f("element", self.element);
        f("window", self.window);
    }
};

/// Like slow_reduce, but in one step.
struct sudden_reduce : slow_reduce {
    constexpr step_t steps() const { return ranks > 1 ? 2 : 1; }
    constexpr step_range active(rank_t) const { return {0, 1}; }
    constexpr void targets(rank_t r, step_t k, auto f) const {
        if (r > 0 && k == 1) f(rank_t{0});
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        for (rank_t src = 1; r == 0 && k == 1 && src < ranks; ++src) f(src);
    }
    constexpr void local(rank_t r, step_t k, auto f) const {
        if (r == 0 && k == 0) f(edge{.size = bytes});
    }
};

/// Like the archetype, but without transfers().
struct speechless : dissemination {
    template <class F>
    void transfers(rank_t, rank_t, step_t, F) const = delete;
};
/// Like the archetype, but without a description.
struct nameless : dissemination {
    void info() const;
};

}  // namespace

TEST_CASE("edge_schedule: the archetypes are edge algorithms, near misses are none") {
    static_assert(edge_algorithm<dissemination> && algorithm<dissemination> && schedulable<dissemination>);
    static_assert(!block_algorithm<dissemination> && !derived_algorithm<dissemination> && !schedule<dissemination>);
    static_assert(edge_algorithm<slow_reduce> && schedule<detail::edge_schedule<slow_reduce>>);
    static_assert(std::is_same_v<detail::schedule_of<slow_reduce>, detail::edge_schedule<slow_reduce>>);
    static_assert(!edge_algorithm<speechless> && !algorithm<speechless>);
    static_assert(!edge_algorithm<nameless>);
    static_assert(proved<verify(dissemination{.ranks = 6})>);
    static_assert(proved<verify(slow_reduce{.ranks = 6, .bytes = 5})>);
}

TEST_CASE("edge_schedule: its edges are those of the same schedule written by hand") {
    for (rank_t p = 1; p <= 33; ++p) {
        CHECK(support::same_edges(dissemination{p}, support::dissemination_barrier(p)));
        CHECK(verify(dissemination{p}).ok());
    }
    for (rank_t p = 1; p <= 9; ++p) {
        CHECK(verify(slow_reduce{.ranks = p, .bytes = 7}).ok());
        CHECK(verify(sudden_reduce{{.ranks = p, .bytes = 7}}).ok());
        CHECK(verify(slow_reduce{.ranks = p, .bytes = 24, .element = 8}).ok());
        const stored_schedule s = materialize(slow_reduce{.ranks = p, .bytes = 1});
        std::vector<edge> wanted{{.size = 1}};
        for (rank_t r = 1; r < p; ++r)
            wanted.push_back({.step = r + 1, .src = r, .dst = 0, .size = 1, .action = action::combine_after});
        for (rank_t r = 1; r < p; ++r)
            wanted.push_back({.step = p, .src = r, .dst = r, .size = 1, .into = buffer::scratch});
        std::sort(wanted.begin(), wanted.end(), precedes);
        CHECK(std::equal(s.edges().begin(), s.edges().end(), wanted.begin(), wanted.end()));
    }
}

TEST_CASE("edge_schedule: empty moves make no edge at either end, but signals are edges") {
    const stored_schedule nothing = materialize(slow_reduce{.ranks = 5, .bytes = 0});
    CHECK(nothing.edges().empty());
    for (rank_t r = 0; r < 5; ++r)
        for (step_t k = 0; k < 6; ++k)
            lower(slow_reduce{.ranks = 5, .bytes = 0}).receives(r, k, [](const edge&) { FAIL("an edge"); });
    CHECK(metrics(dissemination{5}).signals == 15);
}

TEST_CASE("edge_schedule: undefined members follow from the defined ones") {
    const auto plain = lower(dissemination{9});
    CHECK(plain.scratch(3) == 0);
    CHECK(plain.staging(3) == 0);
    CHECK(plain.pacing() == pacing{});
    CHECK(plain.next(3, 2) == 2);
    CHECK(plain.next(3, 4) == 4);
    CHECK(plain.next(3, 9) == 4);
    CHECK(plain.busy(3) == detail::step_ranges{{0, 3}});
    static_assert(plain.scratchless);

    const auto full = lower(slow_reduce{.ranks = 9, .bytes = 24, .element = 4});
    static_assert(!full.scratchless);
    CHECK(full.scratch(0) == 0);
    CHECK(full.scratch(8) == 24);
    CHECK(full.pacing() == pacing{2});
    CHECK(full.busy(5) == detail::step_ranges{{6, 9}});
    CHECK(full.next(5, 0) == 6);
    CHECK(full.next(5, 7) == 7);
    CHECK(full.next(5, 10) == 10);
    CHECK(full.contract() == contract{.collective = collective::reduce, .ranks = 9, .bytes = 24, .element = 4});
    CHECK(fingerprint(full) == fingerprint(slow_reduce{.ranks = 9, .bytes = 24, .element = 4}));
    CHECK(fingerprint(full) != fingerprint(slow_reduce{.ranks = 9, .bytes = 24}));
}

TEST_CASE("edge_schedule: staging is the most that combines in a step") {
    for (rank_t p = 2; p <= 9; ++p) {
        CHECK(lower(slow_reduce{.ranks = p, .bytes = 10}).staging(0) == 10);
        CHECK(lower(sudden_reduce{{.ranks = p, .bytes = 10}}).staging(0) == 10 * (p - 1));
        CHECK(lower(sudden_reduce{{.ranks = p, .bytes = 10}}).staging(p - 1) == 0);
    }
    CHECK(lower(slow_reduce{.ranks = 1, .bytes = 10}).staging(0) == 0);
    const bytes_t huge = bytes_t{1} << 62;
    CHECK(lower(sudden_reduce{{.ranks = 3, .bytes = huge}}).staging(0) == std::numeric_limits<bytes_t>::max());
}

TEST_CASE("edge_schedule: the common parameters are checked first, then its own") {
    CHECK(std::string(check(dissemination{0}).argument) == "ranks");
    CHECK(std::string(check(slow_reduce{.ranks = 2, .bytes = 5, .element = 2}).argument) == "element");
    CHECK(std::string(check(slow_reduce{.ranks = 2, .window = -1}).argument) == "window");
    CHECK(std::string(check(slow_reduce{.ranks = 2, .bytes = 101}).argument) == "bytes");
    CHECK(!check(slow_reduce{.ranks = 2, .bytes = 100}));
}

TEST_CASE("edge_schedule: a list may contain it") {
    constexpr algorithm_entry entry = entry_of<slow_reduce>();
    static_assert(entry.takes(&shape::window) && !entry.takes(&shape::block));
    CHECK(verify(entry.make({.ranks = 4, .bytes = 12, .element = 3})).ok());
}
