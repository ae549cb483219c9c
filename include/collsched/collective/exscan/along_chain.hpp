#pragma once

#include "collsched/collective/scan/along_chain.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace exscan {

/// Rank r keeps what it hears from r-1, and sends it with its own bytes behind it to r+1; see scan::along_chain.
using linear = scan::detail::along_chain_at_once<collective::exscan>;
/// The same in pieces of at most `segment` bytes.
using pipelined = scan::detail::along_chain<collective::exscan>;

}}}  // namespace collsched::COLLSCHED_ABI::exscan
