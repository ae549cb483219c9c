#pragma once

#include "collsched/combine/local_step.hpp"
#include "collsched/combine/rename_buffers.hpp"
#include "collsched/combine/then.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns x after a step that copies the input of every rank to scratch, where x reads it. If x is correct out of
/// place, the result is correct in place too.
///
/// Steps: one more than x. Rounds and bytes sent: those of x. Scratch: m(r) more, the bytes of rank r's input.
/// @param x  schedule or algorithm
/// @return a schedule. check() fails where that of x does.
template <schedulable X>
constexpr auto copy_input_first(const X& x) {
    const contract contract = lower(x).contract();
    const auto copy = [contract](rank_t r, auto f) {
        f(edge{.size = contract.input_bytes(r), .into = buffer::scratch});
    };
    const auto from_copy = [contract](rank_t r, buffer b) {
        if (b == buffer::output) return location{b, 0};
        return location{buffer::scratch, b == buffer::input ? 0 : contract.input_bytes(r)};
    };
    return then(local_step(copy, contract), rename_buffers(x, from_copy, contract));
}

}}  // namespace collsched::COLLSCHED_ABI
