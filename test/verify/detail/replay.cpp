#include "collsched/verify/detail/replay.hpp"

#include <doctest/doctest.h>

#include <tuple>
#include <vector>

#include "collsched/verify/verify.hpp"
#include "support/layouts.hpp"
#include "support/oracle.hpp"
#include "support/small_schedules.hpp"

using namespace collsched;
using support::by_hand;

namespace {

constexpr contract allreduce_of(rank_t ranks, bool commutative = false) {
    return {.collective = collective::allreduce, .ranks = ranks, .bytes = 4, .commutative = commutative};
}
/// Every rank starts its accumulator in `output`.
std::vector<edge> accumulators(rank_t ranks) {
    std::vector<edge> edges;
    for (rank_t r = 0; r < ranks; ++r) edges.push_back({.src = r, .dst = r, .size = 4});
    return edges;
}

/// The verdict, after the byte-by-byte oracle has agreed with it.
verdict judge(const stored_schedule& s, binding how = binding::separate) {
    const verdict v = verify(s, how);
    CHECK(v.ok() == support::replays(s, how));
    return v;
}

}  // namespace

TEST_CASE("replay: a reduce in operand order is correct, and combined in the other order it is an error") {
    for (rank_t p = 1; p <= 6; ++p) CHECK(judge(support::linear_reduce(p, 4)).ok());
    CHECK(judge(support::linear_reduce(2, 4, action::combine_before)).finding == verdict::kind::operand_order);
    CHECK(judge(support::linear_reduce(3, 4, action::combine_before)) ==
          verdict{verdict::kind::operand_order, 3, 0, buffer::output, 0});
}

TEST_CASE("replay: several combines of one step are applied in ascending order of their source") {
    auto edges = accumulators(1);
    for (rank_t r = 1; r < 4; ++r)
        edges.push_back({.step = 1, .src = r, .dst = 0, .size = 4, .action = action::combine_after});
    CHECK(judge(by_hand({.collective = collective::reduce, .ranks = 4, .bytes = 4}, 2, edges, 0, 12)).ok());
    CHECK(judge(by_hand({.collective = collective::reduce, .ranks = 4, .bytes = 4}, 2, edges, 0, 11)) ==
          verdict{verdict::kind::small_staging, 1, 0, buffer::output, 4});
}

TEST_CASE("replay: each part of a range is combined with the bytes that its receiver holds there") {
    auto edges = accumulators(1);
    for (const edge& e : {edge{.step = 1, .src = 1, .dst = 0, .size = 2}, {.step = 2, .src = 2, .dst = 0, .size = 4}}) {
        edges.push_back(e);
        edges.back().action = action::combine_after;
    }
    const contract whole{.collective = collective::reduce, .ranks = 3, .bytes = 4};
    CHECK(judge(by_hand(whole, 3, edges, 0, 4)) == verdict{verdict::kind::wrong_bytes, 3, 0, buffer::output, 2});
    edges.push_back(edges[1]);
    edges.back().step = 3;
    edges.back().from_offset = edges.back().into_offset = 2;
    CHECK(judge(by_hand(whole, 4, edges, 0, 4)).finding == verdict::kind::operand_order);
    edges.pop_back();
    edges[1].size = 4;
    CHECK(judge(by_hand(whole, 3, edges, 0, 4)).ok());
}

TEST_CASE("replay: an exchange reads the state before the step") {
    auto edges = accumulators(2);
    edges.push_back(
        {.step = 1, .src = 0, .dst = 1, .size = 4, .from = buffer::output, .action = action::combine_before});
    edges.push_back(
        {.step = 1, .src = 1, .dst = 0, .size = 4, .from = buffer::output, .action = action::combine_after});
    CHECK(judge(by_hand(allreduce_of(2), 2, edges, 0, 4)).ok());
    CHECK(judge(by_hand(allreduce_of(2), 2, edges, 0, 4), binding::in_place).ok());
    edges.back().action = action::copy;
    CHECK(judge(by_hand(allreduce_of(2), 2, edges, 0, 4)).finding == verdict::kind::overwrites_read);
}

