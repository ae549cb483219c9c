#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "collsched/collective/make_numbered.hpp"
#include "collsched/select.hpp"
#include "decision_output.hpp"
#include "foreign/openmpi_algorithms.hpp"
#include "model_price.hpp"
#include "search_time.hpp"
#include "table_request.hpp"

using namespace collsched;
using namespace collsched::foreign;

namespace {

/// The prices of a cell's parts, which share its budget.
class cell_prices {
  public:
    cell_prices(const table_request& table, const priced_cell::calls& of)
        : table_(table), budget_(table.budget(of.ranks)), whole_time_(budget_), request_(table.request_of(of)) {
        cell_.of = of;
        cell_.budget_us = budget_.count();
    }

    priced_cell run(std::span<const decision> neighbors) {
        const bool has_foreign = cell_.of.bits == association_class::any && (table_.openmpi || table_.mpich);
        const int ordered = reduces(cell_.of.collective) ? 1 : 0, foreign = has_foreign ? 1 : 0;
        request_.neighbors = neighbors;
        search(2, 2 + ordered + foreign);
        if (!cell_.rows.empty() && cell_.rows.front().commutative) {
            request_.keeps_order = true;
            search(3, 3 + foreign);
            request_.keeps_order = false;
        }
        if (has_foreign && !cell_.rows.empty()) price_foreign_libraries();
        return std::move(cell_);
    }

  private:
    /// Returns the time until `part` of `parts` of the budget are used.
    search_time time_until(int part, int parts) const {
        return search_time(std::max(budget_ / parts * part - whole_time_.used(), std::chrono::microseconds(0)));
    }
    schedule_price price_in(const price_conditions& when) const {
        return price_of(table_.model, table_.cluster, table_.network, cell_.of.ranks, when);
    }

    /// Adds the row of the cheapest algorithm.
    void search(int part, int parts) {
        const search_time time = time_until(part, parts);
        const schedule_price price = price_in({.is_over = time.is_over(), .is_late = time.is_late()});
        choice::resources use = table_.processors;
        use.is_over = price.has_estimates() ? time.is_over() : time.is_late();
        const choice found = choose(request_, table_.algorithms_of(cell_.of.bits), price, use);
        cell_.is_final = cell_.is_final && found.unfinished.empty();
        if (search_time::is_interrupted() || found.candidates.empty()) return;
        const choice::candidate& best = found.candidates.front();
        cell_.rows.push_back(row_of(best, cell_.of.bytes));
        cell_.rows.back().association = cell_.of.bits;
        // A row has an exact price also if the budget is over.
        if (best.is_estimate) cell_.rows.back().time = exact_price(best);
        if (request_.keeps_order) return;
        for (const auto* const list : {&found.candidates, &found.other_prices})
            for (const choice::candidate& other : *list)
                if (&other != &best) cell_.others.push_back({other.entry->info.name, other.cost});
    }
    picoseconds exact_price(const choice::candidate& setting) const {
        return price_in({})(make_numbered(*setting.entry, setting.parameters), unpriced);
    }

