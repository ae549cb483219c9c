#include "support/placements.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

namespace support {

topology::placement placed_as(std::string_view letters) {
    std::vector<rank_t> seats;
    for (const char letter : letters) seats.push_back(letter - 'A');
    return topology::placement::list(seats, 26);
}

topology::placement placed_as(std::string_view letters, rank_t ranks) {
    std::string all;
    while (static_cast<rank_t>(all.size()) < ranks) all += letters[all.size() % letters.size()];
    return placed_as(all);
}

std::vector<named_placement> placements(rank_t ranks) {
    using topology::placement;
    std::vector<rank_t> stairs, random, few;
    for (rank_t node = 0; static_cast<rank_t>(stairs.size()) < ranks; ++node)
        stairs.insert(stairs.end(), static_cast<std::size_t>(node + 1), node);
    stairs.resize(static_cast<std::size_t>(ranks));
    random_source source(static_cast<std::uint64_t>(ranks));
    for (rank_t r = 0; r < ranks; ++r) {
        random.push_back(source.below(ranks));
        few.push_back(2 * source.below(3) + 1);
    }
    return {{"none", {}},
            {"together", placement::block(ranks, 1)},
            {"alone", placement::block(ranks, ranks)},
            {"block", placement::block(ranks, (ranks + 3) / 4)},
            {"stairs", placement::list(stairs, ranks)},
            {"cyclic", placement::cyclic(ranks, (ranks + 2) / 3)},
            {"ABBA", placed_as("ABBA", ranks)},
            {"AABBBA", placed_as("AABBBA", ranks)},
            {"ABABBA", placed_as("ABABBA", ranks)},
            {"random", placement::list(random, ranks)},
            {"few", placement::list(few, 7)}};
}

crowd::crowd(const topology::placement& where, rank_t p) : fullest(p), runs(1), longest(p) {
    if (where.ranks() == 0) return;
    std::vector<rank_t> held(static_cast<std::size_t>(where.nodes()));
    std::set<rank_t> used;
    runs = longest = 0;
    rank_t here = 0;
    for (rank_t r = 0; r < p; ++r) {
        const rank_t own = where.node(r);
        used.insert(own);
        ++held[static_cast<std::size_t>(own)];
        const bool new_run = r == 0 || where.node(r - 1) != own;
        runs += new_run ? 1 : 0;
        here = new_run ? 1 : here + 1;
        longest = std::max(longest, here);
    }
    nodes = static_cast<rank_t>(used.size());
    fullest = *std::max_element(held.begin(), held.end());
}

}  // namespace support
