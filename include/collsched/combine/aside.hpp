#pragma once

#include "collsched/combine/local_step.hpp"
#include "collsched/combine/placed.hpp"
#include "collsched/combine/sequence.hpp"

namespace collsched::inline v0_1 {

/// x, with its input copied to scratch first and taken from there: right in place wherever x is right at all. One step,
/// and as much scratch as the input has bytes, more; rounds and bytes sent are those of x.
template <schedulable X>
constexpr auto aside(const X& x) {
    const contract promise = lower(x).contract();
    const auto copy = [promise](rank_t r, auto f) { f(edge{.size = promise.input_bytes(r), .into = buffer::scratch}); };
    const auto from_copy = [promise](rank_t r, buffer b) {
        if (b == buffer::output) return location{b, 0};
        return location{buffer::scratch, b == buffer::input ? 0 : promise.input_bytes(r)};
    };
    return then(local_step(copy, promise), place(x, from_copy, promise));
}

}  // namespace collsched::inline v0_1
