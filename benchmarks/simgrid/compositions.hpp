#pragma once

#include <string>
#include <vector>

#include "collsched/collective/algorithm_list.hpp"

namespace simulated {

struct candidate;

/// Adds compositions of the library's broadcasts, reduces and allreduces, unless all ranks are on one switch: an
/// algorithm in every cluster, as the placement has them, and one among clusters, both in segments of several lengths if
/// they can be, so that all is one pipeline.
void add_compositions(std::vector<candidate>& found, collsched::collective what, const collsched::shape& wanted,
                      collsched::bytes_t bytes, bool one_switch);

}  // namespace simulated
