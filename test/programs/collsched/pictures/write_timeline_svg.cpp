#include "examples/programs/collsched/pictures/write_timeline_svg.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/simulate/link_queue_trace.hpp"
#include "collsched/topology/networks.hpp"
#include "collsched/tree/binomial.hpp"

using namespace collsched;
using namespace collsched::pictures;

namespace {

constexpr loggp_model model{.latency_ps = 1'000'000, .overhead_ps = 500'000, .gap_ps = 100'000, .byte_fs = 2'000'000};

pugi::xml_document picture(const execution_graph& graph, std::string_view heading) {
    const simulation made = trace(graph, model);
    std::string text;
    write_timeline_svg(std::back_inserter(text), graph, made, critical_path(graph, model, made), heading);
    pugi::xml_document parsed;
    REQUIRE(parsed.load_string(text.c_str()));
    return parsed;
}
std::int64_t count(const pugi::xml_document& in, const std::string& query) {
    return static_cast<std::int64_t>(in.select_nodes(query.c_str()).size());
}

}  // namespace

TEST_CASE("write_timeline_svg: one line per message, one bar per use of a processor, and one critical path") {
    for (const rank_t p : {1, 2, 7, 40}) {
        const execution_graph graph(allgather::bruck{.ranks = p, .block = 100});
        const pugi::xml_document made = picture(graph, "bruck & co");
        std::int64_t sends = 0, busy = 0;
        const simulation times = trace(graph, model);
        for (std::int64_t i = 0; i < std::ssize(graph.nodes()); ++i) {
            sends += graph[i].kind == execution_graph::kind::send ? 1 : 0;
            busy += graph[i].kind != execution_graph::kind::join &&
                    times.activities[i].busy_until > times.activities[i].begin;
        }
        CHECK(count(made, "//g[starts-with(@class,'way')]") == sends);
        CHECK(count(made, "//rect[starts-with(@class,'busy')]") == busy);
        CHECK(count(made, "//path[@class='path']") == (graph.nodes().empty() ? 0 : 1));
        CHECK(made.child("svg").child_value("title") == std::string("bruck & co"));
    }
}

TEST_CASE("write_timeline_svg: an axis has at most eleven times, also for the largest end") {
    for (const picoseconds last : {picoseconds{0}, picoseconds{9}, picoseconds{10}, picoseconds{123'456},
                                   picoseconds{9'100'000'000'000'000'000}, std::numeric_limits<picoseconds>::max()}) {
        std::vector<picoseconds> times;
        tree_plan_svg_text::for_each_tick(last, [&](picoseconds t) { times.push_back(t); });
        CAPTURE(last);
        REQUIRE(!times.empty());
        CHECK(times.size() <= 11);
        CHECK(times.front() == 0);
        CHECK(times.back() <= last);
        if (last > 0) {
            REQUIRE(times.size() > 1);
            CHECK(last - times.back() < times[1]);
            CHECK(times.size() >= 4);
        }
    }
}

TEST_CASE("write_timeline_svg: bars are at their times") {
    const execution_graph graph(broadcast::over_tree<trees::binomial>{.ranks = 2, .bytes = 1});
    const pugi::xml_document made = picture(graph, "one message");
    // 0.5 us to send, 1 us under way, 0.5 us to receive: the second bar begins after three quarters of the picture.
    const pugi::xml_node send = made.select_node("//rect[contains(title,'send')]").node();
    const pugi::xml_node receive = made.select_node("//rect[contains(title,'receive')]").node();
    REQUIRE((send && receive));
    const double apart = receive.attribute("x").as_double() - send.attribute("x").as_double();
    CHECK(apart == doctest::Approx((1016 - 56) * 0.75).epsilon(0.001));
    CHECK(send.attribute("width").as_double() == doctest::Approx((1016 - 56) * 0.25).epsilon(0.001));
    CHECK(std::string_view(send.child_value("title")) == "rank 0: send 1 byte to 1, 0.000000 to 0.500000 us");
}

TEST_CASE("write_timeline_svg: messages on links have a strip at their sender, and times of the path increase") {
    const link_queue_model links{topology::networks::ring(5, {1'000'000'000, 5000}), {}, false};
    const allgather::bruck x{.ranks = 5, .block = 100};
    const execution_graph graph(x);
    const simulation made = trace(x, graph, links);
    std::string text;
    write_timeline_svg(std::back_inserter(text), graph, made, critical_path(graph, links, made), "on links");
    pugi::xml_document parsed;
    REQUIRE(parsed.load_string(text.c_str()));
    CHECK(count(parsed, "//g[starts-with(@class,'way')]") == count(parsed, "//rect[@class='strip']"));
    const std::string path = parsed.select_node("//path[@class='path']").node().attribute("d").value();
    double before = 0;
    for (std::size_t at = 0; at < path.size(); at = path.find_first_of("ML", at + 1)) {
        if (at == path.npos) break;
        const double x0 = std::stod(path.substr(at + 1));
        CHECK(x0 >= before - 0.11);
        before = x0;
    }
    CHECK(before > 1000);
}