TEST_CASE("replay: an operand that enters twice, at another offset, or onto no operand is an error") {
    auto edges = accumulators(2);
    edges.push_back({.step = 1, .src = 1, .dst = 0, .size = 4, .action = action::combine_after});
    edges.push_back({.step = 2, .src = 1, .dst = 0, .size = 4, .action = action::combine_after});
    const contract reduce{.collective = collective::reduce, .ranks = 2, .bytes = 4};
    edges.erase(edges.begin() + 1);
    CHECK(judge(by_hand(reduce, 3, edges, 0, 4)) == verdict{verdict::kind::combined_twice, 2, 0, buffer::output, 0});
    edges.pop_back();
    CHECK(judge(by_hand(reduce, 3, edges, 0, 4)).ok());
    edges[1].from_offset = 1;
    edges[1].size = 3;
    CHECK(judge(by_hand(reduce, 3, edges, 0, 4)) == verdict{verdict::kind::misaligned, 1, 0, buffer::output, 0});
    edges[1] = {.step = 0, .src = 1, .dst = 0, .size = 4, .into = buffer::scratch, .action = action::combine_after};
    CHECK(judge(by_hand(reduce, 3, edges, 4, 4)) == verdict{verdict::kind::not_held, 0, 0, buffer::scratch, 0});
}

TEST_CASE("replay: a combine takes whole elements, copies may cut them") {
    const contract reduce{.collective = collective::reduce, .ranks = 2, .bytes = 8, .element = 4};
    std::vector<edge> edges{{.size = 3}, {.from_offset = 3, .into_offset = 3, .size = 5}};
    const edge whole{.step = 1, .src = 1, .dst = 0, .size = 8, .action = action::combine_after};
    edges.push_back(whole);
    CHECK(judge(by_hand(reduce, 2, edges, 0, 8)).ok());
    const auto cut = [&](bytes_t at) {
        edges.resize(4, whole);
        edges[2].size = at;
        edges[3].from_offset = edges[3].into_offset = at;
        edges[3].size = 8 - at;
        return judge(by_hand(reduce, 2, edges, 0, 8));
    };
    CHECK(cut(4).ok());
    CHECK(cut(2) == verdict{verdict::kind::split_element, 1, 0, buffer::output, 0});
    CHECK(cut(6) == verdict{verdict::kind::split_element, 1, 0, buffer::output, 0});
    // The halves of two elements are no element together.
    const std::vector<edge> mixed{
        {.size = 2},
        {.from_offset = 6, .into_offset = 2, .size = 2},
        {.src = 1, .dst = 0, .size = 2, .into = buffer::scratch},
        {.src = 1, .dst = 0, .from_offset = 6, .into_offset = 2, .size = 2, .into = buffer::scratch},
        {.step = 1, .src = 0, .dst = 0, .size = 4, .from = buffer::scratch, .action = action::combine_after}};
    CHECK(judge(by_hand(reduce, 2, mixed, 4, 0)) == verdict{verdict::kind::split_element, 1, 0, buffer::output, 0});
}

TEST_CASE("replay: a combine does not write the bytes that another combine within the rank reads") {
    const contract reduce{.collective = collective::reduce, .ranks = 2, .bytes = 4};
    std::vector<edge> edges{{.size = 4},
                            {.src = 1, .dst = 0, .size = 4, .into = buffer::scratch},
                            {.step = 1, .size = 4, .from = buffer::scratch, .action = action::combine_after}};
    CHECK(judge(by_hand(reduce, 2, edges, 4)).ok());
    edges.push_back(
        {.step = 1, .size = 4, .from = buffer::output, .into = buffer::scratch, .action = action::combine_after});
    CHECK(judge(by_hand(reduce, 2, edges, 4)).finding == verdict::kind::overwrites_read);
}

TEST_CASE("replay: operands that commute may come in any order, if the contract allows it") {
    auto edges = accumulators(1);
    edges.push_back({.step = 1, .src = 2, .dst = 0, .size = 4, .action = action::combine_after});
    edges.push_back({.step = 2, .src = 1, .dst = 0, .size = 4, .action = action::combine_after});
    contract reduce{.collective = collective::reduce, .ranks = 3, .bytes = 4};
    CHECK(judge(by_hand(reduce, 3, edges, 0, 4)).finding == verdict::kind::operand_order);
    reduce.commutative = true;
    CHECK(judge(by_hand(reduce, 3, edges, 0, 4)).ok());
}

TEST_CASE("replay: overlapping copies of one step, and a combine under a copy, are conflicts") {
    const contract gather{.collective = collective::gather, .ranks = 3, .blocks = 4};
    std::vector<edge> edges{{.size = 4},
                            {.src = 1, .dst = 0, .into_offset = 4, .size = 4},
                            {.src = 2, .dst = 0, .into_offset = 8, .size = 4}};
    CHECK(judge(by_hand(gather, 1, edges)).ok());
    edges[2].into_offset = 7;
    CHECK(judge(by_hand(gather, 1, edges)) == verdict{verdict::kind::write_conflict, 0, 0, buffer::output, 7});
    auto combined = accumulators(1);
    combined.push_back({.step = 0, .src = 1, .dst = 0, .size = 4, .action = action::combine_after});
    CHECK(judge(by_hand({.collective = collective::reduce, .ranks = 2, .bytes = 4}, 1, combined, 0, 4)).finding ==
          verdict::kind::write_conflict);
}

