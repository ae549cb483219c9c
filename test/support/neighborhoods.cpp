#include "support/neighborhoods.hpp"

#include "support/layouts.hpp"

namespace support {

rank_t grid::ranks() const {
    rank_t all = 1;
    for (const rank_t n : dims) all *= n;
    return all;
}

std::vector<rank_t> grid::coordinates(rank_t r) const {
    std::vector<rank_t> x(dims.size());
    for (std::size_t d = dims.size(); d-- > 0; r /= dims[d]) x[d] = r % dims[d];
    return x;
}

rank_t grid::neighbor(rank_t r, std::size_t d, rank_t way) const {
    std::vector<rank_t> x = coordinates(r);
    x[d] += way;
    if (x[d] < 0 || x[d] >= dims[d]) {
        if (periodic[d] == 0) return -1;
        x[d] -= way * dims[d];
    }
    rank_t there = 0;
    for (std::size_t e = 0; e < dims.size(); ++e) there = there * dims[e] + x[e];
    return there;
}

std::vector<grid> small_tori() {
    std::vector<grid> made;
    for (const std::vector<rank_t>& dims :
         std::vector<std::vector<rank_t>>{{1}, {2}, {1, 1}, {2, 1}, {2, 2}, {1, 3}, {3, 3, 2}, {2, 1, 4}})
        made.push_back({dims, std::vector<rank_t>(dims.size(), 1)});
    return made;
}

neighborhood any_graph(rank_t ranks, std::uint64_t seed, rank_t most) {
    random_source random(seed);
    std::vector<std::vector<rank_t>> targets(static_cast<std::size_t>(ranks)), sources(targets);
    for (std::size_t r = 0; r < targets.size(); ++r)
        for (rank_t n = random.below(most + 1); n-- > 0;) {
            const rank_t dst = random.below(5) == 0 ? static_cast<rank_t>(r) : random.below(ranks);
            for (rank_t times = random.below(4) == 0 ? 2 : 1; times-- > 0;) {
                targets[r].push_back(dst);
                auto& list = sources[static_cast<std::size_t>(dst)];
                list.insert(list.begin() + random.below(std::ssize(list) + 1), static_cast<rank_t>(r));
            }
        }
    for (auto* lists : {&targets, &sources}) {
        auto& some = (*lists)[static_cast<std::size_t>(random.below(ranks))];
        some.insert(some.begin() + random.below(std::ssize(some) + 1), neighborhood::none);
    }
    std::vector<rank_t> degrees[2], all[2];
    for (int side = 0; side < 2; ++side)
        for (const auto& list : side == 0 ? targets : sources) {
            degrees[side].push_back(std::ssize(list));
            all[side].insert(all[side].end(), list.begin(), list.end());
        }
    return {degrees[0], all[0], degrees[1], all[1]};
}

std::vector<named_neighborhood> neighborhoods(rank_t ranks) {
    std::vector<named_neighborhood> made;
    const auto add = [&](const std::vector<rank_t>& dims, const std::vector<rank_t>& periodic) {
        std::string name = "grid";
        for (std::size_t d = 0; d < dims.size(); ++d)
            name += " " + std::to_string(dims[d]) + (periodic[d] != 0 ? "p" : "");
        made.push_back({name, neighborhood::cartesian(dims, periodic)});
    };
    add({ranks}, {0});
    add({ranks}, {1});
    add({1, ranks}, {1, 1});
    rank_t middle = 1;
    for (rank_t d = 2; d * d <= ranks; ++d) middle = ranks % d == 0 ? d : middle;
    if (middle > 1) add({ranks / middle, middle}, {1, 1}), add({middle, ranks / middle}, {0, 1});
    if (ranks % 4 == 0) add({2, ranks / 4, 2}, {1, 0, 1});
    made.push_back({"any graph", any_graph(ranks, static_cast<std::uint64_t>(ranks), 3)});
    made.push_back({"another graph", any_graph(ranks, static_cast<std::uint64_t>(ranks) + 100, 5)});
    std::vector<rank_t> degrees(static_cast<std::size_t>(ranks), 1), targets(degrees.size());
    made.push_back({"star", neighborhood(degrees, targets)});
    degrees.assign(degrees.size(), 0);
    made.push_back({"nobody", neighborhood(degrees, {})});
    return made;
}

}  // namespace support
