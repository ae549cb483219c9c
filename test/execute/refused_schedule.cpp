// Schedules whose check() reports an error: docs/schedule.md, "Refused schedules". Under the sanitizers no call may overflow.

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "collsched/cost/rank_account.hpp"
#include "collsched/execute/plan.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/schedule/metrics.hpp"
#include "collsched/schedule/stored_schedule.hpp"
#include "collsched/simulate/execution_graph.hpp"
#include "collsched/verify/verify.hpp"
#include "support/brief.hpp"
#include "support/registry.hpp"

using namespace collsched;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                       least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t numbers[] = {least, least + 1,        -(INT64_C(1) << 62), -(INT64_C(1) << 31),    -1,  0, 1,
                                    3,     INT64_C(1) << 31, INT64_C(1) << 62,    (INT64_C(1) << 62) + 1, most};

constexpr std::int64_t shape::* settings[] = {&shape::root,  &shape::element, &shape::segment,  &shape::radix,
                                              &shape::group, &shape::window,  &shape::aggregate};

/// f(shape) for shapes of which many are refused: each parameter alone, and with a message as large as any.
template <class F>
void for_each_bad_shape(F f) {
    for (const std::int64_t value : numbers) {
        f(shape{.ranks = value, .block = 4, .bytes = 8});
        f(shape{.ranks = value, .root = value, .block = value, .bytes = value});
        for (const rank_t ranks : {rank_t{1}, rank_t{6}, rank_t{1} << 40}) {
            f(shape{.ranks = ranks, .block = value, .bytes = value});
            for (const auto member : settings)
                for (const bytes_t bytes : {bytes_t{8}, most}) {
                    shape wanted{.ranks = ranks, .block = bytes, .bytes = bytes};
                    wanted.*member = value;
                    f(wanted);
                }
        }
    }
}

/// The error with which a function refuses a schedule.
template <class F>
argument_error refusal_of(F f) {
    try {
        f();
    } catch (const bad_argument& wrong) {
        return wrong.error();
    }
    return {};
}

}  // namespace

TEST_CASE("refused schedules: check() reports the same error each time, and functions of the library throw it") {
    std::size_t refused = 0, seen = 0;
    for (const algorithm_entry& entry : compiled::whole_registry())
        for_each_bad_shape([&](const shape& wanted) {
            any_schedule s = entry.make(wanted);
            const argument_error wrong = s.check();
            if (!wrong) return;
            ++refused;
            INFO(std::string(name_of(entry.info.collective)), "/", std::string(entry.info.name),
                 " ranks=", wanted.ranks, " root=", wanted.root, " bytes=", wanted.bytes, " element=", wanted.element,
                 " segment=", wanted.segment, " radix=", wanted.radix, " group=", wanted.group,
                 " window=", wanted.window, " aggregate=", wanted.aggregate);
            const any_schedule copy = s, moved = std::move(s);
            for (const any_schedule* one : {&copy, &moved}) REQUIRE(one->check() == wrong);
            if (seen++ % (support::long_run() ? 1 : 11 * support::one_of()) != 0) return;
            REQUIRE(refusal_of([&] {
                        for (const edge& e : program(copy, 0)) REQUIRE(e.step < 0);
                    }) == wrong);
            REQUIRE(refusal_of([&] { (void)edges(copy).begin(); }) == wrong);
            REQUIRE(refusal_of([&] { (void)edges_at(copy, 0).begin(); }) == wrong);
            REQUIRE(refusal_of([&] { (void)materialize(copy); }) == wrong);
            REQUIRE(refusal_of([&] { (void)metrics(copy); }) == wrong);
            REQUIRE(refusal_of([&] { (void)account(copy, 0); }) == wrong);
            REQUIRE(refusal_of([&] { (void)verify(copy); }) == wrong);
            REQUIRE(refusal_of([&] { (void)execution_graph(copy); }) == wrong);
            REQUIRE(refusal_of([&] { (void)plan(copy, 0); }) == wrong);
        });
    CHECK(refused > 10'000);
}
