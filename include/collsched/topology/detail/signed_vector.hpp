#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology { namespace detail {

/// Array that grows, with the signed indices of ranks and links.
template <class T>
class signed_vector : public std::vector<T> {
  public:
    using std::vector<T>::vector;

    /// Returns the number of elements.
    std::int64_t length() const { return static_cast<std::int64_t>(this->size()); }
    /// Returns element i, 0 .. length()-1. Without optimization another index throws std::out_of_range.
    T& operator[](std::int64_t i) {
#ifndef __OPTIMIZE__
        if (static_cast<std::size_t>(i) >= this->size()) this->at(static_cast<std::size_t>(i));
#endif
        return *(this->data() + i);
    }
    /// Returns element i, as above.
    const T& operator[](std::int64_t i) const {
#ifndef __OPTIMIZE__
        if (static_cast<std::size_t>(i) >= this->size()) this->at(static_cast<std::size_t>(i));
#endif
        return *(this->data() + i);
    }
};

}}}}  // namespace collsched::COLLSCHED_ABI::topology::detail
