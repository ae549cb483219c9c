#include "collsched/collective/exscan/recursive_doubling.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/prefixes.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<exscan::recursive_doubling>());
static_assert(edge_algorithm<exscan::recursive_doubling>);
static_assert(support::prefixes_up_to_17<exscan::recursive_doubling>::value);

TEST_CASE("exscan::recursive_doubling: correct for every number of ranks, in both bindings, operands in order") {
    support::check_ranks<exscan::recursive_doubling>(300);
}

TEST_CASE("exscan::recursive_doubling: correct for elements of any size") {
    support::check_elements([](rank_t p, bytes_t bytes, bytes_t element) {
        return exscan::recursive_doubling{.ranks = p, .bytes = bytes, .element = element};
    });
}

TEST_CASE("exscan::recursive_doubling: rounds, messages and bytes equal their formulas") {
    for (rank_t p = 1; p <= support::most(300); ++p) {
        CAPTURE(p);
        step_t q = 0;
        std::int64_t messages = 0;
        for (rank_t distance = 1; distance < p; distance *= 2, ++q) messages += p - distance;
        const metrics_report m = support::measured(exscan::recursive_doubling{.ranks = p, .bytes = 8});
        CHECK(m.steps == (p == 2 ? 1 : 4 * p <= 3 * (rank_t{1} << q) ? 2 * q - 1 : 2 * q));
        CHECK(m.rounds == q);
        CHECK(m.rounds == m.bounds.rounds);
        CHECK(m.messages == messages);
        CHECK(m.messages == p * q - (std::int64_t{1} << q) + 1);
        CHECK(m.max_in_degree == (p > 1 ? 1 : 0));
        CHECK(m.max_out_degree == m.max_in_degree);
        CHECK(m.bytes_sent[0] == 8 * q);
        CHECK(m.bytes_received[p - 1] == 8 * q);
        for (rank_t r = 0; r < p; ++r) {
            CHECK(m.bytes_sent[r] <= 8 * q);
            CHECK(m.bytes_received[r] <= 8 * q);
            CHECK(m.scratch[r] == (r == 0 || r == p - 1 ? 0 : r >= 2 && r <= p - 5 ? 16 : 8));
            CHECK(m.scratch[r] == support::scratch_used(exscan::recursive_doubling{.ranks = p, .bytes = 8}, r));
        }
    }
}

TEST_CASE("exscan::recursive_doubling: at most 2q-3 combinations per rank, reached if p is a power of two") {
    for (rank_t p = 3; p <= support::most(129); ++p) {
        std::int64_t most = 0;
        const step_t q = ceil_log2(p);
        for (rank_t r = 0; r < p; ++r)
            most = std::max(most, support::combines(exscan::recursive_doubling{.ranks = p, .bytes = 8}, r));
        CHECK(most <= 2 * q - 3);
        if (is_power_of_two(p)) CHECK(most == 2 * q - 3);
    }
}

TEST_CASE("exscan::recursive_doubling: messages in odd phases over doubling distances, local edges in even phases") {
    for (const rank_t p : {23, 25}) {
        const exscan::recursive_doubling x{.ranks = p, .bytes = 3};
        for (const edge& e : edges(x)) {
            const step_t phase = x.phases().phase(e.step);
            CHECK(e.is_local() == (phase % 2 == 0));
            if (!e.is_local()) CHECK(e.dst - e.src == rank_t{1} << (phase / 2));
            CHECK(e.combines() == (phase > 1 && e.into_offset == 0));
        }
    }
}

TEST_CASE("exscan::recursive_doubling: wrong parameters are reported") {
    CHECK(std::string(check(exscan::recursive_doubling{.ranks = 0}).argument) == "ranks");
    CHECK(std::string(check(exscan::recursive_doubling{.ranks = 2, .bytes = -1}).argument) == "bytes");
    CHECK(std::string(check(exscan::recursive_doubling{.ranks = 2, .bytes = 9, .element = 2}).argument) == "element");
    constexpr bytes_t most = (bytes_t{1} << 62) - 1;
    CHECK(std::string(check(exscan::recursive_doubling{.ranks = 9, .bytes = most + 1}).argument) == "bytes");
    CHECK(lower(exscan::recursive_doubling{.ranks = 9, .bytes = most}).scratch(3) == 2 * most);
}