TEST_CASE("replay: ranges outside their buffer, writes to input and overlapping local copies are errors") {
    const contract gather{.collective = collective::gather, .ranks = 2, .blocks = 4};
    const auto spoil = [&](auto change) {
        std::vector<edge> edges{{.size = 4}, {.src = 1, .dst = 0, .into_offset = 4, .size = 4}};
        change(edges);
        return judge(by_hand(gather, 2, edges, 8)).finding;
    };
    CHECK(spoil([](auto&) {}) == verdict::kind::none);
    CHECK(spoil([](auto& e) { e[1].into_offset = 5; }) == verdict::kind::outside_buffer);
    CHECK(spoil([](auto& e) { e[1].from_offset = -1; }) == verdict::kind::outside_buffer);
    CHECK(spoil([](auto& e) { e[1].size = 5; }) == verdict::kind::outside_buffer);
    CHECK(spoil([](auto& e) { e[1].into_offset = std::int64_t{1} << 62; }) == verdict::kind::outside_buffer);
    CHECK(spoil([](auto& e) { e.push_back({.step = 1, .from = buffer::output, .into = buffer::input}); }) ==
          verdict::kind::local_overlap);
    CHECK(spoil([](auto& e) { e.push_back({.step = 1, .size = 2, .from = buffer::output, .into = buffer::input}); }) ==
          verdict::kind::writes_input);
    CHECK(spoil([](auto& e) { e.push_back({.step = 1, .into_offset = 1, .size = 2, .from = buffer::output}); }) ==
          verdict::kind::local_overlap);
    CHECK(spoil([](auto& e) {
              e.push_back({.step = 0, .size = 2, .from = buffer::scratch, .into = buffer::scratch});
          }) == verdict::kind::local_overlap);
    CHECK(spoil([](auto& e) { e.push_back({.step = 1, .src = 1, .dst = 1, .size = 2, .from = buffer::scratch}); }) ==
          verdict::kind::outside_buffer);
    CHECK(spoil([](auto& e) {
              e.push_back({.step = 1, .src = 0, .dst = 1, .size = 2, .from = buffer::scratch, .into = buffer::scratch});
          }) == verdict::kind::not_held);
}

TEST_CASE("replay: bytes of output that are no part of the result are not written") {
    const std::vector<bytes_t> counts{2, 2}, displs{0, 5};
    const contract gather{.collective = collective::gather, .ranks = 2, .blocks = block_layout(counts, displs)};
    std::vector<edge> edges{{.size = 2}, {.src = 1, .dst = 0, .into_offset = 5, .size = 2}};
    CHECK(judge(by_hand(gather, 2, edges)).ok());
    edges.push_back({.step = 1, .src = 1, .dst = 0, .into_offset = 2, .size = 1});
    CHECK(judge(by_hand(gather, 2, edges)) == verdict{verdict::kind::outside_result, 1, 0, buffer::output, 2});
    const contract exscan{.collective = collective::exscan, .ranks = 2, .bytes = 4};
    std::vector<edge> shift{{.src = 0, .dst = 1, .size = 4}};
    CHECK(judge(by_hand(exscan, 1, shift)).ok());
    shift.push_back({.size = 1});
    CHECK(judge(by_hand(exscan, 1, shift)) == verdict{verdict::kind::outside_result, 0, 0, buffer::output, 0});
    // Steps 1 and 2 write a byte between the blocks of rank 1.
    const contract all{.collective = collective::allgather, .ranks = 2, .blocks = block_layout(counts, displs)};
    std::vector<edge> both;
    for (rank_t src = 0; src < 2; ++src)
        for (rank_t dst = 0; dst < 2; ++dst)
            both.push_back({.src = src, .dst = dst, .into_offset = 5 * src, .size = 2});
    CHECK(judge(by_hand(all, 3, both)).ok());
    for (const step_t k : {1, 2}) both.push_back({.step = k, .src = 0, .dst = 1, .into_offset = 3, .size = 1});
    CHECK(judge(by_hand(all, 3, both)) == verdict{verdict::kind::outside_result, 2, 1, buffer::output, 3});
}

