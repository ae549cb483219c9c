#include "collsched/format/schedules/write_msccl.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "collsched/core/detail/splitmix64.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

using graph = std::set<std::pair<rank_t, rank_t>>;

/// As few channels as possible, with at most so many peers each.
void check_channels(rank_t ranks, const graph& connections, std::int64_t peers) {
    const msccl_channels channels(ranks, connections, peers);
    std::map<std::pair<bool, rank_t>, std::int64_t> degree;
    std::map<std::tuple<bool, rank_t, std::int64_t>, std::int64_t> used;
    std::int64_t most = 0, most_used = 0;
    for (const auto& [from, to] : connections) {
        most = std::max({most, ++degree[{true, from}], ++degree[{false, to}]});
        const std::int64_t channel = channels.of(from, to);
        CHECK(channel >= 0);
        CHECK(channel < channels.size());
        most_used = std::max({most_used, ++used[{true, from, channel}], ++used[{false, to, channel}]});
    }
    CHECK(most_used <= peers);
    CHECK(channels.size() == std::max<std::int64_t>(1, (most + peers - 1) / peers));
}

}  // namespace

TEST_CASE("channels: as few as the largest number of peers requires, in any graph") {
    detail::splitmix64 random(3);
    for (int run = 0; run < 300; ++run) {
        const rank_t ranks = random.between(2, 40);
        graph connections;
        const std::int64_t wanted = random.between(0, 2 * ranks * ranks);
        for (std::int64_t i = 0; i < wanted; ++i) {
            const rank_t from = random.between(0, ranks - 1), to = random.between(0, ranks - 1);
            if (from != to) connections.emplace(from, to);
        }
        CAPTURE(run);
        check_channels(ranks, connections, random.between(1, 9));
    }
}

TEST_CASE("channels: complete graphs, stars, none") {
    for (const rank_t ranks : {2, 33, 34, 70}) {
        graph complete, star;
        for (rank_t from = 0; from < ranks; ++from)
            for (rank_t to = 0; to < ranks; ++to) {
                if (from != to) complete.emplace(from, to);
                if (from == 1 && to != 1) star.emplace(from, to);
            }
        check_channels(ranks, complete, 32);
        check_channels(ranks, star, 32);
        check_channels(ranks, {}, 32);
    }
}
