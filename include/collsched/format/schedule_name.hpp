#pragma once

#include <string>
#include <string_view>

#include "collsched/schedule/concepts.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// "allgather/ring"; the same algorithm on blocks of any counts is "allgatherv/ring".
inline std::string schedule_name(const algorithm_info& info, bool irregular = false) {
    std::string name = name_of(info.collective);
    if (irregular) name += 'v';
    return name.append("/").append(info.name);
}

namespace detail {

/// The two halves of a schedule's name. A name without a slash is all algorithm.
struct name_parts {
    std::string_view collective, algorithm;
};

}  // namespace detail
constexpr detail::name_parts split_name(std::string_view name) {
    const std::size_t slash = name.find('/');
    if (slash == std::string_view::npos) return {{}, name};
    return {name.substr(0, slash), name.substr(slash + 1)};
}

}}  // namespace collsched::COLLSCHED_ABI
