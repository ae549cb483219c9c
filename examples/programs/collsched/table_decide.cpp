#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "collsched/select.hpp"
#include "decision_output.hpp"
#include "foreign/openmpi_algorithms.hpp"
#include "table_request.hpp"

using namespace collsched;
using namespace collsched::foreign;

namespace {

/// Returns the algorithm that the other library lacks if it is cheaper; otherwise empty.
std::string remark(const decision& best, const char* foreign, picoseconds foreign_cost) {
    if (best.time >= foreign_cost) return {};
    const std::string parameters = parameters_text(best);
    return fmt::format("{}; {}{}{} would take {:.2f} of its time", foreign, best.algorithm,
                       parameters.empty() ? "" : " ", parameters,
                       static_cast<double>(best.time) / static_cast<double>(foreign_cost));
}

/// An algorithm number of Open MPI with a number of requests in flight.
struct openmpi_candidate {
    int number = 0;
    std::int64_t requests = 0;
    std::vector<std::optional<priced_cell::openmpi_price>> prices;  ///< by size
};

/// The cells of one number of ranks and of the class any, by size.
using priced_sizes = std::span<const priced_cell* const>;

openmpi_rules::rule rule_of(const openmpi_candidate& candidate, const priced_cell& cell, std::size_t size,
                            openmpi_rules::release version) {
    const priced_cell::openmpi_price& price = *candidate.prices[size];
    const openmpi_algorithm& row = *find_openmpi_algorithm(version, price.collective, price.number);
    return {.collective = price.collective,
            .ranks = cell.of.ranks,
            .bytes = size == 0 ? 0 : cell.of.bytes,
            .number = price.number,
            .fan = row.fan,
            .segment = price.segment,
            .requests = price.requests,
            .remark = remark(cell.rows.front(), row.algorithm, price.cost)};
}

std::vector<openmpi_candidate> candidates(const table_request& table, openmpi_rules::collective what,
                                          priced_sizes sizes) {
    std::vector<openmpi_candidate> all;
    for (const priced_cell::openmpi_price& number : table.openmpi_numbers(what)) {
        openmpi_candidate candidate{number.number, number.requests, {}};
        for (const priced_cell* const cell : sizes) {
            const auto found = std::ranges::find_if(cell->openmpi, [&](const priced_cell::openmpi_price& price) {
                return price.collective == what && price.number == number.number && price.requests == number.requests;
            });
            candidate.prices.push_back(found == cell->openmpi.end() ? std::nullopt : std::optional(*found));
        }
        all.push_back(std::move(candidate));
    }
    return all;
}

/// Adds rules for one number of ranks. If Open MPI does not select by message size there is one rule: the number whose
/// worst size, relative to the cheapest number at that size, is best.
void add_openmpi(const table_request& table, openmpi_rules::collective what, priced_sizes sizes, finished_table& made) {
    const std::vector<openmpi_candidate> all = candidates(table, what, sizes);
    std::vector<picoseconds> least(sizes.size(), 0);
    for (std::size_t i = 0; i < sizes.size(); ++i)
        for (const openmpi_candidate& candidate : all)
            if (candidate.prices[i] && (least[i] == 0 || candidate.prices[i]->cost < least[i]))
                least[i] = candidate.prices[i]->cost;
    const auto cost = [&](const openmpi_candidate& candidate, std::size_t first, std::size_t end) {
        double worst = 0;
        for (std::size_t i = first; i < end; ++i) {
            if (!candidate.prices[i]) return std::numeric_limits<double>::infinity();
            worst = std::max(worst, static_cast<double>(candidate.prices[i]->cost) /
                                        static_cast<double>(std::max<picoseconds>(least[i], 1)));
        }
        return worst;
    };
    const bool several = info_of(what).several_sizes;
    for (std::size_t i = 0; i < (several ? sizes.size() : 1); ++i) {
        const std::size_t end = several ? i + 1 : sizes.size();
        const auto best = std::min_element(
            all.begin(), all.end(), [&](const auto& a, const auto& b) { return cost(a, i, end) < cost(b, i, end); });
        if (best == all.end() || !best->prices[i]) continue;
        openmpi_rules::rule rule = rule_of(*best, *sizes[i], i, *table.openmpi);
        if (!made.openmpi.empty()) {
            const openmpi_rules::rule& last = made.openmpi.back();
            if (last.collective == rule.collective && last.ranks == rule.ranks && last.number == rule.number &&
                last.segment == rule.segment && last.requests == rule.requests)
                continue;
        }
        made.openmpi.push_back(std::move(rule));
    }
}

void add_mpich(const priced_cell& cell, bytes_t from, finished_table& made) {
    if (cell.mpich.empty()) return;
    foreign_rule rule{cell.of.collective, cell.of.ranks, from, cell.mpich};
    if (!made.mpich.empty()) {
        const foreign_rule& last = made.mpich.back();
        if (last.collective == rule.collective && last.ranks == rule.ranks && last.foreign == rule.foreign) return;
    }
    made.mpich.push_back(std::move(rule));
}

/// Adds the times of the algorithms of a cell, the cheapest first.
void add_curves(const priced_cell& cell, finished_table& made) {
    algorithm_times size{cell.of.bytes, cell.others};
    size.times.insert(size.times.begin(), {cell.rows.front().algorithm, cell.rows.front().time});
    // Estimates of others may be below the price of the cheapest.
    for (priced_cell::algorithm_price& other : size.times) other.cost = std::max(other.cost, cell.rows.front().time);
    made.curves.push_back(std::move(size));
}

/// Adds the rules of the cells of one number of ranks.
void add_rules(const table_request& table, priced_sizes sizes, finished_table& made) {
    if (sizes.empty()) return;
    for (const priced_cell* const cell : sizes) add_mpich(*cell, cell == sizes.front() ? 0 : cell->of.bytes, made);
    for (const openmpi_rules::collective what : table.openmpi_collectives_of(sizes.front()->of.collective))
        add_openmpi(table, what, sizes, made);
}

}  // namespace

