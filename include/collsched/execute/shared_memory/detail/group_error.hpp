#pragma once

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The reason why processes form no group: the error number of the system (errno), and the object of the failed call. A
/// value-initialized one is no error.
struct group_error {
    int number = 0;
    const char* about = nullptr;

    explicit operator bool() const { return number != 0; }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
