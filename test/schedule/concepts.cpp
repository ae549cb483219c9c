#include "collsched/schedule/concepts.hpp"

#include <doctest/doctest.h>

#include "collsched/schedule/lowering.hpp"
#include "collsched/verify/verify.hpp"
#include "support/archetypes.hpp"

using namespace collsched;

namespace {

/// Like the archetype, but receives() is missing.
struct deaf : support::flat_broadcast {
    template <class F>
    void receives(rank_t, step_t, F) const = delete;
};
/// Like the archetype, but sizes are no bytes.
struct vague : support::flat_broadcast {
    constexpr double scratch(rank_t) const { return 0.5; }
};
/// Like the archetype, but without a description.
struct nameless {
    rank_t ranks = 1;
    block_layout block = 0;
    constexpr step_t steps() const { return 0; }
    constexpr void targets(rank_t, step_t, auto) const {}
    constexpr void sources(rank_t, step_t, auto) const {}
    constexpr void message(rank_t, rank_t, step_t, auto) const {}
};

}  // namespace

TEST_CASE("schedule concepts: the archetypes satisfy the concepts, and work") {
    static_assert(schedule<support::flat_broadcast>);
    static_assert(block_algorithm<support::direct_exchange>);
    static_assert(!schedule<support::direct_exchange> && !block_algorithm<support::flat_broadcast>);
    static_assert(schedule<detail::lowered<support::direct_exchange>>);
    static_assert(schedulable<support::flat_broadcast> && schedulable<support::direct_exchange>);
    for (rank_t p = 1; p <= 9; ++p) {
        CHECK(verify(support::flat_broadcast{.ranks = p, .bytes = 5}).ok());
        CHECK(verify(support::direct_exchange{.ranks = p, .block = 3}).ok());
    }
}

TEST_CASE("schedule concepts: near misses do not satisfy them") {
    static_assert(!schedule<deaf>);
    static_assert(!schedule<vague>);
    static_assert(!block_algorithm<nameless>);
    static_assert(!schedulable<int>);
}
