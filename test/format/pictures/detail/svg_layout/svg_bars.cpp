#include "collsched/collective/gather/linear.hpp"
#include "collsched/format/pictures/detail/svg_layout.hpp"

#include <doctest/doctest.h>

#include "collsched/collective/allgather/circulant_blocks.hpp"
#include "collsched/collective/allgather/ring.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

/// The strokes in the n-th path of a column.
std::string path(const std::string& column, int n) {
    std::size_t at = 0;
    for (int i = 0; i <= n; ++i) at = column.find(" d=\"", at) + 4;
    return column.substr(at, column.find('"', at) - at);
}

/// A column of a picture whose cards are 40 wide and 20 apart.
std::string column(const stored_schedule& s, svg_bars& bars, step_t k, std::span<const traced_message> moved) {
    svg_layout at = lay_out(s, trace_messages(s), 1);
    at.card = 40;
    at.top = 0;
    at.row = 20;
    std::string text;
    pen put(std::back_inserter(text));
    bars.put_column(put, at, k, moved);
    return text;
}

/// The bars of the blocks held after the last delivery, or before the first.
std::string held(const stored_schedule& s, bool after) {
    svg_bars bars(s);
    if (after) bars.deliver(trace_messages(s));
    return path(column(s, bars, 0, {}), 1);
}

}  // namespace

TEST_CASE("svg_bars: before a scatter the root holds all blocks, after it each rank its own") {
    const stored_schedule s = materialize(scatter::linear{.ranks = 2, .root = 1, .block = 4});
    CHECK(held(s, false) == "M0.00 30.0h40.00");
    CHECK(held(s, true) == "M0.00 10.0h20.00M0.00 30.0h40.00");
}

TEST_CASE("svg_bars: a block that comes in parts is held after its last part") {
    const stored_schedule s = materialize(allgather::circulant_blocks{.ranks = 3, .block = 8, .segment = 4});
    CHECK(held(s, false) == "M0.00 10.0h13.33M13.33 30.0h13.33M26.67 50.0h13.33");
    CHECK(held(s, true) == "M0.00 10.0h40.00M0.00 30.0h40.00M0.00 50.0h40.00");
}

TEST_CASE("svg_bars: bars show the blocks held and sent") {
    const stored_schedule s = materialize(allgather::ring{.ranks = 2, .block = 1});
    const std::vector<traced_message> messages = trace_messages(s);
    svg_bars bars(s);
    const std::string before = column(s, bars, 0, messages);
    CHECK(path(before, 0) == "M0 10.0h40.0M0 30.0h40.0");
    CHECK(path(before, 1) == "M0.00 10.0h20.00M20.00 30.0h20.00");
    CHECK(path(before, 2) == path(before, 1));
    bars.deliver(messages);
    const std::string after = column(s, bars, 1, {});
    CHECK(path(after, 1) == "M0.00 10.0h40.00M0.00 30.0h40.00");
    CHECK(path(after, 2) == "");
}
