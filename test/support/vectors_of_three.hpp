#pragma once

#include "collsched/group/value_reduction.hpp"

namespace support {

struct vector_3 {
    double x, y, z;
};
struct crosswise {
    vector_3 operator()(const vector_3& a, const vector_3& b) const {
        return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    }
};
struct componentwise {
    vector_3 operator()(const vector_3& a, const vector_3& b) const { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
};

}  // namespace support

namespace collsched { inline namespace COLLSCHED_ABI {

template <>
inline constexpr bool is_commutative<support::componentwise, support::vector_3> = true;

}}  // namespace collsched::COLLSCHED_ABI
