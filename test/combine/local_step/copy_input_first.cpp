#include "collsched/combine/local_step.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "collsched/verify/verify.hpp"
#include "support/answers.hpp"
#include "support/brief.hpp"
#include "support/composed.hpp"
#include "support/samples.hpp"
#include "support/verified.hpp"

using namespace collsched;
using support::all_edges;
using support::moves;

static_assert(!verify(alltoall::linear{.ranks = 3, .block = 2}, binding::in_place).ok());
static_assert(proved<verify(copy_input_first(alltoall::linear{.ranks = 3, .block = 2}), binding::in_place)>);
static_assert(proved<verify(copy_input_first(alltoall::linear{.ranks = 3, .block = 2}))>);
static_assert(proved<verify(copy_input_first(alltoall::linear{.ranks = 1, .block = 2}), binding::in_place)>);

TEST_CASE("copy_input_first: correct in place and separately if the schedule is correct separately") {
    std::size_t only_now = 0;
    for (const rank_t p : {1, 2, 5, 6, 8})
        for (const auto& [name, s] : support::samples(p)) {
            INFO(name);
            if (!support::verified(s).ok()) continue;
            const auto apart = copy_input_first(s);
            CHECK(support::verified(apart).ok());
            CHECK(support::verified(apart, binding::in_place).ok());
            only_now += support::verified(s, binding::in_place).ok() ? 0U : 1U;
        }
    CHECK(only_now > 100 / support::one_of());
}

TEST_CASE(
    "copy_input_first: every edge is one step later and reads scratch for input, and rounds, messages and bytes stay") {
    for (const rank_t p : {1, 3, 8})
        for (const auto& [name, s] : support::samples(p)) {
            INFO(name);
            const auto apart = copy_input_first(s);
            std::vector<edge> expected;
            for (rank_t r = 0; r < p; ++r)
                if (const bytes_t own = s.contract().input_bytes(r); own > 0)
                    expected.push_back({.src = r, .dst = r, .size = own, .into = buffer::scratch});
            for (edge e : all_edges(s)) {
                ++e.step;
                if (e.from == buffer::scratch) e.from_offset += s.contract().input_bytes(e.src);
                if (e.into == buffer::scratch) e.into_offset += s.contract().input_bytes(e.dst);
                if (e.from == buffer::input) e.from = buffer::scratch;
                expected.push_back(e);
            }
            std::sort(expected.begin(), expected.end(), precedes);
            CHECK(all_edges(apart) == expected);
            CHECK(support::broken_answer(apart) == "");
            CHECK(apart.steps() == (p > 1 ? s.steps() + 1 : expected.empty() ? 0 : expected.back().step + 1));
            CHECK(apart.contract() == s.contract());
            CHECK(apart.pacing() == s.pacing());
            const metrics_report before = support::measured(s), now = support::measured(apart);
            CHECK(now.rounds == before.rounds);
            CHECK(now.messages == before.messages);
            CHECK(now.bytes_sent == before.bytes_sent);
        }
}

TEST_CASE("copy_input_first: scratch is that of the schedule after its input, and staging stays") {
    for (const rank_t p : {1, 3, 8})
        for (const auto& [name, s] : support::samples(p)) {
            INFO(name);
            for (rank_t r = 0; r < p; ++r) {
                CHECK(copy_input_first(s).scratch(r) == s.contract().input_bytes(r) + s.scratch(r));
                CHECK(copy_input_first(s).staging(r) == s.staging(r));
            }
        }
    constexpr bytes_t half = std::numeric_limits<bytes_t>::max() / 2;
    const reversed<broadcast::over_tree<trees::chain>> large{.ranks = 2, .bytes = half + 3};
    CHECK(copy_input_first(large).scratch(1) == std::numeric_limits<bytes_t>::max());
}

TEST_CASE("copy_input_first: errors of the schedule are reported, and wrong schedules stay wrong") {
    const allgather::ring wrong{.ranks = 3, .block = -1};
    CHECK(check(copy_input_first(wrong)) == check(wrong));
    CHECK(check(copy_input_first(allgather::ring{.ranks = 0})).value == 0);
    const broadcast::over_tree<trees::k_ary> radix{.ranks = 3, .tree = {.radix = 0}};
    CHECK(check(copy_input_first(radix)) == check(radix));
    const allgather::ring right{.ranks = 5, .block = 2};
    CHECK(fingerprint(copy_input_first(right)) != fingerprint(right));
    CHECK(fingerprint(copy_input_first(right)) !=
          fingerprint(copy_input_first(allgather::ring{.ranks = 5, .block = 3})));
    const auto unfinished =
        rename_buffers(right, support::as_it_is, {.collective = collective::allgather, .ranks = 5, .blocks = 3});
    CHECK(!support::verified(copy_input_first(unfinished)).ok());
}
