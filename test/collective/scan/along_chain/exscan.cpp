#include "collsched/collective/scan/along_chain.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/collective/algorithm_list.hpp"
#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/prefixes.hpp"
#include "support/verified.hpp"

using namespace collsched;

static_assert(edge_algorithm<exscan::pipelined> && derived_algorithm<exscan::linear>);
static_assert(support::prefixes_up_to_17<exscan::linear>::value);
static_assert(support::prefixes_up_to_17<exscan::pipelined, 2>::value);
static_assert(support::prefixes_up_to_17<exscan::pipelined, 4>::value);

TEST_CASE("exscan::along_chain: correct for every number of ranks, in both bindings, operands in order") {
    support::check_ranks<exscan::linear>(64);
    support::check_ranks<exscan::pipelined>(64);
    for (rank_t p = 1; p <= support::most(64); ++p)
        for (const bytes_t segment : {1, 2, 3, 5, 100}) {
            CAPTURE(p);
            support::check_prefixes(exscan::pipelined{.ranks = p, .bytes = 5, .segment = segment}, 5);
        }
}

TEST_CASE("exscan::along_chain: correct for elements of any size, and no piece is longer than a segment") {
    support::check_elements([](rank_t p, bytes_t bytes, bytes_t element) {
        return exscan::linear{.ranks = p, .bytes = bytes, .element = element};
    });
    for (const bytes_t elements : {1, 3, 6})
        support::check_elements([=](rank_t p, bytes_t bytes, bytes_t element) {
            const exscan::pipelined x{.ranks = p, .bytes = bytes, .element = element, .segment = elements * element};
            for (const edge& e : edges(x)) CHECK((e.step == 0 || e.size <= x.segment));
            return x;
        });
}

TEST_CASE("exscan::along_chain: rounds, messages, bytes and local work equal their formulas") {
    for (rank_t p = 1; p <= support::most(40); ++p)
        for (const rank_t pieces : {1, 2, 5, 16}) {
            CAPTURE(p);
            CAPTURE(pieces);
            const bytes_t m = 16 * pieces - 8;
            const exscan::pipelined x{.ranks = p, .bytes = m, .element = 4, .segment = 16};
            const metrics_report report = support::measured(x);
            CHECK(report.rounds == (p == 1 ? 0 : p - 2 + pieces));
            CHECK(report.steps == (p == 2 ? 1 : 2) * report.rounds);
            CHECK(report.messages == (p - 1) * pieces);
            CHECK(report.max_in_degree == (p > 1 ? 1 : 0));
            CHECK(report.max_out_degree == report.max_in_degree);
            for (rank_t r = 0; r < p; ++r) {
                const bool inner = r > 0 && r < p - 1;
                CHECK(report.bytes_sent[r] == (r < p - 1 ? m : 0));
                CHECK(report.bytes_received[r] == (r > 0 ? m : 0));
                CHECK(report.copied_bytes[r] == (inner ? 2 * m : 0));
                CHECK(report.scratch[r] == (inner ? m : 0));
                CHECK(report.scratch[r] == support::scratch_used(x, r));
                CHECK(report.staging[r] == 0);
                CHECK(support::combines(x, r) == (inner ? pieces : 0));
            }
        }
}

TEST_CASE("exscan::along_chain: piece s leaves rank r in step 1 + 2 (r + s), combined in the step before") {
    for (const edge& e : edges(exscan::pipelined{.ranks = 9, .bytes = 20, .segment = 4})) {
        if (e.step == 0) {
            CHECK(e == edge{.src = e.src, .dst = e.src, .size = 20, .into = buffer::scratch});
        } else if (e.is_local()) {
            CHECK(e.step == 2 * (e.src + e.from_offset / 4));
            CHECK((e.from == buffer::output && e.into == buffer::scratch && e.action == action::combine_before));
        } else {
            CHECK(e.dst == e.src + 1);
            CHECK(e.step == 1 + 2 * (e.src + e.from_offset / 4));
            CHECK(e.from == (e.src == 0 ? buffer::input : buffer::scratch));
            CHECK((e.into == buffer::output && e.action == action::copy));
        }
    }
}

TEST_CASE("exscan::along_chain: linear has the same edges for one piece, and takes no segment") {
    for (rank_t p = 1; p <= 20; ++p) {
        CHECK(support::same_edges(exscan::linear{.ranks = p, .bytes = 9}, exscan::pipelined{.ranks = p, .bytes = 9}));
        CHECK(support::measured(exscan::linear{.ranks = p, .bytes = 9}).rounds == p - 1);
    }
    static_assert(!entry_of<exscan::linear>().takes(&shape::segment) &&
                  entry_of<exscan::pipelined>().takes(&shape::segment));
}

TEST_CASE("exscan::along_chain: the largest accepted number of steps is the one that the error reports") {
    constexpr step_t limit = step_t{1} << 61;
    const exscan::pipelined most{.ranks = 9, .bytes = limit - 9, .segment = 1};
    CHECK(!check(most));
    CHECK(most.steps() == 2 * limit - 4);
    const argument_error more = check(exscan::pipelined{.ranks = 9, .bytes = limit - 8, .segment = 1});
    CHECK(std::string(more.argument) == "segment");
    CHECK(std::string(more.expected) == "segments so large that there are less than 2^62 - 2 steps");
    CHECK(!check(exscan::linear{.ranks = limit - 1, .bytes = INT64_MAX}));
    const argument_error many = check(exscan::linear{.ranks = limit, .bytes = 1});
    CHECK(std::string(many.argument) == "ranks");
    CHECK(std::string(many.expected) == "less than 2^61");
}
