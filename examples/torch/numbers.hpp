#pragma once

#include <functional>

#include <c10/core/ScalarType.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <torch/csrc/distributed/c10d/Types.hpp>

#include <functional>

#include "collsched/execute/reductions.hpp"

namespace examples {

using namespace collsched;

namespace short_floats {

struct minimum {
    float operator()(float a, float b) const { return b < a ? b : a; }
};
struct maximum {
    float operator()(float a, float b) const { return a < b ? b : a; }
};

/// into = first op second for numbers of 16 bits, each computed in float and rounded once.
template <class T, class Operator>
void reduce_into(void*, std::byte* into, const std::byte* first, const std::byte* second, bytes_t size) {
    for (bytes_t at = 0; at + bytes_t{sizeof(T)} <= size; at += bytes_t{sizeof(T)}) {
        T a, b;
        std::memcpy(&a, first + at, sizeof(T));
        std::memcpy(&b, second + at, sizeof(T));
        const T value(Operator()(static_cast<float>(a), static_cast<float>(b)));
        std::memcpy(into + at, &value, sizeof(T));
    }
}
template <class T, class Operator>
void reduce(void* context, std::byte* into, const std::byte* incoming, bytes_t size, action action) {
    const bool before = action == action::combine_before;
    reduce_into<T, Operator>(context, into, before ? incoming : into, before ? into : incoming, size);
}
template <class T, class Operator>
constexpr reduction of() {
    return {&reduce<T, Operator>, nullptr, true, &reduce_into<T, Operator>, bytes_t{sizeof(T)}};
}

}  // namespace short_floats

/// Returns the reduction of an operator of c10d on numbers of type T; without a function if there is none.
template <class T>
reduction reduction_of(c10d::ReduceOp::RedOpType op) {
    using kind = c10d::ReduceOp;
    if constexpr (std::is_arithmetic_v<T>) {
        if (op == kind::SUM || (op == kind::AVG && std::is_floating_point_v<T>)) return reductions::sum<T>();
        if (op == kind::PRODUCT) return reductions::product<T>();
        if (op == kind::MIN) return reductions::minimum<T>();
        if (op == kind::MAX) return reductions::maximum<T>();
    } else {
        if (op == kind::SUM || op == kind::AVG) return short_floats::of<T, std::plus<>>();
        if (op == kind::PRODUCT) return short_floats::of<T, std::multiplies<>>();
        if (op == kind::MIN) return short_floats::of<T, minimum>();
        if (op == kind::MAX) return short_floats::of<T, maximum>();
    }
    if constexpr (std::is_integral_v<T>) {
        if (op == kind::BAND) return reductions::bit_and<T>();
        if (op == kind::BOR) return reductions::bit_or<T>();
        if (op == kind::BXOR) return reductions::bit_xor<T>();
    }
    return {};
}

/// Returns the reduction of an operator on tensors of a type; without a function if there is none. The sum of truth
/// values is their disjunction, their product the conjunction.
inline reduction reduction_of(c10::ScalarType type, c10d::ReduceOp::RedOpType op) {
    using kind = c10d::ReduceOp;
    switch (type) {
        case c10::ScalarType::Float: return reduction_of<float>(op);
        case c10::ScalarType::Double: return reduction_of<double>(op);
        case c10::ScalarType::Half: return reduction_of<c10::Half>(op);
        case c10::ScalarType::BFloat16: return reduction_of<c10::BFloat16>(op);
        case c10::ScalarType::Char: return reduction_of<std::int8_t>(op);
        case c10::ScalarType::Byte: return reduction_of<std::uint8_t>(op);
        case c10::ScalarType::Short: return reduction_of<std::int16_t>(op);
        case c10::ScalarType::Int: return reduction_of<std::int32_t>(op);
        case c10::ScalarType::Long: return reduction_of<std::int64_t>(op);
        case c10::ScalarType::Bool:
            return reduction_of<std::uint8_t>(op == kind::SUM ? kind::BOR : op == kind::PRODUCT ? kind::BAND : op);
        default: return {};
    }
}

inline constexpr const char* operator_names[] = {"sum",  "avg", "product", "min",        "max",
                                                 "band", "bor", "bxor",    "premul_sum", "unused"};
inline const char* name_of(c10d::ReduceOp::RedOpType op) { return operator_names[op]; }
/// Returns the names of the operators on tensors of a type.
inline std::string operators_of(c10::ScalarType type) {
    std::string all;
    for (const auto op : {c10d::ReduceOp::SUM, c10d::ReduceOp::AVG, c10d::ReduceOp::PRODUCT, c10d::ReduceOp::MIN,
                          c10d::ReduceOp::MAX, c10d::ReduceOp::BAND, c10d::ReduceOp::BOR, c10d::ReduceOp::BXOR})
        if (reduction_of(type, op).combine) all += (all.empty() ? "" : ", ") + std::string(name_of(op));
    return all;
}

}  // namespace examples
