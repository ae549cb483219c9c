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
    /// Returns element i, 0 .. length()-1.
    T& operator[](std::int64_t i) { return std::vector<T>::operator[](static_cast<std::size_t>(i)); }
    /// Returns element i, 0 .. length()-1.
    const T& operator[](std::int64_t i) const { return std::vector<T>::operator[](static_cast<std::size_t>(i)); }
};

}}}}  // namespace collsched::COLLSCHED_ABI::topology::detail
