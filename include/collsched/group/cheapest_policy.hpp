#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collsched/cost/cluster_model.hpp"
#include "collsched/group/choice_policy.hpp"
#include "collsched/select/choose.hpp"
#include "collsched/select/decide.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// The search of policies::cheapest(). The defaults price every size as choose() does.
struct cheapest_search {
    std::optional<cluster_model> cluster{};  ///< its nodes are the ranks; algorithms that are planned for it take part
    bool keeps_defaults = false;             ///< keep the defaults of all parameters but segments
    bytes_t least_segment = 0;               ///< smallest segment that is tried, in bytes
    std::int64_t edge_limit = std::int64_t{1} << 20;  ///< schedules with more edges are not priced
    /// Search once for all sizes between two powers of two, with the smaller one, and take its parameters for each.
    bool by_size_class = false;
};

namespace detail {

/// Chooses by searches, whose results it keeps.
template <class Model>
class cheapest_choice {
  public:
    cheapest_choice(const Model& model, std::span<const algorithm_entry> list, cheapest_search search)
        : price_(simulated_price(model)), list_(list), search_(std::move(search)) {}

    chosen_schedule operator()(choice::request request) {
        if (search_.cluster) {
            request.has_cluster = true;
            request.parameters.cluster = *search_.cluster;
        }
        const bool in_class = search_.by_size_class && !has_neighbors(request.collective);
        const std::int64_t bytes = in_class ? smallest_of_class(table_bytes(request)) : table_bytes(request);
        const choice found = in_class ? kept(request, bytes) : searched(request);
        std::string refused;
        for (const choice::candidate& one : found.candidates) {
            if (one.cost == unpriced) break;
            chosen_schedule made =
                chosen_from_list(*one.entry, with_values(one, request.parameters), reason(one, in_class, bytes));
            const argument_error wrong = check_choice(*one.entry, made.parameters, *made.schedule, request);
            if (!wrong) return made;
            refused += "; " + std::string(one.entry->info.name) + ": " + wrong.text().c_str();
        }
        for (const choice::refusal& one : found.refused)
            refused += "; " + std::string(one.entry->info.name) + ": " + one.error.text().c_str();
        return {.reason = "none can be priced" + refused};
    }

  private:
    using key = std::array<std::int64_t, 6>;

    static std::int64_t smallest_of_class(bytes_t bytes) {
        return bytes > 0 ? static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(bytes))) : 0;
    }
    /// Returns the sizes of a call with the values that a search found.
    static shape with_values(const choice::candidate& found, shape sizes) {
        for (const free_parameter& one : free_parameters)
            if (found.entry->takes(one.name)) sizes.*one.value = found.parameters.*one.value;
        sizes.segment = whole_elements(sizes.segment, sizes.element);
        return sizes;
    }
    static std::string reason(const choice::candidate& one, bool in_class, std::int64_t bytes) {
        return "the cheapest by the model" + (in_class ? " with " + std::to_string(bytes) + " bytes" : std::string()) +
               ", " + std::to_string(one.cost / 1000) + " ns";
    }

    choice searched(choice::request request) {
        request.best_only = true;
        request.keeps_defaults = search_.keeps_defaults;
        request.least_segment = search_.least_segment;
        request.edge_limit = search_.edge_limit;
        price_.when.binding = request.binding;
        return choose(request, list_, price_);
    }
    /// Returns the result of a search for calls of so many bytes together.
    const choice& kept(choice::request request, bytes_t bytes) {
        const key of{static_cast<std::int64_t>(request.collective),
                     request.parameters.ranks,
                     request.parameters.root,
                     bytes,
                     request.keeps_order ? 1 : 0,
                     static_cast<std::int64_t>(request.bits)};
        if (const auto found = kept_.find(of); found != kept_.end()) return found->second;
        request.parameters.bytes = bytes;
        request.parameters.block = block_layout::partition(bytes, request.parameters.ranks);
        request.parameters.element = 1;
        return kept_.emplace(of, searched(request)).first->second;
    }

    simulated_cost<Model> price_;
    std::span<const algorithm_entry> list_;
    cheapest_search search_;
    std::map<key, choice> kept_;
};

}  // namespace detail

namespace policies {

/// The cheapest algorithm under a cost model, as choose() finds it.
/// @param model   costs of messages and local work, such as hockney_model; equal on all ranks
/// @param list    algorithms to price; the memory of the entries must live as long as the policy
/// @param search  limits of the search, and a cluster; equal on all ranks
template <class Model>
choice_policy cheapest(const Model& model, std::span<const algorithm_entry> list, cheapest_search search = {}) {
    return detail::cheapest_choice<Model>(model, list, std::move(search));
}

}  // namespace policies

}}  // namespace collsched::COLLSCHED_ABI
