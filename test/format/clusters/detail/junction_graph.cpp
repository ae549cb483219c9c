#include "collsched/format/clusters/detail/junction_graph.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/graphs.hpp"

using namespace collsched;
using namespace collsched::detail;
using topology::network;

namespace {

const text_file file{"f", ""};

std::vector<std::string> names(const network& net) {
    std::vector<std::string> all;
    for (rank_t v = 0; v < net.vertices(); ++v) all.emplace_back(net.name(v));
    return all;
}
/// Two ranks, a and b.
struct pair : junction_graph {
    pair() : junction_graph(file, 7) {
        add_vertex("a");
        add_vertex("b");
    }
};
/// A route from rank 0 to rank 1, or back, over links of one bandwidth per number; 0 is FATPIPE.
network chain(const std::vector<std::int64_t>& bandwidths) {
    pair graph;
    rank_t here = 0;
    for (const std::int64_t one : bandwidths) {
        const junction_graph::ends bus = graph.add_bus("l", one, 3);
        graph.join(here, bus.entry);
        here = bus.exit;
    }
    graph.join(here, 1);
    return graph.network(2);
}

}  // namespace

TEST_CASE("junction_graph: a link of one route leads from the vertex before it to the vertex after it") {
    CHECK(support::sorted_links(chain({5})) == std::vector<network::link>{{0, 1, 5, 3}});
    const network two = chain({5, 7});
    CHECK(support::sorted_links(two) == std::vector<network::link>{{0, 2, 5, 3}, {2, 1, 7, 3}});
    CHECK(names(two).size() == 3);
}

TEST_CASE("junction_graph: a link between several vertices has an entry and an exit") {
    pair graph;
    const junction_graph::ends bus = graph.add_bus("l", 5, 3);
    for (const rank_t r : {0, 1, 0}) {
        graph.join(r, bus.entry);
        graph.join(bus.exit, r);
    }
    graph.join(bus.exit, bus.entry);
    const network net = graph.network(2);
    CHECK(names(net) == std::vector<std::string>{"a", "b", "l", "l_out"});
    CHECK(support::sorted_links(net) ==
          std::vector<network::link>{{0, 2, 5, 0}, {1, 2, 5, 0}, {2, 3, 5, 3}, {3, 0, 5, 0}, {3, 1, 5, 0}});
}

TEST_CASE("junction_graph: a junction between two links has the smaller bandwidth") {
    pair graph;
    const junction_graph::ends first = graph.add_bus("l", 5, 0), second = graph.add_bus("m", 4, 0);
    for (const rank_t r : {0, 1})
        for (const junction_graph::ends& one : {first, second}) {
            graph.join(r, one.entry);
            graph.join(one.exit, r);
        }
    graph.join(first.exit, second.entry);
    const std::vector<network::link> links = support::sorted_links(graph.network(2));
    CHECK(links.size() == 2 * 5 + 1);
    CHECK(std::count(links.begin(), links.end(), network::link{3, 4, 4, 0}) == 1);
}

TEST_CASE("junction_graph: vertices without links are omitted, but not ranks, and names are made different") {
    pair graph;
    const rank_t same = graph.add_vertex("a"), unused = graph.add_vertex("unused");
    graph.add_link(0, same, 5, 3);
    graph.join(unused, unused);
    const network net = graph.network(2);
    CHECK(names(net) == std::vector<std::string>{"a", "b", "a_"});
    CHECK(support::sorted_links(net) == std::vector<network::link>{{0, 2, 5, 3}});
}

TEST_CASE("junction_graph: a link without limit has the sum of all others, and is an error on a path without others") {
    CHECK(support::sorted_links(chain({5, 0, 7})) ==
          std::vector<network::link>{{0, 2, 5, 3}, {2, 3, 12, 3}, {3, 1, 7, 3}});
    CHECK(support::sorted_links(chain({0, 7})) == std::vector<network::link>{{0, 2, 7, 3}, {2, 1, 7, 3}});
    for (const std::vector<std::int64_t>& wrong : {std::vector<std::int64_t>{}, {0}, {0, 0}})
        CHECK_THROWS_WITH_AS(chain(wrong),
                             "f:7: got a path to \"b\" without a limit, expected a SPLITDUPLEX or SHARED link on each "
                             "path between hosts: FATPIPE links do not limit the sum of messages",
                             input_error);
    const std::int64_t most = std::int64_t{1} << 62;
    CHECK(chain({most, most}).check().argument == nullptr);
    CHECK_THROWS_WITH_AS(chain({most, most, 0}),
                         "f:7: got links of 2^63 bytes per second or more together, expected less", input_error);
}