TEST_CASE("replay: a barrier is correct if every rank is reached from every other") {
    for (rank_t p = 1; p <= 70; ++p) CHECK(verify(support::dissemination_barrier(p)).ok());
    const stored_schedule good = support::dissemination_barrier(5);
    for (std::size_t i = 0; i < good.edges().size(); ++i) {
        std::vector<edge> edges(good.edges().begin(), good.edges().end());
        edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(i));
        CHECK(verify(support::with_edges(good, edges)).finding == verdict::kind::missing_signal);
    }
}

TEST_CASE(
    "replay: bytes that wait to be combined count per step and target, local ones do not, and their sum may not "
    "overflow") {
    const contract reduce{.collective = collective::reduce, .ranks = 3, .bytes = 4};
    auto edges = accumulators(1);
    for (const rank_t src : {1, 2})
        edges.push_back({.step = src, .src = src, .dst = 0, .size = 4, .action = action::combine_after});
    CHECK(judge(by_hand(reduce, 3, edges, 0, 4)).ok());
    CHECK(judge(by_hand(reduce, 3, edges, 0, 3)) == verdict{verdict::kind::small_staging, 1, 0, buffer::output, 4});
    std::vector<edge> local{{.size = 4},
                            {.src = 1, .dst = 0, .size = 4, .into = buffer::scratch},
                            {.step = 1, .size = 4, .from = buffer::scratch, .action = action::combine_after}};
    CHECK(judge(by_hand({.collective = collective::reduce, .ranks = 2, .bytes = 4}, 2, local, 4, 0)).ok());
    constexpr bytes_t large = bytes_t{1} << 62;
    std::vector<edge> sums{{.size = large}};
    for (const rank_t src : {1, 2})
        sums.push_back({.step = 1, .src = src, .dst = 0, .size = large, .action = action::combine_after});
    const contract of_large{.collective = collective::reduce, .ranks = 3, .bytes = large};
    CHECK(verify(by_hand(of_large, 2, sums, 0, INT64_MAX)) ==
          verdict{verdict::kind::small_staging, 1, 0, buffer::output, large});
    sums.back().step = 2;
    CHECK(verify(by_hand(of_large, 3, sums, 0, INT64_MAX)).ok());
}

TEST_CASE("replay: a step with any edges is right exactly if the byte-by-byte replay accepts it") {
    // The blocks are first copied to scratch and finally gathered. Between, the edges of a step are arbitrary.
    const contract gather{.collective = collective::gather, .ranks = 2, .blocks = 6};
    support::random_source random(23);
    int right = 0, wrong = 0;
    for (int round = 0; round < 600; ++round) {
        std::vector<edge> edges;
        for (const rank_t r : {0, 1}) edges.push_back({.src = r, .dst = r, .size = 6, .into = buffer::scratch});
        for (std::int64_t n = 2 + random.below(2); n > 0; --n) {
            edge e{.step = 1, .src = random.below(2), .dst = random.below(2), .size = 1 + random.below(3)};
            e.from_offset = random.below(7 - e.size), e.into_offset = random.below(7 - e.size);
            e.from = random.below(3) == 0 ? buffer::input : buffer::scratch;
            e.into = buffer::scratch;
            if (random.below(3) > 0) {
                e.action = random.below(2) == 0 ? action::combine_before : action::combine_after;
                if (random.below(8) > 0) e.src = 1 - e.dst, e.into_offset = e.from_offset;
            }
            edges.push_back(e);
        }
        for (const rank_t r : {0, 1}) edges.push_back({.step = 2, .src = r, .dst = 0, .into_offset = 6 * r, .size = 6});
        ++(judge(by_hand(gather, 3, edges, 6, 100)).ok() ? right : wrong);
    }
    CHECK(right > 100);
    CHECK(wrong > 100);
}

