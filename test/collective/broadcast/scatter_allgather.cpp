#include "collsched/collective/broadcast/scatter_allgather.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/linear.hpp"
#include "collsched/collective/allgather/recursive_multiplying.hpp"
#include "collsched/core/bits.hpp"
#include "support/brief.hpp"
#include "support/messages.hpp"
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

struct label {
    static constexpr const char* name = "scatter-and-something";
    static constexpr const char* rounds = "some";
};
template <class Allgather>
using over = broadcast::scatter_allgather<Allgather, label>;

}  // namespace

static_assert(support::has_parameters<broadcast::scatter_ring>());
static_assert(support::rooted_proved_up_to<support::of_root<over<allgather::linear>>, 9>);
static_assert(derived_algorithm<over<allgather::bruck>>);

TEST_CASE("broadcast::scatter_allgather: correct over any allgather, for every root, in both bindings") {
    support::check_rooted(support::of_root<over<allgather::linear>>, collective::broadcast, 20);
    support::check_rooted(support::of_root<over<allgather::bruck>>, collective::broadcast, 32);
    support::check_rooted(
        [](rank_t p, rank_t root, bytes_t bytes, bytes_t element) {
            return over<allgather::recursive_multiplying>{
                .ranks = p, .root = root, .bytes = bytes, .element = element, .of = {.radix = 4}};
        },
        collective::broadcast, 24);
}

TEST_CASE(
    "broadcast::scatter_allgather: rounds of both parts, at most 2 m (p-1)/p bytes per rank, scratch half of them") {
    for (rank_t p = 1; p <= support::most(64); ++p)
        for (const rank_t root : {rank_t{0}, p / 3, p - 1}) {
            CAPTURE(p);
            const over<allgather::linear> x{.ranks = p, .root = root, .bytes = 8 * p, .element = 8};
            const metrics_report m = support::measured(x);
            CHECK(m.rounds == ceil_log2(p) + support::measured(allgather::linear{.ranks = p, .block = 8}).rounds);
            CHECK(m.bytes_sent[root] == 16 * (p - 1));
            CHECK(m.bytes_received[root] == 8 * (p - 1));
            for (rank_t r = 0; r < p; ++r) {
                CHECK(m.bytes_received[r] <= 16 * (p - 1));
                CHECK(m.scratch[r] <= 4 * p);
                if (p >= 4 && is_power_of_two(p) && r == (root + p / 2) % p) CHECK(m.scratch[r] == 4 * p);
            }
        }
}

TEST_CASE("broadcast::scatter_allgather: parts are of whole elements") {
    for (const bytes_t element : {3, 8, 24})
        for (const edge& e :
             edges(over<allgather::linear>{.ranks = 7, .root = 2, .bytes = 10 * element, .element = element}))
            CHECK(e.size % element == 0);
}

TEST_CASE("broadcast::scatter_allgather: its parameters are those of the message and the others of the allgather") {
    const over<allgather::recursive_multiplying> x{.of = {.radix = 7}};
    std::string names;
    x.parameters(x, [&](const char* name, const auto&) { names += name, names += ' '; });
    CHECK(names == "ranks root bytes element radix ");
    CHECK(x.info.name == std::string("scatter-and-something"));
    CHECK(check(over<allgather::recursive_multiplying>{.ranks = 5, .of = {.radix = 1}}).argument ==
          std::string("radix"));
    CHECK(check(over<allgather::linear>{.ranks = 0}).argument == std::string("ranks"));
    CHECK(check(over<allgather::linear>{.ranks = 3, .root = 3}).argument == std::string("root"));
    CHECK(check(over<allgather::linear>{.ranks = 3, .bytes = -1}).argument == std::string("bytes"));
    CHECK(check(over<allgather::linear>{.ranks = 3, .bytes = 8, .element = 3}).argument == std::string("element"));
}
