#include "collsched/collective/scan/along_chain.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/collective/algorithm_list.hpp"
#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/busy_steps.hpp"
#include "support/parameters.hpp"
#include "support/prefixes.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(support::has_parameters<scan::pipelined>());
static_assert(support::has_parameters<scan::linear>());
static_assert(edge_algorithm<scan::pipelined> && derived_algorithm<scan::linear>);
static_assert(support::prefixes_up_to_17<scan::linear>::value);
static_assert(support::prefixes_up_to_17<scan::pipelined, 2>::value);
static_assert(support::prefixes_up_to_17<scan::pipelined, 4>::value);

TEST_CASE("scan::along_chain: correct for every number of ranks, in both bindings, operands in order") {
    support::check_ranks<scan::linear>(64);
    support::check_ranks<scan::pipelined>(64);
    for (rank_t p = 1; p <= support::most(64); ++p)
        for (const bytes_t segment : {1, 2, 3, 5, 100}) {
            CAPTURE(p);
            support::check_prefixes(scan::pipelined{.ranks = p, .bytes = 5, .segment = segment}, 5);
        }
}

TEST_CASE("scan::along_chain: correct for elements of any size, and no piece is longer than a segment") {
    support::check_elements([](rank_t p, bytes_t bytes, bytes_t element) {
        return scan::linear{.ranks = p, .bytes = bytes, .element = element};
    });
    for (const bytes_t elements : {1, 3, 6})
        support::check_elements([=](rank_t p, bytes_t bytes, bytes_t element) {
            const scan::pipelined x{.ranks = p, .bytes = bytes, .element = element, .segment = elements * element};
            for (const edge& e : edges(x)) CHECK((e.is_local() || e.size <= x.segment));
            return x;
        });
}

TEST_CASE("scan::along_chain: rounds, messages, bytes and copies equal their formulas") {
    for (rank_t p = 1; p <= support::most(40); ++p)
        for (const rank_t pieces : {1, 2, 5, 16}) {
            CAPTURE(p);
            CAPTURE(pieces);
            const scan::pipelined x{.ranks = p, .bytes = 16 * pieces - 4, .element = 4, .segment = 16};
            const metrics_report m = support::measured(x);
            CHECK(m.rounds == (p == 1 ? 0 : p - 2 + pieces));
            CHECK(m.steps == m.rounds + 1);
            CHECK(m.messages == (p - 1) * pieces);
            CHECK(m.max_in_degree == (p > 1 ? 1 : 0));
            CHECK(m.max_out_degree == m.max_in_degree);
            for (rank_t r = 0; r < p; ++r) {
                CHECK(m.bytes_sent[r] == (r < p - 1 ? 16 * pieces - 4 : 0));
                CHECK(m.bytes_received[r] == (r > 0 ? 16 * pieces - 4 : 0));
                CHECK(m.copied_bytes[r] == 16 * pieces - 4);
                CHECK(m.scratch[r] == 0);
                CHECK(lower(x).staging(r) == (r == 0 ? 0 : pieces == 1 ? 12 : 16));
            }
        }
}

TEST_CASE("scan::along_chain: piece s leaves rank r in step 1 + r + s, from input if r is 0") {
    for (const edge& e : edges(scan::pipelined{.ranks = 9, .bytes = 20, .segment = 4})) {
        if (e.is_local()) {
            CHECK(e == edge{.src = e.src, .dst = e.src, .size = 20});
        } else {
            CHECK(e.dst == e.src + 1);
            CHECK(e.step == 1 + e.src + e.from_offset / 4);
            CHECK((e.from == buffer::input) == (e.src == 0));
            CHECK(e.action == action::combine_before);
        }
    }
}

TEST_CASE("exscan::pipelined: rank r sends piece s in step 1 + 2 (r + s)") {
    for (const edge& e : edges(exscan::pipelined{.ranks = 9, .bytes = 20, .segment = 4}))
        if (!e.is_local()) CHECK(e.step == 1 + 2 * (e.src + e.from_offset / 4));
}

TEST_CASE("scan::along_chain: linear has the same edges for one piece, and takes no segment") {
    for (rank_t p = 1; p <= 20; ++p) {
        CHECK(support::same_edges(scan::linear{.ranks = p, .bytes = 9}, scan::pipelined{.ranks = p, .bytes = 9}));
        CHECK(support::measured(scan::linear{.ranks = p, .bytes = 9}).rounds == p - 1);
    }
    static_assert(!entry_of<scan::linear>().takes(&shape::segment) &&
                  entry_of<scan::pipelined>().takes(&shape::segment));
}

TEST_CASE("scan::along_chain: a rank far down a long chain visits only its own steps") {
    const scan::pipelined x{.ranks = rank_t{1} << 50, .bytes = 12, .segment = 4};
    const auto s = lower(x);
    const rank_t r = rank_t{1} << 49;
    CHECK(s.next(r, 1) == r);
    CHECK(s.next(r, r + 4) == s.steps());
    std::int64_t own = 0;
    for (const edge& e : program(x, r)) own += e.src == r || e.dst == r ? 1 : 0;
    CHECK(own == 1 + 3 + 3);
}

TEST_CASE("scan::along_chain: wrong parameters are reported") {
    CHECK(std::string(check(scan::linear{.ranks = 0}).argument) == "ranks");
    CHECK(std::string(check(scan::linear{.ranks = 2, .bytes = 9, .element = 2}).argument) == "element");
    CHECK(std::string(check(scan::pipelined{.ranks = 2, .bytes = 8, .element = 2, .segment = 3}).argument) ==
          "segment");
    CHECK(std::string(check(scan::pipelined{.ranks = 2, .bytes = 8, .segment = -1}).argument) == "segment");
}

TEST_CASE("scan::along_chain: the largest accepted number of steps is the one that the error reports") {
    constexpr step_t limit = step_t{1} << 62;
    const scan::pipelined most{.ranks = 9, .bytes = limit - 9, .segment = 1};
    CHECK(!check(most));
    CHECK(most.steps() == limit - 1);
    const argument_error more = check(scan::pipelined{.ranks = 9, .bytes = limit - 8, .segment = 1});
    CHECK(std::string(more.argument) == "segment");
    CHECK(std::string(more.expected) == "segments so large that there are less than 2^62 steps");
    CHECK(!check(scan::linear{.ranks = limit - 1, .bytes = INT64_MAX}));
    const argument_error many = scan::pipelined{.ranks = limit, .bytes = 8}.check();
    CHECK(std::string(many.argument) == "ranks");
    CHECK(std::string(many.expected) == "less than 2^62");
}

TEST_CASE("scan::along_chain: a rank is busy from its first step to its last") {
    for (rank_t p = 1; p <= 20; ++p)
        for (const bytes_t segment : {0, 3}) {
            CAPTURE(p);
            CAPTURE(segment);
            CHECK(support::busy_in_used_steps(lower(scan::pipelined{.ranks = p, .bytes = 12, .segment = segment})));
        }
}
