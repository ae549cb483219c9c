#include "collsched/format/pictures/detail/holdings.hpp"

#include <doctest/doctest.h>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/format/text.hpp"
#include "support/layouts.hpp"
#include "support/registry.hpp"
#include "support/small_schedules.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

/// Amounts by rank and column after all steps. `checked` is called with those before the first step.
template <class F>
std::vector<std::vector<holding>> end_of(const stored_schedule& s, const holdings& held, F at_first) {
    std::vector<std::vector<holding>> table(static_cast<std::size_t>(s.ranks),
                                            std::vector<holding>(held.columns().size()));
    const verdict found = held.for_each_step([&](step_t step, std::span<const holding> changed) {
        for (const holding& one : changed) table[static_cast<std::size_t>(one.rank)][one.column] = one;
        if (step < 0) at_first(table);
    });
    CHECK(found.ok());
    return table;
}

/// The number of operands combined in rank r's result of a column.
rank_t promised_operands(const contract& c, rank_t r) {
    rank_t operands = 0;
    c.results(r, [&](const contract::result_range& part) { operands = part.last - part.first; });
    return operands;
}

}  // namespace

TEST_CASE("holdings: a rank begins with its input and ends with its result") {
    for (rank_t p = 1; p <= 9; ++p)
        for (const auto& [name, blocks] : support::layouts(p))
            for (const algorithm_entry& entry : support::registered_at(p)) {
                CAPTURE(p);
                CAPTURE(name);
                CAPTURE(schedule_name(entry.info));
                const stored_schedule s = materialize(entry.make({.ranks = p, .block = blocks, .bytes = 2 * p + 1}));
                const contract& c = s.contract();
                const holdings held(s, binding::separate);
                const auto end = end_of(s, held, [&](const auto& table) {
                    for (std::size_t i = 0; i < held.columns().size(); ++i)
                        for (rank_t r = 0; r < p; ++r) {
                            const rank_t owner = held.columns()[i].owner;
                            const bool own = owner == held_column::all_ranks || owner == r;
                            const std::int64_t all = reduces(c.collective) ? 1 : held.full_amount(i);
                            CHECK(table[static_cast<std::size_t>(r)][i].amount == (own ? all : 0));
                        }
                });
                for (std::size_t i = 0; i < held.columns().size(); ++i)
                    for (rank_t r = 0; r < p; ++r) {
                        if (!held.promised(r, i)) continue;
                        const std::int64_t amount = end[static_cast<std::size_t>(r)][i].amount;
                        if (reduces(c.collective)) CHECK(amount >= promised_operands(c, r));
                        else CHECK(amount == held.full_amount(i));
                    }
            }
}

TEST_CASE("holdings: the blocks that a ring brings per step") {
    const stored_schedule s = materialize(allgather::ring{.ranks = 3, .block = 2});
    std::vector<std::vector<holding>> changes;
    const holdings held(s, binding::separate);
    held.for_each_step(
        [&](step_t, std::span<const holding> changed) { changes.emplace_back(changed.begin(), changed.end()); });
    REQUIRE(changes.size() == 3);
    CHECK(changes[0] == std::vector<holding>{{0, 0, 2}, {1, 1, 2}, {2, 2, 2}});
    CHECK(changes[1] == std::vector<holding>{{0, 2, 2}, {1, 0, 2}, {2, 1, 2}});
    CHECK(changes[2] == std::vector<holding>{{0, 1, 2}, {1, 2, 2}, {2, 0, 2}});
}

TEST_CASE("holdings: in a reduction the ranks whose operands are combined are named") {
    const stored_schedule s = support::linear_reduce(4, 8);
    const auto end = end_of(s, holdings(s, binding::separate), [](const auto&) {});
    CHECK(end[0][0].contributors == "0-3");
    CHECK(end[0][0].amount == 4);
    CHECK(end[2][0].contributors == "2");
}

TEST_CASE("holdings: parts of blocks count their bytes once, also if stored twice") {
    const contract contract{.collective = collective::allgather, .ranks = 2, .blocks = 8};
    const stored_schedule s = support::by_hand(
        contract, 2,
        {{.step = 0, .src = 0, .dst = 1, .size = 3}, {.step = 1, .src = 0, .dst = 1, .into_offset = 3, .size = 5}});
    std::vector<std::int64_t> amounts;
    holdings(s, binding::separate).for_each_step([&](step_t, std::span<const holding> changed) {
        for (const holding& one : changed)
            if (one.rank == 1 && one.column == 0) amounts.push_back(one.amount);
    });
    CHECK(amounts == std::vector<std::int64_t>{3, 5});
}

TEST_CASE("holdings: the holdings of a barrier are the ranks reached") {
    const stored_schedule s = support::dissemination_barrier(5);
    const auto end = end_of(s, holdings(s, binding::separate), [](const auto& table) {
        CHECK(table[3][3].amount == 1);
        CHECK(table[3][2].amount == 0);
    });
    for (const auto& row : end)
        for (const holding& one : row) CHECK(one.amount == 1);
}

TEST_CASE("holdings: a schedule is followed up to its first error") {
    const contract contract{.collective = collective::allgather, .ranks = 2, .blocks = 4};
    const stored_schedule s = support::by_hand(contract, 2,
                                               {{.step = 0, .src = 0, .dst = 1, .size = 4},
                                                {.step = 1, .src = 0, .dst = 1, .size = 4, .from = buffer::scratch}});
    std::vector<step_t> steps;
    const verdict found = holdings(s, binding::separate).for_each_step([&](step_t k, auto) { steps.push_back(k); });
    CHECK_FALSE(found.ok());
    CHECK(found.step == 1);
    CHECK(steps == std::vector<step_t>{-1, 0});
}
