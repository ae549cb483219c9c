// Relations that every node can generate from a seed, cut into parts, and join.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "collsched/core/rank.hpp"

/// The pseudo-random numbers SplitMix64 of Steele, Lea and Flood (2014): equal on every compiler.
class random_numbers {
  public:
    explicit random_numbers(std::uint64_t seed) : state_(seed) {}

    std::uint64_t operator()() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }
    /// Returns a number low .. high.
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>((*this)() % static_cast<std::uint64_t>(high - low + 1));
    }

  private:
    std::uint64_t state_;
};

/// A row: a key and a value.
struct row {
    std::int64_t key = 0;
    std::int64_t value = 0;
};
using rows = std::vector<row>;

/// A relation whose rows can be generated individually. A larger skew assigns more rows to the small keys; 1 is
/// uniform.
struct relation {
    std::uint64_t seed;
    std::int64_t size;
    std::int64_t keys;
    int skew;

    row at(std::int64_t n) const {
        random_numbers random(seed + static_cast<std::uint64_t>(n));
        const std::int64_t place = random.between(0, 999'999);
        std::int64_t key = keys;
        for (int i = 0; i < skew; ++i) key = key * place / 1'000'000;
        return {key, random.between(0, 999)};
    }
    /// Returns the first row of a node's part. Later nodes have larger parts.
    std::int64_t first(collsched::rank_t node, collsched::rank_t nodes) const {
        return size * node * (node + 1) / (nodes * (nodes + 1));
    }
};

/// The two relations of the join.
inline constexpr relation left{.seed = 1'000'000, .size = 20'000, .keys = 5'000, .skew = 1};
inline constexpr relation right{.seed = 9'000'000, .size = 30'000, .keys = 5'000, .skew = 3};

/// Returns the node that joins the rows with this key.
inline collsched::rank_t owner(std::int64_t key, collsched::rank_t nodes) {
    return random_numbers(static_cast<std::uint64_t>(key)).between(0, nodes - 1);
}

/// Returns a node's part of a relation, divided by the owners of the keys.
inline std::vector<rows> partition(const relation& whole, collsched::rank_t node, collsched::rank_t nodes) {
    std::vector<rows> parts(static_cast<std::size_t>(nodes));
    for (std::int64_t i = whole.first(node, nodes); i < whole.first(node + 1, nodes); ++i) {
        const row one = whole.at(i);
        parts[static_cast<std::size_t>(owner(one.key, nodes))].push_back(one);
    }
    return parts;
}

/// The number of pairs of rows that a join has found, and a sum over them that is independent of their order.
struct joined {
    std::int64_t pairs = 0;
    std::uint64_t sum = 0;

    joined& operator+=(joined other) {
        pairs += other.pairs;
        sum += other.sum;
        return *this;
    }
    bool operator==(const joined&) const = default;
};

/// Joins all pairs of equal keys, by hashing the rows of the first relation.
inline joined join(const rows& r, const rows& s) {
    std::unordered_multimap<std::int64_t, std::int64_t> table;
    for (const row& one : r) table.emplace(one.key, one.value);
    joined found;
    for (const row& one : s) {
        const auto [begin, end] = table.equal_range(one.key);
        for (auto match = begin; match != end; ++match)
            found +=
                {1, random_numbers(static_cast<std::uint64_t>((one.key * 1000 + match->second) * 1000 + one.value))()};
    }
    return found;
}

/// Joins on one rank the rows that nodes contribute and own for which `alive(node)`.
template <class Alive>
joined join_alone(collsched::rank_t nodes, Alive alive) {
    rows parts[2];
    for (collsched::rank_t node = 0; node < nodes; ++node)
        for (int side = 0; side < 2 && alive(node); ++side)
            for (const rows& part : partition(side == 0 ? left : right, node, nodes))
                for (const row& one : part)
                    if (alive(owner(one.key, nodes))) parts[side].push_back(one);
    return join(parts[0], parts[1]);
}
