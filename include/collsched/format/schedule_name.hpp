#pragma once

#include <string>
#include <string_view>

#include "collsched/schedule/concepts.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns the name of a schedule: "allgather/ring", or "allgatherv/ring" for blocks of different sizes.
/// @param info       description of the algorithm
/// @param irregular  whether blocks differ in size
inline std::string schedule_name(const algorithm_info& info, bool irregular = false) {
    std::string name = name_of(info.collective);
    if (irregular) name += 'v';
    return name.append("/").append(info.name);
}

namespace detail {

/// The two parts of a schedule's name. A name without a slash consists of the algorithm only.
struct name_parts {
    std::string_view collective, algorithm;
};

}  // namespace detail
/// Splits the name of a schedule at its slash.
/// @param name  such as "allgather/ring"
/// @return the parts, which refer to `name`
constexpr detail::name_parts split_name(std::string_view name) {
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos) return {{}, name};
    return {name.substr(0, slash), name.substr(slash + 1)};
}

}}  // namespace collsched::COLLSCHED_ABI
