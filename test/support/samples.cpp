#include "support/samples.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "support/brief.hpp"
#include "support/clusters.hpp"
#include "support/layouts.hpp"
#include "support/neighborhoods.hpp"

namespace support {

std::vector<rank_t> roots(const algorithm_entry& entry, rank_t ranks) {
    std::vector<rank_t> tried{0};
    if (!entry.takes(&shape::root)) return tried;
    if (long_run() && ranks <= 32) {
        while (tried.back() < ranks - 1) tried.push_back(tried.back() + 1);
        return tried;
    }
    for (const rank_t root : {ranks / 2, ranks - 1})
        if (root != tried.back()) tried.push_back(root);
    return tried;
}

std::vector<binding> bindings(const contract& contract) {
    if (contract.collective == collective::alltoall || has_neighbors(contract.collective)) return {binding::separate};
    return {binding::separate, binding::in_place};
}

std::vector<message_shape> messages(const algorithm_entry& entry, rank_t ranks, bytes_t unit) {
    if (entry.info.collective == collective::barrier) return {{0, 1}};
    std::vector<message_shape> made{{0, 1}, {1, 1}, {5 * unit, 1}, {ranks * unit + 3, 1}};
    constexpr bytes_t elements[] = {4, 8, 16, 24};
    if (reduces(entry.info.collective)) {
        const bytes_t element = elements[ranks % 4];
        made.push_back({(ranks + ranks / 2 + 1) * element, element});
    }
    return made;
}

namespace {

/// A different placement of ranks on nodes for each turn: all on one, block, cyclic, and random.
topology::placement any_placement(rank_t ranks, rank_t turn) {
    const rank_t nodes = 1 + turn * 7 % ranks;
    switch (turn % 4) {
        case 0: return {};
        case 1: return topology::placement::block(ranks, nodes);
        case 2: return topology::placement::cyclic(ranks, nodes);
        default: {
            random_source random(static_cast<std::uint64_t>(ranks * 100 + turn));
            std::vector<rank_t> where(static_cast<std::size_t>(ranks));
            for (rank_t& one : where) one = static_cast<rank_t>(random.below(nodes));
            return topology::placement::list(where, nodes);
        }
    }
}

/// Returns the schedule of a shape; with all ranks on one node if the algorithm rejects the placement.
any_schedule made_where_accepted(const algorithm_entry& entry, shape given) {
    any_schedule made = entry.make(given);
    const argument_error error = made.check();
    if (!error || error.argument != std::string_view("placement")) return made;
    given.placement = {};
    return entry.make(given);
}

/// A sample whose schedule is not made yet.
struct draft {
    std::string name;
    shape given;
};

/// Complete exchanges: the layouts, the same for every rank, and the matrices; at each another group, order and radix.
std::vector<draft> exchange_drafts(const algorithm_entry& entry, rank_t ranks, bytes_t unit) {
    std::vector<draft> made;
    const std::string name = std::string("alltoall/") + entry.info.name + " p=" + std::to_string(ranks) + " ";
    const auto add = [&](const std::string& what, const block_layout& layout, const block_matrix& matrix) {
        const auto turn = static_cast<rank_t>(made.size());
        const rank_t group = turn % 4 == 0 ? 1 : turn % 4 == 1 ? ranks : 1 + turn % ranks;
        made.push_back({name + what + " turn " + std::to_string(turn),
                        {.ranks = ranks,
                         .block = layout,
                         .matrix = matrix,
                         .radix = 2 + turn % 7,
                         .group = group,
                         .order = turn % 3 == 0 ? permutation() : shuffled_ranks(ranks, 1),
                         .placement = any_placement(ranks, turn)}});
    };
    for (const auto& [what, layout] : layouts(ranks, unit)) add(what, layout, {});
    for (const auto& [what, matrix] : matrices(ranks, unit)) add(what, 0, matrix);
    return made;
}

/// Neighborhood collectives: every neighborhood with equal blocks, or with blocks of any sizes; empty ones among them.
std::vector<draft> neighbor_drafts(const algorithm_entry& entry, rank_t ranks, bytes_t unit) {
    std::vector<draft> made;
    const std::string name =
        std::string(name_of(entry.info.collective)) + "/" + entry.info.name + " p=" + std::to_string(ranks) + " ";
    for (const auto& [what, lists] : neighborhoods(ranks)) {
        const auto add = [&](const char* sizes, const block_layout& block) {
            made.push_back({name + what + sizes, {.ranks = ranks, .block = block, .neighbors = lists}});
        };
        add(" equal", unit);
        const bool of_slots = entry.info.collective == collective::neighbor_alltoall;
        std::vector<bytes_t> counts(static_cast<std::size_t>(of_slots ? lists.out_slots() : ranks));
        for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = static_cast<bytes_t>((i * 7 + 3) % 5) * unit / 2;
        if (!counts.empty()) add(" any sizes", block_layout(counts));
    }
    made.push_back({name + "empty", {.ranks = ranks, .neighbors = any_graph(ranks, 1, 4)}});
    return made;
}

/// The schedules of one draft out of `one_of()`, varying with the number of ranks, and of at least one.
std::vector<sample> made_of_some(const algorithm_entry& entry, std::vector<draft> drafts, rank_t ranks) {
    std::vector<sample> made;
    if (drafts.empty()) return made;
    for (std::size_t i = static_cast<std::size_t>(ranks) % std::min(one_of(), drafts.size()); i < drafts.size();
         i += one_of())
        made.push_back({std::move(drafts[i].name), made_where_accepted(entry, std::move(drafts[i].given))});
    return made;
}

/// The planned algorithms on clusters of this many ranks, up to 20 (in long runs 32): at each p others of them.
std::vector<sample> planned_samples(rank_t ranks) {
    std::vector<sample> made;
    const bool all = long_run();
    if (ranks > (all ? 32 : 20)) return made;
    const std::vector<lob_model> switches = clusters(ranks);
    const block_layout irregular = layouts(ranks).back().blocks;
    rank_t turn = ranks;
    for (const algorithm_entry& entry : compiled::planned_registry()) {
        ++turn;
        if (!all && turn % 5 != 0) continue;
        for (const rank_t root : {rank_t{0}, ranks - 1}) {
            any_schedule s = entry.make({.ranks = ranks,
                                         .root = root,
                                         .block = turn % 2 == 0 ? block_layout(3) : irregular,
                                         .bytes = 50,
                                         .segment = turn % 3 == 0 ? 20 : 0,
                                         .cluster = switches[static_cast<std::size_t>(turn) % switches.size()]});
            if (const argument_error error = s.check(); error && std::string(error.argument) == "ranks") continue;
            made.push_back({std::string(name_of(entry.info.collective)) + "/" + entry.info.name +
                                " p=" + std::to_string(ranks) + " root=" + std::to_string(root),
                            std::move(s)});
        }
    }
    return made;
}

}  // namespace

std::vector<sample> samples(const algorithm_entry& entry, rank_t ranks, bytes_t unit) {
    std::vector<draft> drafts;
    if (!can_do(entry, ranks)) return {};
    const std::string name =
        std::string(name_of(entry.info.collective)) + "/" + entry.info.name + " p=" + std::to_string(ranks);
    rank_t turn = ranks;
    for (const rank_t root : roots(entry, ranks)) {
        const std::string where = entry.takes(&shape::root) ? name + " root=" + std::to_string(root) : name;
        if (entry.info.collective == collective::alltoall) {
            for (draft& one : exchange_drafts(entry, ranks, unit)) drafts.push_back(std::move(one));
        } else if (entry.takes(&shape::neighbors)) {
            for (draft& one : neighbor_drafts(entry, ranks, unit)) drafts.push_back(std::move(one));
        } else if (entry.takes(&shape::block)) {
            for (const auto& [layout_name, layout] : layouts(ranks, unit))
                drafts.push_back({where + " " + layout_name + " turn " + std::to_string(++turn),
                                  {.ranks = ranks,
                                   .root = root,
                                   .block = layout,
                                   .element = turn % 2 == 0 && !detail::check_elements(layout, ranks, unit) ? unit : 1,
                                   .placement = any_placement(ranks, turn)}});
        } else {
            for (const auto& [bytes, element] : messages(entry, ranks, unit))
                for (const bytes_t segment : {bytes_t{0}, element > 1 ? element : unit})
                    if (segment == 0 || entry.takes(&shape::segment))
                        drafts.push_back({where + " bytes=" + std::to_string(bytes) +
                                              " element=" + std::to_string(element) +
                                              " segment=" + std::to_string(segment) + " turn " + std::to_string(++turn),
                                          {.ranks = ranks,
                                           .root = root,
                                           .bytes = bytes,
                                           .element = element,
                                           .segment = segment,
                                           .placement = any_placement(ranks, turn)}});
        }
    }
    return made_of_some(entry, std::move(drafts), ranks);
}

std::vector<sample> samples(rank_t ranks, bytes_t unit) {
    std::vector<sample> all;
    for (const algorithm_entry& entry : compiled::registry())
        for (sample& one : samples(entry, ranks, unit)) all.push_back(std::move(one));
    for (sample& one : planned_samples(ranks)) all.push_back(std::move(one));
    return all;
}

}  // namespace support
