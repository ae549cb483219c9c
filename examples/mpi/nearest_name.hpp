#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "names/edit_distance.hpp"

namespace collsched::preload {

/// Returns the first of the names that are nearest to another.
/// @pre names is not empty
inline std::string nearest_name(std::string_view name, const std::vector<std::string>& names) {
    return *std::ranges::min_element(names, {}, [&](const std::string& one) { return edit_distance(name, one); });
}

}  // namespace collsched::preload
