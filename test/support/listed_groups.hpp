#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "collsched/combine/run_in_groups.hpp"
#include "support/layouts.hpp"

namespace support {

using namespace collsched;

/// Groups given by lists of members in any order. Ranks may be in no group. Every member function searches the lists.
struct listed_groups {
    rank_t all = 0;
    std::vector<std::vector<rank_t>> members;

    rank_t ranks() const { return all; }
    rank_t groups() const { return std::ssize(members); }
    rank_t size(rank_t g) const { return std::ssize(of(g)); }
    rank_t member(rank_t g, rank_t i) const { return of(g)[static_cast<std::size_t>(i)]; }
    rank_t group(rank_t r) const { return seat(r).first; }
    rank_t index(rank_t r) const { return seat(r).second; }
    template <class F>
    void kinds(F f) const {
        for (rank_t g = 0; g < groups(); ++g) f(g);
    }
    template <class F>
    void describe(F f) const {
        f(all);
        for (rank_t r = 0; r < all; ++r) f(group(r)), f(index(r));
    }

  private:
    const std::vector<rank_t>& of(rank_t g) const { return members[static_cast<std::size_t>(g)]; }
    std::pair<rank_t, rank_t> seat(rank_t r) const {
        for (rank_t g = 0; g < groups(); ++g)
            for (rank_t i = 0; i < size(g); ++i)
                if (member(g, i) == r) return {g, i};
        return {-1, -1};
    }
};

/// Some ranks, in any order, in up to `most` groups, none of them empty.
inline listed_groups any_groups(rank_t ranks, rank_t most, std::uint64_t seed) {
    random_source random(seed);
    const permutation order = shuffled_ranks(ranks, seed);
    std::vector<std::vector<rank_t>> members(static_cast<std::size_t>(most));
    for (rank_t v = 0; v < ranks; ++v)
        if (const rank_t g = random.below(most + 1); g < most)
            members[static_cast<std::size_t>(g)].push_back(order.rank(v));
    std::erase_if(members, [](const auto& group) { return group.empty(); });
    return {ranks, members};
}

/// All ranks as one group, in this order.
inline listed_groups one_group(rank_t ranks, const permutation& order) {
    std::vector<rank_t> members;
    for (rank_t v = 0; v < ranks; ++v) members.push_back(order.rank(v));
    return {ranks, {members}};
}

/// The first difference of two groupings; or "". Ranks without a group have no index.
template <grouping_of_ranks A, grouping_of_ranks B>
std::string first_difference(const A& a, const B& b) {
    if (a.ranks() != b.ranks() || a.groups() != b.groups()) return "how many";
    for (rank_t g = 0; g < a.groups(); ++g) {
        if (a.size(g) != b.size(g)) return "the size of group " + std::to_string(g);
        for (rank_t i = 0; i < a.size(g); ++i)
            if (a.member(g, i) != b.member(g, i)) return "the members of group " + std::to_string(g);
    }
    for (rank_t r = 0; r < a.ranks(); ++r) {
        if (a.group(r) != b.group(r)) return "the group of rank " + std::to_string(r);
        if (a.group(r) >= 0 && a.index(r) != b.index(r)) return "the index of rank " + std::to_string(r);
    }
    return "";
}

}  // namespace support
