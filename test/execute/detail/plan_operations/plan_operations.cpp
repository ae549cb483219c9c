#include "collsched/execute/detail/plan_operations.hpp"

#include <doctest/doctest.h>

#include "collsched/collective/allreduce/recursive_doubling.hpp"

using namespace collsched;
using namespace collsched::detail;

TEST_CASE("plan_operations: a fused combination receives its message, and its receive does nothing") {
    const plan p(allreduce::recursive_doubling{.ranks = 2, .bytes = 8}, 1);
    const plan_operations apart(p, false), fused(p, true);
    std::int64_t receives_apart = 0, receives_fused = 0, combinations = 0;
    for (std::int64_t i = 0; i < apart.size(); ++i) {
        const plan::node& n = apart.node(i);
        CHECK(apart.receives(i) == (n.kind == plan::kind::receive));
        CHECK(!apart.is_fused(i));
        receives_apart += apart.receives(i) ? 1 : 0;
        receives_fused += fused.receives(i) ? 1 : 0;
        if (n.kind == plan::kind::receive) CHECK(fused.does_nothing(i));
        if (n.kind != plan::kind::apply) continue;
        ++combinations;
        CHECK((fused.is_fused(i) && fused.reported_node(i).kind == plan::kind::receive && !fused.does_nothing(i)));
        CHECK((apart.reported_node(i).kind == plan::kind::apply && !apart.does_nothing(i)));
        std::byte in[8], out[8], staging[8];
        const reduction op{};
        const plan::buffers buffers{in, out, nullptr, staging};
        const message::combined_part part = fused.combined(i, buffers, op);
        CHECK((part.into.data == out && part.into.size == 8 && part.op == &op));
        const plan::local_operation work = apart.local(i, buffers, op);
        CHECK((work.into.data == out && work.into.size == 8 && work.op == &op));
    }
    CHECK((receives_apart == 1 && receives_fused == 1 && combinations == 1));
}