    void price_foreign_libraries() {
        const search_time time = time_until(1, 1);
        const schedule_price exact = price_in({.is_over = time.is_late(), .is_late = time.is_late()});
        choice::resources use = table_.processors;
        use.is_over = time.is_late();
        request_.neighbors = {};
        if (table_.mpich)
            if (const auto best = choose_foreign(request_, table_.list, mpich_algorithms, estimated_price{exact}, use))
                cell_.mpich = best->algorithm->foreign;
        for (const openmpi_rules::collective what : table_.openmpi_collectives_of(cell_.of.collective))
            price_openmpi(what, exact, use);
        if (use.is_over()) cell_.is_final = false;
    }
    /// Adds the prices of Open MPI's numbers; only the least one if there is a rule for each size.
    void price_openmpi(openmpi_rules::collective what, const schedule_price& exact, const choice::resources& use) {
        const std::vector<priced_cell::openmpi_price> numbers = table_.openmpi_numbers(what);
        std::vector<foreign_setting> settings;
        for (const priced_cell::openmpi_price& number : numbers) {
            const openmpi_algorithm& row = *find_openmpi_algorithm(*table_.openmpi, what, number.number);
            const bool segments = row.segments != right_for::none && is_right(row, table_.programs, true);
            settings.push_back({row.equivalent(segments), number.requests});
        }
        const bool several = info_of(what).several_sizes;
        const auto prices = price_each(request_, table_.list, settings, estimated_price{exact}, use, several);
        std::optional<std::size_t> best;
        for (std::size_t i = 0; i < numbers.size(); ++i)
            if (prices[i] && (!best || prices[i]->cost < prices[*best]->cost)) best = i;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            if (!prices[i] || (several && i != *best)) continue;
            priced_cell::openmpi_price price = numbers[i];
            const std::int64_t segment = prices[i]->parameters.segment;
            if (settings[i].row.takes_segments && segment != shape::as_it_is) price.segment = segment;
            price.cost = prices[i]->cost;
            if (i == *best && exact.has_estimates()) price.cost = price_of_number(*prices[i], exact);
            cell_.openmpi.push_back(price);
        }
    }
    /// Returns the exact price of a number, or its estimate if there is no time.
    picoseconds price_of_number(const choice::candidate& number, const schedule_price& exact) const {
        if (row_of(number, cell_.of.bytes).same_choice(cell_.rows.front())) return cell_.rows.front().time;
        const picoseconds cost = exact(make_numbered(*number.entry, number.parameters), unpriced);
        return cost == unpriced ? number.cost : cost;
    }

    const table_request& table_;
    const std::chrono::microseconds budget_;
    const search_time whole_time_;
    choice::request request_;
    priced_cell cell_;
};

}  // namespace

std::vector<priced_cell::calls> table_request::cells() const {
    std::vector<priced_cell::calls> all;
    for (const collective what : whats)
        for (const rank_t p : ranks)
            for (const association_class level : {association_class::any, bits}) {
                if (level != association_class::any && !reduces(what)) continue;
                for (const bytes_t size : what == collective::barrier ? std::vector<std::int64_t>{0} : sizes)
                    all.push_back({what, p, size, level});
                if (bits == association_class::any) break;
            }
    return all;
}

choice::request table_request::request_of(const priced_cell::calls& of) const {
    choice::request request = request_for(of.collective, of.ranks, of.bytes, element);
    if (cluster) {
        request.parameters.cluster = cluster->on(of.ranks);
        request.parameters.placement = cluster->groups(of.ranks);
    }
    request.has_cluster = cluster.has_value();
    if (network) network->plan(request, list);
    request.bits = of.bits;
    request.least_segment = least_segment(model);
    request.best_only = true;
    request.edge_limit = std::int64_t{1} << 18;
    return request;
}

std::span<const algorithm_entry> table_request::algorithms_of(association_class level) const {
    return level == association_class::any ? list : of_class;
}

std::vector<openmpi_rules::collective> table_request::openmpi_collectives_of(collective what) const {
    std::vector<openmpi_rules::collective> all;
    for (const openmpi_collective_info& info : openmpi_collectives)
        if (openmpi && info.collective == what && (*openmpi != openmpi_rules::release::v6_0 || info.in_schema))
            all.push_back(info.id);
    return all;
}

std::vector<priced_cell::openmpi_price> table_request::openmpi_numbers(openmpi_rules::collective what) const {
    std::vector<priced_cell::openmpi_price> all;
    for (const openmpi_algorithm& row : openmpi_algorithms) {
        if (row.collective != what || row.algorithm == nullptr || !row.holds(*openmpi)) continue;
        if (!is_right(row, programs, false)) continue;
        all.push_back({.collective = what, .number = row.number});
        if (!row.takes_requests || *openmpi != openmpi_rules::release::v6_0) continue;
        for (const std::int64_t requests : {1, 2, 4, 8, 16, 32})
            all.push_back({.collective = what, .number = row.number, .requests = requests});
    }
    return all;
}

priced_cell price_cell(const table_request& table, const priced_cell::calls& of, std::span<const decision> neighbors) {
    return cell_prices(table, of).run(neighbors);
}