finished_table assemble(const table_request& table, std::span<const priced_cell> cells) {
    finished_table made;
    std::vector<const priced_cell*> sizes;
    for (const priced_cell& cell : cells) {
        if (cell.rows.empty()) continue;
        if (table.curves && cell.of.bits == table.bits) add_curves(cell, made);
        const rank_t ranks_per_node = table.cluster ? table.cluster->place(cell.of.ranks).ranks_per_node() : 1;
        for (decision row : cell.rows) {
            row.ranks_per_node = ranks_per_node;
            made.rows.push_back(row);
        }
        if (cell.of.bits != association_class::any) continue;
        if (!sizes.empty() &&
            (sizes.front()->of.collective != cell.of.collective || sizes.front()->of.ranks != cell.of.ranks)) {
            add_rules(table, sizes, made);
            sizes.clear();
        }
        sizes.push_back(&cell);
    }
    add_rules(table, sizes, made);
    made.rows = fastest_decisions(made.rows);
    const auto order = [](const openmpi_rules::rule& rule) { return static_cast<int>(rule.collective); };
    std::stable_sort(made.openmpi.begin(), made.openmpi.end(),
                     [&](const auto& a, const auto& b) { return order(a) < order(b); });
    end_rules(made.openmpi);
    if (!table.openmpi) return made;
    for (const openmpi_collective_info& info : openmpi_collectives) {
        const bool requested = std::find(table.whats.begin(), table.whats.end(), info.collective) != table.whats.end();
        const auto has = [&](const openmpi_rules::rule& rule) { return rule.collective == info.id; };
        if (requested && std::none_of(made.openmpi.begin(), made.openmpi.end(), has)) made.left_out.push_back(info.id);
    }
    return made;
}
