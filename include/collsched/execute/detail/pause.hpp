#pragma once

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Lets some tens of cycles pass in a loop that looks at memory, which leaves the cache line to its writer meanwhile.
inline void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