TEST_CASE("replay: a conflict is reported at its first byte") {
    const contract gather{.collective = collective::gather, .ranks = 2, .blocks = 8};
    const auto judge_step = [&](std::vector<edge> step) {
        std::vector<edge> edges;
        for (const rank_t r : {0, 1}) edges.push_back({.src = r, .dst = r, .size = 8, .into = buffer::scratch});
        for (edge& e : step) e.step = 1, e.into = buffer::scratch, edges.push_back(e);
        for (const rank_t r : {0, 1}) edges.push_back({.step = 2, .src = r, .dst = 0, .into_offset = 8 * r, .size = 8});
        return judge(by_hand(gather, 3, edges, 8, 100));
    };
    const edge first{.src = 0, .dst = 1, .from_offset = 2, .into_offset = 2, .size = 3};
    edge copied{.src = 1, .dst = 1, .from_offset = 0, .into_offset = 1, .size = 2};
    CHECK(judge_step({first, copied}) == verdict{verdict::kind::write_conflict, 1, 1, buffer::scratch, 2});
    copied.into_offset = 4;
    CHECK(judge_step({first, copied}) == verdict{verdict::kind::write_conflict, 1, 1, buffer::scratch, 4});
    copied.into_offset = 5;
    CHECK(judge_step({first, copied}).ok());
    // Neighbors do not conflict, also in a step with a conflict elsewhere.
    const edge before{.src = 0, .dst = 1, .size = 2}, last{.src = 0, .dst = 1, .into_offset = 6, .size = 2};
    edge second{.src = 0, .dst = 1, .from_offset = 2, .into_offset = 2, .size = 2},
        third{.src = 1, .dst = 1, .into_offset = 7, .size = 1};
    CHECK(judge_step({before, second, last, third}) ==
          verdict{verdict::kind::write_conflict, 1, 1, buffer::scratch, 7});
    second.action = third.action = action::combine_after;
    third.src = 0, third.from_offset = 7;
    CHECK(judge_step({before, second, last, third}) ==
          verdict{verdict::kind::write_conflict, 1, 1, buffer::scratch, 7});
    edge reading{.src = 1, .dst = 0, .from_offset = 4, .into_offset = 0, .size = 2, .from = buffer::scratch};
    CHECK(judge_step({first, reading}) == verdict{verdict::kind::overwrites_read, 1, 1, buffer::scratch, 2});
    reading.from_offset = 5;
    CHECK(judge_step({first, reading}).ok());
    edge combined{.src = 1, .dst = 1, .from_offset = 0, .into_offset = 0, .size = 3};
    combined.action = action::combine_after;
    CHECK(judge_step({combined}) == verdict{verdict::kind::combined_twice, 1, 1, buffer::scratch, 0});
    edge foreign{.src = 0, .dst = 1, .from_offset = 1, .into_offset = 1, .size = 3, .action = action::combine_after};
    CHECK(judge_step({first, foreign}) == verdict{verdict::kind::write_conflict, 1, 1, buffer::scratch, 2});
    foreign.from_offset = foreign.into_offset = 4;
    CHECK(judge_step({first, foreign}) == verdict{verdict::kind::write_conflict, 1, 1, buffer::scratch, 4});
    foreign.from_offset = foreign.into_offset = 5;
    CHECK(judge_step({first, foreign}).ok());
}

TEST_CASE("replay: an edge of bytes to themselves writes nothing, so that an earlier step is reported") {
    const contract exscan{.collective = collective::exscan, .ranks = 2, .bytes = 4};
    const std::vector<edge> edges{{.src = 0, .dst = 1, .size = 4},
                                  {.step = 1, .src = 1, .dst = 0, .size = 1, .from = buffer::output},
                                  {.step = 2, .src = 0, .dst = 0, .size = 4}};
    CHECK(judge(by_hand(exscan, 3, edges), binding::in_place) ==
          verdict{verdict::kind::outside_result, 1, 0, buffer::output, 0});
}

TEST_CASE("replay: the bytes that a rank holds are listed by buffer, with their origins") {
    using held = std::vector<std::tuple<detail::operand_id, bytes_t, bytes_t>>;
    const contract gather{.collective = collective::allgather, .ranks = 2, .blocks = 3};
    const std::vector<edge> edges{{.src = 0, .dst = 1, .size = 2, .into = buffer::scratch},
                                  {.src = 0, .dst = 1, .from_offset = 1, .into_offset = 3, .size = 2},
                                  {.src = 1, .dst = 1, .size = 3}};
    const stored_schedule s = by_hand(gather, 1, edges, 4);
    detail::replay state(s, binding::separate);
    REQUIRE(state.step(s.edges()).ok());
    const auto all = [&](rank_t r) {
        held list;
        state.visit_held(
            r, [&](detail::operand_id id, byte_range part) { list.emplace_back(id, part.offset, part.size); });
        return list;
    };
    CHECK(all(0) == held{{0, 0, 3}});
    CHECK(all(1) == held{{1, 0, 3}, {1, 0, 3}, {0, 1, 2}, {0, 0, 2}});
    held output;
    state.visit_output(
        1, {1, 4}, [&](detail::operand_id id, byte_range part) { output.emplace_back(id, part.offset, part.size); });
    CHECK(output == held{{0, 1, 2}, {0, 3, 2}});
}
