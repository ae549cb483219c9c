#pragma once

#include <array>
#include <concepts>
#include <cstddef>

#include "collsched/schedule/any_schedule.hpp"

namespace collsched {

/// Everything a user may ask of an algorithm; each takes what its parameters name and leaves the rest.
struct shape {
    rank_t ranks = 1;
    block_layout block = 0;
};

/// An algorithm as a list shows it and makes it.
struct algorithm_entry {
    static constexpr std::size_t most_parameters = 12;

    algorithm_info info;
    std::array<const char*, most_parameters> parameters{};  ///< names; null after the last
    any_schedule (*make)(const shape&) = nullptr;

    constexpr bool takes(const char* parameter) const {
        for (const char* mine : parameters)
            if (mine != nullptr && same_text(mine, parameter)) return true;
        return false;
    }

    static constexpr bool same_text(const char* a, const char* b) {
        for (; *a != '\0' && *a == *b; ++a, ++b) {}
        return *a == *b;
    }
};

/// The algorithm A with the parameters that a shape gives.
template <block_algorithm A>
constexpr A make(const shape& wanted) {
    A made{};
    A::parameters(made, [&]<class P>(const char*, P& parameter) {
        if constexpr (std::same_as<P, block_layout>) parameter = wanted.block;
        else parameter = wanted.ranks;
    });
    return made;
}

template <block_algorithm A>
constexpr algorithm_entry entry_of() {
    algorithm_entry entry{.info = A::info, .make = [](const shape& wanted) { return any_schedule(make<A>(wanted)); }};
    const A example{};
    std::size_t n = 0;
    A::parameters(example, [&](const char* name, const auto&) { entry.parameters[n++] = name; });
    return entry;
}

/// A list of algorithms: as types, and as entries to go through while running.
template <block_algorithm... Algorithms>
struct algorithm_list {
    /// Calls f.template operator()<A>() for every algorithm A.
    template <class F>
    static constexpr void for_each(F f) {
        (f.template operator()<Algorithms>(), ...);
    }

    static constexpr std::array<algorithm_entry, sizeof...(Algorithms)> entries{entry_of<Algorithms>()...};
};

}  // namespace collsched
