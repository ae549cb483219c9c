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

#include "collsched/select/detail/request_checks.hpp"
#include "collsched/cost/lob.hpp"
#include "collsched/group/choice_policy.hpp"
#include "collsched/select/choose.hpp"
#include "collsched/select/decide.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// The search of policies::cheapest(). The defaults price every size as choose() does.
struct choice::search {
    std::optional<lob_model> cluster{};  ///< its nodes are the ranks; algorithms that are planned for it take part
    bool keeps_defaults = false;         ///< keep the defaults of all parameters but segments
    bytes_t least_segment = 0;           ///< smallest segment that is tried, in bytes
    std::int64_t edge_limit = std::int64_t{1} << 20;  ///< schedules with more edges are not priced
    /// Search once for all sizes between two powers of two, with the smaller one, and take its parameters for each.
    bool by_size_class = false;
};

namespace detail {

/// Chooses by searches, whose results it keeps.
template <class Model>
class cheapest_choice {
  public:
    cheapest_choice(const Model& model, std::span<const algorithm_entry> list, choice::search search)
        : price_(simulated_price(model)), list_(list), search_(std::move(search)) {}

    choice::selection operator()(choice::request request) {
        if (search_.cluster) {
            request.has_cluster = true;
            request.parameters.cluster = *search_.cluster;
        }
        const bool in_class = search_.by_size_class && !has_neighbors(request.collective);
        const std::int64_t bytes = in_class ? smallest_of_class(table_bytes(request)) : table_bytes(request);
        const choice result = in_class ? find_or_search(request, bytes) : search(request);
        std::string refusals;
        for (const choice::candidate& candidate : result.candidates) {
            if (candidate.cost == unpriced) break;
            choice::selection selection = chosen_from_list(*candidate.entry, with_values(candidate, request.parameters),
                                                           reason(candidate, in_class, bytes));
            const argument_error error =
                check_choice(*candidate.entry, selection.parameters, *selection.schedule, request);
            if (!error) return selection;
            refusals += "; " + std::string(candidate.entry->info.name) + ": " + error.text().c_str();
        }
        for (const choice::refusal& refusal : result.refused)
            refusals += "; " + std::string(refusal.entry->info.name) + ": " + refusal.error.text().c_str();
        return {.reason = "none can be priced" + refusals};
    }

  private:
    using key = std::array<std::int64_t, 6>;

    static std::int64_t smallest_of_class(bytes_t bytes) {
        return bytes > 0 ? static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(bytes))) : 0;
    }
    /// Returns the sizes of a call with the values that a search found.
    static shape with_values(const choice::candidate& candidate, shape sizes) {
        for (const decision::free_parameter& parameter : free_parameters)
            if (candidate.entry->takes(parameter.value)) sizes.*parameter.value = candidate.parameters.*parameter.value;
        sizes.segment = whole_elements(sizes.segment, sizes.element);
        return sizes;
    }
    static std::string reason(const choice::candidate& candidate, bool in_class, std::int64_t bytes) {
        return "the cheapest by the model" + (in_class ? " with " + std::to_string(bytes) + " bytes" : std::string()) +
               ", " + std::to_string(candidate.cost / 1000) + " ns";
    }

    choice search(choice::request request) {
        request.best_only = true;
        request.keeps_defaults = search_.keeps_defaults;
        request.least_segment = search_.least_segment;
        request.edge_limit = search_.edge_limit;
        price_.when.binding = request.binding;
        return choose(request, list_, price_);
    }
    /// Returns the result of a search for calls of so many bytes together.
    const choice& find_or_search(choice::request request, bytes_t bytes) {
        const key search_key{static_cast<std::int64_t>(request.collective),
                             request.parameters.ranks,
                             request.parameters.root,
                             bytes,
                             request.keeps_order ? 1 : 0,
                             static_cast<std::int64_t>(request.bits)};
        if (const auto position = results_.find(search_key); position != results_.end()) return position->second;
        request.parameters.bytes = bytes;
        request.parameters.block = block_layout::partition(bytes, request.parameters.ranks);
        request.parameters.element = 1;
        return results_.emplace(search_key, search(request)).first->second;
    }

    simulated_cost<Model> price_;
    std::span<const algorithm_entry> list_;
    choice::search search_;
    std::map<key, choice> results_;
};

}  // namespace detail

namespace policies {

/// The cheapest algorithm under a cost model, as choose() finds it.
/// @param model   costs of messages and local work, such as hockney_model; equal on all ranks
/// @param list    algorithms to price; the memory of the entries must live as long as the policy
/// @param search  limits of the search, and a cluster; equal on all ranks
template <class Model>
choice_policy cheapest(const Model& model, std::span<const algorithm_entry> list, choice::search search = {}) {
    return detail::cheapest_choice<Model>(model, list, std::move(search));
}

}  // namespace policies

}}  // namespace collsched::COLLSCHED_ABI
