#include "collsched/tree/detail/switch_paths.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "support/transfer_oracle.hpp"

using namespace collsched;
using topology::network;
using trees::detail::link_times;
using trees::detail::switch_path;
using trees::detail::switch_paths;

namespace {

/// The arrival of the path to `to` from each rank.
std::map<rank_t, std::int64_t> arrivals(const switch_paths& paths, rank_t to) {
    std::map<rank_t, std::int64_t> found;
    paths.visit(to, [&](const switch_path& path, std::int64_t i) {
        CHECK(paths[i].arrival == path.arrival);
        CHECK(found.emplace(path.from, path.arrival).second);
    });
    return found;
}

/// Rank 0 and rank 1 at switch 3, rank 2 behind switch 4: 10 ps per link, and 100 ps from rank 0 to rank 1 directly.
const std::vector<network::link> links{{0, 1, 10'000'000'000, 0},  {0, 3, 100'000'000'000, 0},
                                       {3, 1, 100'000'000'000, 0}, {1, 3, 100'000'000'000, 0},
                                       {3, 4, 100'000'000'000, 0}, {4, 2, 100'000'000'000, 0}};

}  // namespace

TEST_CASE("switch_paths: the earliest arrival over switches, not over ranks") {
    const network net(3, 2, links);
    const link_times times(net, 1, true, 10);
    switch_paths paths(net, times.of);
    paths.search(5);
    CHECK(arrivals(paths, 0).empty());
    CHECK(arrivals(paths, 1) == std::map<rank_t, std::int64_t>{{0, 25}});
    CHECK(arrivals(paths, 2) == std::map<rank_t, std::int64_t>{{0, 35}, {1, 35}});
    CHECK(paths.wake == INT64_MAX);
}

TEST_CASE("switch_paths: a path begins when its later links are free as the chunk reaches them") {
    const network net(3, 2, links);
    const link_times times(net, 1, true, 10);
    switch_paths paths(net, times.of);
    paths.search(0);
    std::vector<std::pair<std::int64_t, std::int64_t>> used;
    paths.visit(2, [&](const switch_path& path, std::int64_t) {
        if (path.from != 0) return;
        CHECK(paths.last_link(path) == 5);
        CHECK(paths.usable(path, 0));
        paths.occupy(path, 0, [&](std::int64_t link, std::int64_t begin) { used.emplace_back(link, begin); });
        CHECK(!paths.usable(path, 0));
        CHECK(!paths.usable(path, 9));
        CHECK(paths.usable(path, 10));
    });
    CHECK(used == std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 0}, {4, 10}, {5, 20}});
    CHECK(paths.free_from(5) == 30);
    paths.search(5);  // rank 1 reaches switch 3 at 15, where the link to switch 4 is in use up to 20
    CHECK(arrivals(paths, 2).empty());
    CHECK(arrivals(paths, 1) == std::map<rank_t, std::int64_t>{{0, 105}});
    CHECK(paths.wake == 10);
    paths.search(10);
    CHECK(arrivals(paths, 2) == std::map<rank_t, std::int64_t>{{0, 40}, {1, 40}});
}
