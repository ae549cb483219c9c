#include "collsched/format/pictures/detail/write_html_data.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <iterator>
#include <string>
#include <vector>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/gather/linear.hpp"
#include "collsched/schedule/stored_schedule.hpp"

using namespace collsched;
using nlohmann::json;
using topology::network;

namespace {

/// A star of three ranks, with two parallel links to rank 2.
network star() {
    const network::link links[] = {{0, 3, 10}, {3, 0, 10}, {1, 3, 10}, {3, 1, 10}, {2, 3, 10}, {3, 2, 10}, {3, 2, 30}};
    const std::vector<const char*> names{"a", "b", "</script>", "s"};
    return network(3, 1, links, names);
}

}  // namespace

TEST_CASE("write_html_network: each message has routes over lines, from its sender to its receiver") {
    const stored_schedule s = materialize(allgather::ring{.ranks = 3, .block = 8});
    const link_queue_model model{star(), {}, false};
    std::string text;
    detail::write_html_network(std::back_inserter(text), s, model, binding::separate);
    const std::string begin = "id=\"network\">";
    const std::size_t at = text.find(begin) + begin.size();
    const json data = json::parse(text.substr(at, text.find("</script>", at) - at));
    CHECK(data["names"] == json({"a", "b", "</script>", "s"}));
    CHECK(data["places"].size() == 4);
    REQUIRE(data["lines"].size() == 6);
    const std::vector<detail::traced_message> messages = detail::trace_messages(s);
    REQUIRE(data["routes"].size() == messages.size());
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const json& routes = data["routes"][i];
        CHECK(routes.empty() == messages[i].is_local());
        for (const json& route : routes) {
            CHECK(route[0] == messages[i].bytes);
            const json &first = data["lines"][route[1][0].get<std::size_t>()],
                       &last = data["lines"][route[1][1].get<std::size_t>()];
            CHECK(route[1].size() == 2);
            CHECK(first == json({messages[i].src, 3, 10}));
            CHECK(last == json({3, messages[i].dst, messages[i].dst == 2 ? 40 : 10}));
        }
    }
    for (std::size_t i = 0; i < 6; ++i) CHECK(text.find("data-line=\"" + std::to_string(i) + "\"") != text.npos);
    CHECK(text.find("<title>Network</title>") != text.npos);
}

TEST_CASE("write_html_network: given paths are routes, and a path off the links is an error") {
    const stored_schedule s = materialize(gather::linear{.ranks = 3, .root = 0, .block = 8});
    const network::link links[] = {{1, 0, 10}, {2, 0, 10}, {2, 1, 10}};
    const network net(3, 0, links);
    const auto routes_of = [&](const link_queue_model::router& paths) {
        return detail::network_routes(s, {net, paths, false}, binding::separate, detail::merged_lines(net));
    };
    const auto longest = [](const detail::network_routes& routes) {
        std::size_t most = 0;
        for (const auto& of_message : routes.of_messages())
            for (const auto& [bytes, lines] : of_message) most = std::max(most, lines.size());
        return most;
    };
    CHECK(!routes_of({}).check());
    CHECK(longest(routes_of({})) == 1);
    const auto around = [](const edge& e, std::vector<rank_t>& path) {
        if (e.src == 2) path = {2, 1, 0};
    };
    CHECK(!routes_of(around).check());
    CHECK(longest(routes_of(around)) == 2);
    CHECK(routes_of([](const edge& e, std::vector<rank_t>& path) { path = {e.src, 1, 2, e.dst}; }).check());
    const stored_schedule back = materialize(allgather::ring{.ranks = 3, .block = 8});
    CHECK(detail::network_routes(back, {net, {}, false}, binding::separate, detail::merged_lines(net)).check());
}
