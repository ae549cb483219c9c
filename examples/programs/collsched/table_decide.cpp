#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "collsched/select.hpp"
#include "decision_output.hpp"
#include "model_price.hpp"
#include "foreign/openmpi_algorithms.hpp"
#include "table_request.hpp"
#include "terminal.hpp"

using namespace collsched;
using namespace collsched::foreign;

namespace {

/// The calls whose rows are searched.
struct row_search {
    collective what;
    rank_t ranks;
    association_class bits;  ///< class that their brackets must have
    std::span<const algorithm_entry> list;
};

choice::request request_of(const table_request& table, const row_search& search, bytes_t bytes) {
    const rank_t p = search.ranks;
    choice::request request = request_for(search.what, p, bytes, table.element);
    if (table.cluster) {
        request.parameters.cluster = table.cluster->on(p);
        request.parameters.placement = table.cluster->groups(p);
    }
    request.has_cluster = table.cluster.has_value();
    if (table.network) table.network->plan(request, table.list);
    request.bits = search.bits;
    request.least_segment = least_segment(table.model);
    request.best_only = !table.curves;
    request.edge_limit = std::int64_t{1} << 18;
    return request;
}

/// Returns the algorithm that the other library lacks if it is cheaper; otherwise empty.
std::string remark(const decision& best, picoseconds cost, const char* foreign, picoseconds foreign_cost) {
    if (cost >= foreign_cost) return {};
    const std::string parameters = parameters_text(best);
    return fmt::format("{}; {}{}{} would take {:.2f} of its time", foreign, best.algorithm,
                       parameters.empty() ? "" : " ", parameters,
                       static_cast<double>(cost) / static_cast<double>(foreign_cost));
}

/// The cheapest choice of this library for a size, and the request.
struct priced_size {
    bytes_t bytes = 0;  ///< smallest size to which it applies
    choice::request request;
    decision best;
    picoseconds cost = 0;
};

/// An algorithm number of Open MPI with a number of requests in flight.
struct openmpi_candidate {
    const openmpi_algorithm* row = nullptr;
    std::int64_t requests = 0;
    std::vector<std::optional<choice::candidate>> prices;  ///< by size
};

std::vector<openmpi_candidate> candidates(const table_request& table, openmpi_rules::collective what) {
    std::vector<openmpi_candidate> made;
    for (const openmpi_algorithm& row : openmpi_algorithms) {
        if (row.collective != what || row.algorithm == nullptr || !row.holds(*table.openmpi)) continue;
        if (!is_right(row, table.programs, false)) continue;
        made.push_back({&row, 0, {}});
        if (!row.takes_requests || *table.openmpi != openmpi_rules::release::v6_0) continue;
        for (const std::int64_t requests : {1, 2, 4, 8, 16, 32}) made.push_back({&row, requests, {}});
    }
    return made;
}

openmpi_rules::rule rule_of(const openmpi_candidate& one, std::size_t size, const priced_size& here) {
    const choice::candidate& priced = *one.prices[size];
    openmpi_rules::rule rule{.collective = one.row->collective,
                             .ranks = here.request.parameters.ranks,
                             .bytes = here.bytes,
                             .number = one.row->number,
                             .fan = one.row->fan,
                             .requests = one.requests};
    const std::int64_t segment = priced.parameters.segment;
    if (one.row->segments != right_for::none && segment != shape::as_it_is) rule.segment = segment;
    rule.remark = remark(here.best, here.cost, one.row->algorithm, priced.cost);
    return rule;
}

/// Adds rules for one number of ranks. If Open MPI does not select by message size there is one rule: the number whose
/// worst size, relative to the cheapest number at that size, is best.
void add_openmpi(const table_request& table, openmpi_rules::collective what, const std::vector<priced_size>& sizes,
                 const schedule_price& price, finished_table& made) {
    std::vector<openmpi_candidate> all = candidates(table, what);
    std::vector<picoseconds> least(sizes.size(), 0);
    for (std::size_t i = 0; i < sizes.size(); ++i)
        for (openmpi_candidate& one : all) {
            choice::request request = sizes[i].request;
            if (one.requests > 0) request.parameters.window = one.requests;
            const bool segments = one.row->segments != right_for::none && is_right(*one.row, table.programs, true);
            one.prices.push_back(price_foreign(request, table.list, one.row->equivalent(segments), price));
            if (one.prices.back() && (least[i] == 0 || one.prices.back()->cost < least[i]))
                least[i] = one.prices.back()->cost;
        }
    const auto cost = [&](const openmpi_candidate& one, std::size_t first, std::size_t end) {
        double worst = 0;
        for (std::size_t i = first; i < end; ++i) {
            if (!one.prices[i]) return std::numeric_limits<double>::infinity();
            worst = std::max(worst, static_cast<double>(one.prices[i]->cost) /
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
        openmpi_rules::rule rule = rule_of(*best, i, sizes[i]);
        if (!made.openmpi.empty()) {
            const openmpi_rules::rule& last = made.openmpi.back();
            if (last.collective == rule.collective && last.ranks == rule.ranks && last.number == rule.number &&
                last.segment == rule.segment && last.requests == rule.requests)
                continue;
        }
        made.openmpi.push_back(std::move(rule));
    }
}

void add_mpich(const table_request& table, const priced_size& here, const schedule_price& price, finished_table& made) {
    const auto there = choose_foreign(here.request, table.list, mpich_algorithms, price);
    if (!there) return;
    foreign_rule rule{here.best.collective, here.best.ranks, here.bytes, there->algorithm->foreign};
    if (!made.mpich.empty()) {
        const foreign_rule& last = made.mpich.back();
        if (last.collective == rule.collective && last.ranks == rule.ranks && last.foreign == rule.foreign) return;
    }
    made.mpich.push_back(std::move(rule));
}

/// Adds the row for a size; for a commutative operation also the cheapest that keeps the order of operands.
void add_rows(const row_search& search, const priced_size& here, const schedule_price& price, rank_t ranks_per_node,
              std::vector<decision>& rows) {
    const auto add = [&](decision row) {
        row.ranks_per_node = ranks_per_node;
        row.association = search.bits;
        rows.push_back(row);
    };
    add(here.best);
    if (!here.best.commutative) return;
    choice::request request = here.request;
    request.keeps_order = true;
    const choice best = choose(request, search.list, price);
    if (!best.candidates.empty()) add(row_of(best.candidates.front(), here.bytes));
}

/// Decides the sizes of one search.
void decide_sizes(const table_request& table, const row_search& search, const schedule_price& price,
                  progress_line& progress, finished_table& made) {
    const collective what = search.what;
    const rank_t p = search.ranks;
    std::vector<priced_size> sizes;
    const rank_t ranks_per_node = table.cluster ? table.cluster->place(p).ranks_per_node() : 1;
    for (const bytes_t size : what == collective::barrier ? std::vector<std::int64_t>{0} : table.sizes) {
        progress.show(fmt::format("{}, {} ranks, {}", name_of(what), p, bytes_text(size)));
        const choice::request request = request_of(table, search, size);
        const choice best = choose(request, search.list, price);
        if (best.candidates.empty()) continue;
        if (table.curves && search.bits == table.bits) made.curves.push_back({size, best.candidates});
        const choice::candidate& first = best.candidates.front();
        const bytes_t from = size == table.sizes.front() ? 0 : size;
        sizes.push_back({from, request, row_of(first, from), first.cost});
        add_rows(search, sizes.back(), price, ranks_per_node, made.rows);
        if (table.mpich) add_mpich(table, sizes.back(), price, made);
    }
    if (!table.openmpi || sizes.empty()) return;
    sizes.front().bytes = 0;
    for (const openmpi_collective_info& one : openmpi_collectives)
        if (one.collective == what && (*table.openmpi != openmpi_rules::release::v6_0 || one.in_schema))
            add_openmpi(table, one.id, sizes, price, made);
}

}  // namespace

finished_table decide(const table_request& table) {
    finished_table made;
    progress_line progress;
    for (const collective what : table.whats)
        for (const rank_t p : table.ranks) {
            const schedule_price price = price_of(table.model, table.cluster, table.network, p, {});
            decide_sizes(table, {what, p, association_class::any, table.list}, price, progress, made);
            if (table.bits != association_class::any && reduces(what))
                decide_sizes(table, {what, p, table.bits, table.of_class}, price, progress, made);
        }
    made.rows = fastest_decisions(made.rows);
    const auto order = [](const openmpi_rules::rule& rule) { return static_cast<int>(rule.collective); };
    std::stable_sort(made.openmpi.begin(), made.openmpi.end(),
                     [&](const auto& a, const auto& b) { return order(a) < order(b); });
    end_rules(made.openmpi);
    if (!table.openmpi) return made;
    for (const openmpi_collective_info& one : openmpi_collectives) {
        const bool requested = std::find(table.whats.begin(), table.whats.end(), one.collective) != table.whats.end();
        const auto has = [&](const openmpi_rules::rule& rule) { return rule.collective == one.id; };
        if (requested && std::none_of(made.openmpi.begin(), made.openmpi.end(), has)) made.left_out.push_back(one.id);
    }
    return made;
}
