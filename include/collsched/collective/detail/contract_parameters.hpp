#pragma once

#include "collsched/schedule/concepts.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Calls f(name, member) for the members of an algorithm that determine its contract: ranks, root, block, bytes and
/// element, as far as it has them. The algorithms of the library list them first in parameters().
constexpr void contract_parameters(auto& self, auto& f) {
    f("ranks", self.ranks);
    if constexpr (requires { self.root; }) f("root", self.root);
    if constexpr (requires { self.block; }) f("block", self.block);
    if constexpr (requires { self.bytes; }) f("bytes", self.bytes);
    if constexpr (requires { self.element; }) f("element", self.element);
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
