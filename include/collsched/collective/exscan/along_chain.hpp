#pragma once

#include "collsched/collective/scan/along_chain.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace exscan {

/// Rank r stores the prefix that it receives from r-1, and sends it combined with its input to r+1. Rounds p-1; m bytes
/// sent per rank; m bytes of scratch on the ranks 1 .. p-2; keeps the order of operands.
using linear = scan::detail::along_chain_at_once<collective::exscan>;
/// exscan::linear in pieces of at most `segment` bytes. Rounds p-2+S for S = ceil(bytes / segment) pieces; bytes,
/// scratch and order of operands as there. Source: folklore.
using pipelined = scan::detail::along_chain<collective::exscan>;

}}}  // namespace collsched::COLLSCHED_ABI::exscan
