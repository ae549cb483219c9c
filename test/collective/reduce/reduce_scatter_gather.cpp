#include "collsched/collective/reduce/reduce_scatter_gather.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/circulant.hpp"
#include "collsched/collective/allgather/recursive_multiplying.hpp"
#include "collsched/core/bits.hpp"
#include "support/brief.hpp"
#include "support/messages.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

struct label {
    static constexpr const char* name = "reduce-scatter-and-gather";
    static constexpr const char* rounds = "some";
};
template <class Allgather>
using over = reduce::reduce_scatter_gather<Allgather, label>;

/// Scratch of the gather of p parts of 8 bytes: the subtrees of inner ranks.
bytes_t gather_scratch(rank_t p, rank_t root, rank_t r) {
    return lower(gather::over_tree<trees::binomial>{.ranks = p, .root = root, .block = 8}).scratch(r);
}

}  // namespace

static_assert(support::has_parameters<reduce::rabenseifner>());
static_assert(support::rooted_proved_up_to<support::of_root<over<allgather::circulant>>, 7>);
static_assert(over<allgather::circulant>::info.commutative);

TEST_CASE("reduce::reduce_scatter_gather: correct over any reduce_scatter, for every root, in both bindings") {
    support::check_rooted(support::of_root<over<allgather::circulant>>, collective::reduce, 40);
    support::check_rooted(
        [](rank_t p, rank_t root, bytes_t bytes, bytes_t element) {
            return over<allgather::recursive_multiplying>{
                .ranks = p, .root = root, .bytes = bytes, .element = element, .of = {.radix = 4}};
        },
        collective::reduce, 24);
}

TEST_CASE(
    "reduce::reduce_scatter_gather: rounds of both parts, 2 m (p-1)/p bytes to the root, scratch m + the gather's") {
    for (rank_t p = 1; p <= support::most(64); ++p)
        for (const rank_t root : {rank_t{0}, p / 3, p - 1}) {
            CAPTURE(p);
            const over<allgather::circulant> x{.ranks = p, .root = root, .bytes = 8 * p, .element = 8};
            const metrics_report m = support::measured(x);
            CHECK(m.rounds == 2 * ceil_log2(p));
            CHECK(m.bytes_received[root] == 16 * (p - 1));
            CHECK(m.bytes_sent[root] == 8 * (p - 1));
            for (rank_t r = 0; r < p; ++r) {
                CHECK(m.bytes_sent[r] <= 16 * (p - 1));
                CHECK(m.scratch[r] == gather_scratch(p, root, r) + (r == root ? 0 : 8 * p));
            }
        }
}

TEST_CASE("reduce::reduce_scatter_gather: its parameters are those of the message and the others of the allgather") {
    const over<allgather::recursive_multiplying> x{.of = {.radix = 7}};
    std::string names;
    x.parameters(x, [&](const char* name, const auto&) { names += name, names += ' '; });
    CHECK(names == "ranks root bytes element radix ");
    CHECK(check(over<allgather::recursive_multiplying>{.ranks = 5, .of = {.radix = 1}}).argument ==
          std::string("radix"));
    CHECK(check(over<allgather::circulant>{.ranks = 0}).argument == std::string("ranks"));
    CHECK(check(over<allgather::circulant>{.ranks = 3, .root = 3}).argument == std::string("root"));
    CHECK(check(over<allgather::circulant>{.ranks = 3, .bytes = -1}).argument == std::string("bytes"));
    CHECK(check(over<allgather::circulant>{.ranks = 3, .bytes = 8, .element = 3}).argument == std::string("element"));
    CHECK(check(over<allgather::circulant>{.ranks = 3, .bytes = INT64_MAX}).argument == std::string("bytes"));
    CHECK(!check(over<allgather::circulant>{.ranks = 3, .bytes = INT64_MAX / 2}));
    CHECK(check(over<allgather::circulant>{.ranks = 3, .bytes = INT64_MAX / 2 + 1}).expected ==
          std::string("2 * bytes below 2^63"));
    CHECK(check(over<allgather::bruck>{.ranks = 4, .bytes = 8}).argument == std::string("scratch"));
}
