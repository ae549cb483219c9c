#pragma once

#include <array>
#include <cstddef>

#include "collsched/core/argument_error.hpp"
#include "collsched/tree/tree_plan.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace planners {

/// Name and functions of a planner, for lists that are searched at run time.
struct planner_entry {
    const char* name = "";                                        ///< as "mgo"
    tree_plan (*plan)(const tree_plan::request&) = nullptr;       ///< one-to-many
    tree_plan (*plan_back)(const tree_plan::request&) = nullptr;  ///< many-to-one
};

namespace detail {

/// Returns the entry of a planner.
template <planner Planner>
constexpr planner_entry planner_entry_of() {
    return {Planner::name, [](const tree_plan::request& request) { return Planner{}(request); },
            [](const tree_plan::request& request) { return many_to_one(Planner{}, request); }};
}

/// List of planners, as types and as entries.
template <planner... Planners>
struct planner_list {
    /// Calls f.template operator()<P>() for every planner P.
    static constexpr void for_each(auto f) { (f.template operator()<Planners>(), ...); }

    static constexpr std::array<planner_entry, sizeof...(Planners)> entries{planner_entry_of<Planners>()...};

    /// Returns the planner of this name, or null.
    static constexpr const planner_entry* find(const char* name) {
        for (const planner_entry& entry : entries)
            if (collsched::detail::same_text(entry.name, name)) return &entry;
        return nullptr;
    }

    /// The list followed by more planners.
    template <planner... More>
    using append = planner_list<Planners..., More...>;
};

}  // namespace detail

}}}  // namespace collsched::COLLSCHED_ABI::planners
