#include "collsched/format/svg_bars.hpp"

#include <doctest/doctest.h>

#include "collsched/collective/allgather/ring.hpp"

using namespace collsched;

namespace {

/// The strokes in the n-th path of a column.
std::string path(const std::string& column, int n) {
    std::size_t at = 0;
    for (int i = 0; i <= n; ++i) at = column.find(" d=\"", at) + 4;
    return column.substr(at, column.find('"', at) - at);
}

}  // namespace

TEST_CASE("bars show what is held, and what is sent") {
    const stored_schedule s = materialise(allgather::ring{.ranks = 2, .block = 1});
    const std::vector<traced_message> messages = trace_messages(s);
    svg_layout at = lay_out(s, messages, 1);
    at.card = 40;
    at.top = 0;
    at.row = 20;
    svg_bars bars(s);
    const auto column = [&](step_t k, std::span<const traced_message> moved) {
        std::string text;
        pen put(std::back_inserter(text));
        bars.put_column(put, at, k, moved);
        return text;
    };
    const std::string before = column(0, messages);
    CHECK(path(before, 0) == "M0 10.0h40.0M0 30.0h40.0");
    CHECK(path(before, 1) == "M0.00 10.0h20.00M20.00 30.0h20.00");
    CHECK(path(before, 2) == path(before, 1));
    bars.deliver(messages);
    const std::string after = column(1, {});
    CHECK(path(after, 1) == "M0.00 10.0h40.00M0.00 30.0h40.00");
    CHECK(path(after, 2) == "");
}
