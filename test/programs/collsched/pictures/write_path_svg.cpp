#include "examples/programs/collsched/pictures/write_path_svg.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include <pugixml.hpp>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/tree/binomial.hpp"

using namespace collsched;
using namespace collsched::pictures;

namespace {

struct drawn_path {
    std::vector<simulation::path_interval> intervals;
    pugi::xml_document svg{};

    drawn_path(const execution_graph& graph, const loggp_model& model) {
        const simulation run = trace(graph, model);
        intervals = path_intervals(graph, model, run);
        std::string text;
        write_path_svg(std::back_inserter(text), graph, run.completion, critical_path(graph, model, run), intervals, {},
                       "a < b", "note");
        REQUIRE(svg.load_string(text.c_str()));
    }
    std::int64_t count(const char* query) const { return static_cast<std::int64_t>(svg.select_nodes(query).size()); }
};

}  // namespace

TEST_CASE("write_path_svg: each interval is in the strip and among the ranks, with its use and its times") {
    const loggp_model model{.latency_ps = 1'000'000, .overhead_ps = 500'000, .gap_ps = 100'000, .byte_fs = 2'000'000};
    for (const rank_t p : {1, 2, 7, 40}) {
        const drawn_path made(execution_graph(allgather::ring{.ranks = p, .block = 100}), model);
        CHECK(made.count("//rect[title]") == std::ssize(made.intervals));
        CHECK(made.count("//path[title]") == std::ssize(made.intervals));
        CHECK(made.count("//path[contains(title,'latency')]") == p - 1);
        CHECK(made.svg.child("svg").child_value("title") == std::string("a < b"));
    }
}

TEST_CASE("write_path_svg: a message is a line from its sender to its receiver") {
    // Sending, latency and receiving take 1 us each: thirds of the 960 units from 56 on.
    const loggp_model model{.latency_ps = 1'000'000, .overhead_ps = 1'000'000};
    const drawn_path made(execution_graph(broadcast::over_tree<trees::binomial>{.ranks = 2, .bytes = 1}), model);
    const pugi::xml_node flight = made.svg.select_node("//path[contains(title,'latency')]").node();
    CHECK(flight.attribute("d").as_string() == std::string("M376 169L696 203"));
    CHECK(flight.child_value("title") == std::string("rank 0: send 1 byte to 1, latency from 1.000000 to 2.000000 us"));
    const pugi::xml_node work = made.svg.select_node("//path[contains(title,'receive')]").node();
    CHECK(work.attribute("d").as_string() == std::string("M696 203L1016 203"));
}

TEST_CASE("write_path_svg: a run that takes no time has an empty picture") {
    const drawn_path made(execution_graph(broadcast::over_tree<trees::binomial>{.ranks = 1, .bytes = 1}),
                          {.copy_fs = 0});
    CHECK(made.intervals.empty());
    CHECK(made.count("//path[title]") == 0);
}
