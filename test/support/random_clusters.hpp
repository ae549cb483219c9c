#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "collsched/tree/tree_plan.hpp"
#include "support/layouts.hpp"

namespace support {

using namespace collsched;

/// Parents and homes of one of six shapes: one switch; any tree, with nodes anywhere; a chain, which may have nodes on
/// every level; two switches with one child each above the rest; one large subcluster beside many small ones; sites
/// of switches.
inline topology::switch_tree random_switch_tree(random_source& random, rank_t ranks, std::int64_t shape) {
    std::vector<rank_t> parents, homes;
    const auto add_switch = [&](std::int64_t n, auto parent_of) {
        for (std::int64_t i = 0; i < n; ++i) parents.push_back(parent_of(static_cast<rank_t>(parents.size())));
    };
    if (shape == 1) add_switch(random.below(10), [&](rank_t e) { return random.below(e + 1); });
    if (shape == 2) add_switch(1 + random.below(9), [](rank_t e) { return e; });
    if (shape == 3) {
        add_switch(2, [](rank_t e) { return e; });
        add_switch(1 + random.below(4), [](rank_t) { return 2; });
    }
    if (shape == 4) add_switch(1 + random.below(8), [](rank_t) { return 0; });
    if (shape == 5) {
        const std::int64_t sites = 1 + random.below(4);
        add_switch(sites, [](rank_t) { return 0; });
        add_switch(1 + random.below(8), [&](rank_t) { return 1 + random.below(sites); });
    }
    const auto switches = static_cast<rank_t>(parents.size()) + 1;
    for (rank_t r = 0; r < ranks; ++r) {
        const rank_t any = random.below(switches);
        homes.push_back(shape == 4 && random.below(3) > 0 ? switches - 1 : any);
    }
    return {parents, homes};
}

/// The model over these switches with numbers of 1 .. largest, or, dense, with matrices of numbers of 0 .. largest.
inline lob_model random_model(random_source& random, const topology::switch_tree& switches, std::int64_t largest,
                              bool dense) {
    const rank_t ranks = switches.nodes();
    const auto numbers = [&](rank_t n, std::int64_t least) {
        std::vector<std::int64_t> drawn;
        for (rank_t i = 0; i < n; ++i) drawn.push_back(least + random.below(largest + 1 - least));
        return drawn;
    };
    const auto links = [&](rank_t n) {
        std::vector<lob_model::link_cost> drawn;
        for (rank_t i = 0; i < n; ++i) drawn.push_back({random.below(largest + 1), 1 + random.below(largest)});
        return drawn;
    };
    const std::vector<picoseconds> overheads = numbers(ranks, 0);
    if (dense) return {overheads, numbers(ranks * ranks, 0), numbers(ranks * ranks, 0)};
    return {switches, overheads, links(ranks), links(switches.switches())};
}

/// A request for a cluster of `ranks` nodes: all shapes, small numbers
/// (for ties) and large ones, trees and matrices.
inline tree_plan::request random_request(std::uint64_t seed, rank_t ranks) {
    random_source random(seed + 1);
    tree_plan::request made;
    made.switches = random_switch_tree(random, ranks, random.below(6));
    constexpr std::int64_t largest[] = {1, 3, 20, 1'000'000'000};
    made.cost = random_model(random, made.switches, largest[random.below(4)], random.below(3) == 0);
    constexpr bytes_t sizes[] = {0, 1, 1001, 1001, 2001, 100'000};
    made.bytes = sizes[random.below(6)];
    made.root = random.below(ranks);
    return made;
}

/// Eight nodes for examples, and 1001 bytes, so that 1 fs per byte is 1 ps per message. The tree:
///
///     0 -- 1 -- 3 -- nodes 0 1
///       |    `- 4 -- nodes 2 3 4
///       `- 2 -- 5 -- nodes 5 6
///            `- node 7
constexpr tree_plan::request eight_nodes(rank_t root) {
    const rank_t parents[] = {0, 0, 1, 1, 2}, homes[] = {3, 3, 4, 4, 4, 5, 5, 2};
    const picoseconds overheads[] = {5, 9, 4, 7, 6, 8, 3, 10};
    const lob_model::link_cost own[] = {{2, 4}, {1, 5}, {3, 4}, {2, 6}, {1, 4}, {2, 5}, {4, 7}, {3, 4}};
    const lob_model::link_cost uplinks[] = {{}, {30, 9}, {40, 8}, {10, 6}, {12, 5}, {15, 7}};
    const topology::switch_tree switches(parents, homes);
    return {switches, lob_model(switches, overheads, own, uplinks), 1001, root};
}

/// The edges of a plan: "1>0 1>7 0>2".
inline std::string drawn(const owned_array<trees::tree_edge>& edges) {
    std::string text;
    for (const auto& [from, to] : edges)
        text += (text.empty() ? "" : " ") + std::to_string(from) + ">" + std::to_string(to);
    return text;
}

/// The ranks 0 .. n-1.
inline owned_array<rank_t> first_ranks(rank_t n) {
    owned_array<rank_t> ranks(n);
    for (rank_t r = 0; r < n; ++r) ranks[r] = r;
    return ranks;
}

/// Senders that start at random times and receivers that wait, with random costs between them; the first pair by going
/// through all. Numbers are small in most seeds, for ties.
class pairs_model {
  public:
    explicit pairs_model(std::uint64_t seed) : random_(seed + 1), ranks(2 + random_.below(40)) {
        constexpr std::int64_t largest[] = {1, 2, 5, 50, 1'000'000'000};
        kinds_ = largest[seed % 5];
        for (rank_t i = 0; i < ranks * ranks; ++i) costs_.push_back(random_.below(kinds_ + 1));
        starts_.resize(static_cast<std::size_t>(ranks));
        for (rank_t r = 0; r < ranks; ++r)
            if (random_.below(4) > 0) waiting.push_back(r);
    }

    owned_array<rank_t> receivers() const { return owned_array<rank_t>(std::span<const rank_t>(waiting)); }
    std::vector<picoseconds> numbers() {
        std::vector<picoseconds> drawn;
        for (rank_t r = 0; r < ranks; ++r) drawn.push_back(random_.below(kinds_ + 1));
        return drawn;
    }
    picoseconds cost(rank_t i, rank_t j) const { return costs_[static_cast<std::size_t>(i * ranks + j)]; }
    picoseconds& start_of(rank_t i) { return starts_[static_cast<std::size_t>(i)]; }
    bool waits(rank_t r) const { return std::find(waiting.begin(), waiting.end(), r) != waiting.end(); }

    void add(rank_t sender) {
        senders_.push_back(sender);
        start_of(sender) = random_.below(2 * kinds_ + 1);
    }
    void delay(rank_t sender) { start_of(sender) += random_.below(kinds_ + 1); }
    /// Lets a random sender start earlier.
    rank_t hasten() {
        const rank_t sender = senders_[static_cast<std::size_t>(random_.below(static_cast<rank_t>(senders_.size())))];
        start_of(sender) = random_.below(start_of(sender) + 1);
        return sender;
    }
    /// Removes that receiver, and sometimes others.
    void remove(rank_t receiver) {
        std::erase_if(waiting, [&](rank_t r) { return r == receiver || random_.below(10) == 0; });
    }

    template <class Ahead>
    trees::tree_edge best(Ahead ahead) {
        trees::tree_edge chosen;
        picoseconds least = std::numeric_limits<picoseconds>::max();
        for (const rank_t i : senders_)
            for (const rank_t j : waiting)
                if (const picoseconds t = start_of(i) + cost(i, j) + ahead(j); t < least) {
                    least = t;
                    chosen = {i, j};
                }
        return chosen;
    }

  private:
    random_source random_;
    std::int64_t kinds_ = 1;
    std::vector<picoseconds> costs_, starts_;
    std::vector<rank_t> senders_;

  public:
    rank_t ranks;
    std::vector<rank_t> waiting;  ///< ascending
};

}  // namespace support
