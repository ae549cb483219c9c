#include "examples/programs/collsched/texts/write_trace.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/collective/barrier/dissemination.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/simulate/link_queue_trace.hpp"
#include "collsched/topology/networks.hpp"
#include "collsched/tree/chain.hpp"

using namespace collsched;
using namespace collsched::texts;
using nlohmann::json;

namespace {

constexpr loggp_model model{.latency_ps = 1'000'000, .overhead_ps = 500'000, .gap_ps = 100'000, .byte_fs = 2'000'000};

json trace_of(const execution_graph& graph) {
    const simulation made = trace(graph, model);
    std::string text;
    write_trace(std::back_inserter(text), graph, made, critical_path(graph, model, made));
    return json::parse(text);
}

}  // namespace

TEST_CASE("write_trace: the action of a node in words") {
    const execution_graph graph(allreduce::recursive_doubling{.ranks = 2, .bytes = 8});
    std::vector<std::string> texts;
    for (std::int64_t i = graph.first(0); i < graph.first(1); ++i) texts.push_back(activity_text(graph, i));
    CHECK(texts == std::vector<std::string>{"send 8 bytes to 1", "receive 8 bytes from 1", "combine 8 bytes"});
    CHECK(activity_text(execution_graph(allgather::ring{.ranks = 1, .block = 8}), 0) == "copy 8 bytes");
    const execution_graph meeting(barrier::dissemination{.ranks = 2});
    CHECK(activity_text(meeting, 0) == "send a signal to 1");
}

TEST_CASE(
    "write_trace: every activity is a bar, every message an arrow with two ends, and times are those of the run") {
    const execution_graph graph(allgather::bruck{.ranks = 5, .block = 100});
    const simulation made = trace(graph, model);
    const json all = trace_of(graph)["traceEvents"];
    std::map<std::string, std::size_t> count;
    std::map<int, std::string> arrows;
    double latest = 0;
    for (const json& one : all) {
        const std::string phase = one["ph"];
        ++count[phase];
        if (phase == "X") latest = std::max(latest, one["ts"].get<double>() + one["dur"].get<double>());
        if (phase == "s" || phase == "f") arrows[one["id"]] += phase;
    }
    std::size_t nodes = 0, sends = 0;
    for (const execution_graph::node& n : graph.nodes()) {
        nodes += n.kind != execution_graph::kind::join ? 1U : 0U;
        sends += n.kind == execution_graph::kind::send ? 1U : 0U;
    }
    CHECK(count["M"] == 4 * 5);
    CHECK(count["X"] == nodes + sends);  // a message that leaves after its processor's part has a bar of its own
    CHECK(arrows.size() == sends);
    for (const auto& [message, ends] : arrows) CHECK((ends == "sf" || ends == "fs"));
    CHECK(latest == doctest::Approx(static_cast<double>(made.completion) / 1e6));
}

TEST_CASE("write_trace: bars of the critical path are marked") {
    const execution_graph graph(broadcast::over_tree<trees::chain>{.ranks = 3, .bytes = 8}, binding::in_place);
    const json chain = trace_of(graph)["traceEvents"];
    for (const json& one : chain)
        if (one["ph"] == "X") CHECK(one["args"]["critical"] == true);
    const execution_graph star(broadcast::over_tree<trees::flat>{.ranks = 4, .bytes = 8}, binding::in_place);
    std::size_t critical = 0, other = 0;
    const json flat = trace_of(star)["traceEvents"];
    for (const json& one : flat)
        if (one["ph"] == "X") ++(one["args"]["critical"] == true ? critical : other);
    CHECK(critical > 0);
    CHECK(other > 0);
}

TEST_CASE("write_trace: the path as lines") {
    const execution_graph graph(broadcast::over_tree<trees::chain>{.ranks = 3, .bytes = 1}, binding::in_place);
    const simulation made = trace(graph, model);
    std::string text;
    write_path(std::back_inserter(text), graph, made, critical_path(graph, model, made));
    CHECK(text ==
          "rank 0 send 1 byte to 1 begin_us=0.000000 end_us=0.500000 after=start\n"
          "rank 1 receive 1 byte from 0 begin_us=1.500000 end_us=2.000000 after=message\n"
          "rank 1 send 1 byte to 2 begin_us=2.000000 end_us=2.500000 after=order\n"
          "rank 2 receive 1 byte from 1 begin_us=3.500000 end_us=4.000000 after=message\n");
}

TEST_CASE("write_trace: a track per link that transfers occupied, with bars that follow each other") {
    const link_queue_model links{topology::networks::ring(4, {1'000'000'000, 5000}), {}, false};
    const allgather::ring x{.ranks = 4, .block = 100};
    const execution_graph graph(x);
    const simulation made = trace(x, graph, links);
    const std::vector<std::string> names{"a \"b\""};
    std::string text;
    write_trace(std::back_inserter(text), graph, made, critical_path(graph, links, made), names);
    std::set<std::string> tracks;
    std::map<int, double> free;
    std::size_t bars = 0, sending = 0;
    const json all = json::parse(text);
    for (const json& one : all["traceEvents"]) {
        if (one["name"] == "thread_name" && one["pid"] == 4) tracks.insert(one["args"]["name"]);
        if (one["ph"] != "X") continue;
        sending += one["pid"] != 4 && one["tid"] == 1;
        if (one["pid"] != 4) continue;
        ++bars;
        CHECK(one["args"]["bytes"] == 100);
        CHECK(one["ts"].get<double>() >= free[one["tid"]] - 1e-9);
        free[one["tid"]] = one["ts"].get<double>() + one["dur"].get<double>();
    }
    CHECK(bars == 12);
    CHECK(sending == 0);
    CHECK(tracks.size() == 4);
    CHECK(tracks.contains("a \"b\""));
}
