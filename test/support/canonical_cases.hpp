#pragma once

#include <vector>

#include "support/conformance.hpp"

namespace support {

using namespace collsched;

/// The reductions of the registry on p ranks whose class `association` proves to be canonical, separate and in place: of
/// messages of several lengths, in one piece and in segments, with several radices, groups, placements and roots. Their operands
/// are doubles that round, so a run is right only if it has the bits of the canonical tree. With COLLSCHED_SWEEPS longer messages
/// and all roots too.
std::vector<conformance_case> canonical_cases(rank_t ranks);

}  // namespace support
