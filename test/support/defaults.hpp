#pragma once

#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "collsched/collective/algorithm_list.hpp"

namespace support {

using namespace collsched;

/// A parameter with a default of its own.
struct own_default {
    const char* name;
    std::int64_t value;
};

/// Whether a default-made algorithm has one rank, elements of one byte, and of all else nothing, but for `own`.
template <class Algorithm>
constexpr bool has_defaults(std::initializer_list<own_default> own = {}) {
    const Algorithm made{};
    bool as_expected = true;
    Algorithm::parameters(made, [&]<class T>(const char* name, const T& value) {
        T expected{};
        if constexpr (std::is_same_v<T, std::int64_t>) {
            const shape conventional{.radix = 0, .group = 0, .aggregate = 0, .window = 0};
            conventional.give(name, expected);
            for (const own_default& other : own)
                if (detail::same_text(other.name, name)) expected = other.value;
        }
        as_expected = as_expected && value == expected;
    });
    return as_expected;
}

}  // namespace support
