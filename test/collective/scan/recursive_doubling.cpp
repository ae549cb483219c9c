#include "collsched/collective/scan/recursive_doubling.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/brief.hpp"
#include "support/parameters.hpp"
#include "support/prefixes.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<scan::recursive_doubling>());
static_assert(edge_algorithm<scan::recursive_doubling>);
static_assert(support::prefixes_up_to_17<scan::recursive_doubling>::value);

TEST_CASE("scan::recursive_doubling: correct for every number of ranks, in both bindings, operands in order") {
    support::check_ranks<scan::recursive_doubling>(300);
}

TEST_CASE("scan::recursive_doubling: correct for elements of any size") {
    support::check_elements([](rank_t p, bytes_t bytes, bytes_t element) {
        return scan::recursive_doubling{.ranks = p, .bytes = bytes, .element = element};
    });
}

TEST_CASE("scan::recursive_doubling: rounds, messages, bytes and copies equal their formulas") {
    for (rank_t p = 1; p <= support::most(300); ++p) {
        CAPTURE(p);
        step_t q = 0;
        std::int64_t messages = 0;
        for (rank_t distance = 1; distance < p; distance *= 2, ++q) messages += p - distance;
        const scan::recursive_doubling x{.ranks = p, .bytes = 8};
        const metrics_report m = support::measured(x);
        CHECK(m.steps == q + 1);
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
            CHECK(m.copied_bytes[r] == 8);
            CHECK(m.scratch[r] == 0);
            CHECK(lower(x).staging(r) == (r > 0 ? 8 : 0));
        }
    }
}

TEST_CASE("scan::recursive_doubling: the first message leaves from input, and distances double") {
    for (const edge& e : edges(scan::recursive_doubling{.ranks = 23, .bytes = 3})) {
        CHECK(e.is_local() == (e.step == 0));
        CHECK((e.from == buffer::input) == (e.step <= 1));
        if (!e.is_local()) CHECK(e.dst - e.src == rank_t{1} << (e.step - 1));
    }
}

TEST_CASE("scan::recursive_doubling: wrong parameters are reported") {
    CHECK(std::string(check(scan::recursive_doubling{.ranks = 0}).argument) == "ranks");
    CHECK(std::string(check(scan::recursive_doubling{.ranks = 2, .bytes = -1}).argument) == "bytes");
    CHECK(std::string(check(scan::recursive_doubling{.ranks = 2, .bytes = 9, .element = 2}).argument) == "element");
    CHECK(!check(scan::recursive_doubling{.ranks = (rank_t{1} << 62) - 1, .bytes = INT64_MAX}));
}
