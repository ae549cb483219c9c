#pragma once

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "support/clusters.hpp"
#include "support/layouts.hpp"
#include "support/registry.hpp"

namespace support {

using namespace collsched;

/// The roots worth trying: first, last, and one in the middle; in long runs all of up to 32 ranks.
inline std::vector<rank_t> roots(const algorithm_entry& entry, rank_t ranks) {
    std::vector<rank_t> tried{0};
    if (!entry.takes("root")) return tried;
    if (std::getenv("COLLSCHED_FULL") != nullptr && ranks <= 32) {
        while (tried.back() < ranks - 1) tried.push_back(tried.back() + 1);
        return tried;
    }
    for (const rank_t root : {ranks / 2, ranks - 1})
        if (root != tried.back()) tried.push_back(root);
    return tried;
}

/// The bindings in which schedules keep this contract. (A complete exchange would overwrite what it has yet to send.)
inline std::vector<binding> bindings(const contract& promise) {
    if (promise.what == collective::alltoall) return {binding::separate};
    return {binding::separate, binding::in_place};
}

/// An algorithm of the registry in some shape.
struct sample {
    std::string name;
    any_schedule schedule;
};

/// Complete exchanges: the layouts, the same for every rank, and the matrices; at each another group, order and radix.
inline std::vector<sample> exchange_samples(const algorithm_entry& entry, rank_t ranks, bytes_t unit) {
    std::vector<sample> made;
    const std::string name = std::string("alltoall/") + entry.info.name + " p=" + std::to_string(ranks) + " ";
    const auto add = [&](const std::string& what, const block_layout& layout, const block_matrix& matrix) {
        const auto turn = static_cast<rank_t>(made.size());
        const rank_t group = turn % 4 == 0 ? 1 : turn % 4 == 1 ? ranks : 1 + turn % ranks;
        made.push_back({name + what + " turn " + std::to_string(turn),
                        entry.make({.ranks = ranks,
                                    .block = layout,
                                    .matrix = matrix,
                                    .radix = 2 + turn % 7,
                                    .group = group,
                                    .order = turn % 3 == 0 ? permutation() : shuffled_ranks(ranks, 1)})});
    };
    for (const auto& [what, layout] : layouts(ranks, unit)) add(what, layout, {});
    for (const auto& [what, matrix] : matrices(ranks, unit)) add(what, 0, matrix);
    return made;
}

/// The shapes in which an algorithm is tried at this number of ranks: every layout for block algorithms; for the others no
/// bytes, one, some, and more than divide evenly, in one piece and in several. None where it cannot do so many ranks.
inline std::vector<sample> samples(const algorithm_entry& entry, rank_t ranks, bytes_t unit = 4) {
    std::vector<sample> made;
    if (!can_do(entry, ranks)) return made;
    const std::string name =
        std::string(name_of(entry.info.what)) + "/" + entry.info.name + " p=" + std::to_string(ranks);
    for (const rank_t root : roots(entry, ranks)) {
        const std::string where = entry.takes("root") ? name + " root=" + std::to_string(root) : name;
        if (entry.info.what == collective::alltoall) {
            for (sample& one : exchange_samples(entry, ranks, unit)) made.push_back(std::move(one));
        } else if (entry.takes("block")) {
            for (const auto& [layout_name, layout] : layouts(ranks, unit))
                made.push_back(
                    {where + " " + layout_name, entry.make({.ranks = ranks, .root = root, .block = layout})});
        } else {
            for (const bytes_t bytes : {bytes_t{0}, bytes_t{1}, 5 * unit, ranks * unit + 3})
                for (const bytes_t segment : {bytes_t{0}, unit})
                    made.push_back({where + " bytes=" + std::to_string(bytes) + " segment=" + std::to_string(segment),
                                    entry.make({.ranks = ranks, .root = root, .bytes = bytes, .segment = segment})});
        }
    }
    return made;
}

/// The planned algorithms on clusters of this many ranks, up to 20 (in long runs 32): at each p others of them.
inline std::vector<sample> planned_samples(rank_t ranks) {
    std::vector<sample> made;
    const bool all = std::getenv("COLLSCHED_FULL") != nullptr;
    if (ranks > (all ? 32 : 20)) return made;
    const std::vector<cluster_model> machines = clusters(ranks);
    const block_layout irregular = layouts(ranks).back().blocks;
    rank_t turn = ranks;
    for (const algorithm_entry& entry : registered_planned()) {
        ++turn;
        if (!all && turn % 5 != 0) continue;
        for (const rank_t root : {rank_t{0}, ranks - 1}) {
            any_schedule s = entry.make({.ranks = ranks,
                                         .root = root,
                                         .block = turn % 2 == 0 ? block_layout(3) : irregular,
                                         .bytes = 50,
                                         .segment = turn % 3 == 0 ? 20 : 0,
                                         .cluster = machines[static_cast<std::size_t>(turn) % machines.size()]});
            if (const error wrong = s.check(); wrong && std::string(wrong.argument) == "ranks") continue;
            made.push_back({std::string(name_of(entry.info.what)) + "/" + entry.info.name +
                                " p=" + std::to_string(ranks) + " root=" + std::to_string(root),
                            std::move(s)});
        }
    }
    return made;
}

/// Every algorithm of the registry in all its shapes, and planned ones.
inline std::vector<sample> samples(rank_t ranks, bytes_t unit = 4) {
    std::vector<sample> all;
    for (const algorithm_entry& entry : registered())
        for (sample& one : samples(entry, ranks, unit)) all.push_back(std::move(one));
    for (sample& one : planned_samples(ranks)) all.push_back(std::move(one));
    return all;
}

}  // namespace support
