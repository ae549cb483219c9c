#pragma once

#include "collsched/schedule/concepts.hpp"
#include "collsched/schedule/fingerprint.hpp"

namespace collsched::preload {

/// reduce::linear of two ranks whose root has separate operand and result: the other operand is received in the result,
/// where the root's own is combined with it. Nothing is copied or staged. The message is that of reduce::linear, which
/// the other rank may run.
struct own_reduction {
    rank_t ranks = 2;
    rank_t root = 0;
    bytes_t bytes = 0;
    bytes_t element = 1;

    step_t steps() const { return 2; }
    step_t next(rank_t, step_t k) const { return k < 2 ? k : 2; }

    template <class F>
    void sends(rank_t r, step_t k, F f) const {
        if (bytes == 0) return;
        if (k == 0 && r != root) f(message());
        if (k == 1 && r == root)
            f(edge{.step = 1,
                   .src = root,
                   .dst = root,
                   .size = bytes,
                   .action = root == 0 ? action::combine_before : action::combine_after});
    }
    template <class F>
    void receives(rank_t r, step_t k, F f) const {
        if (bytes > 0 && k == 0 && r == root) f(message());
    }

    bytes_t scratch(rank_t) const { return 0; }
    bytes_t staging(rank_t) const { return 0; }
    collsched::pacing pacing() const { return {}; }
    collsched::contract contract() const {
        return {.collective = collective::reduce, .ranks = ranks, .root = root, .bytes = bytes, .element = element};
    }
    argument_error check() const { return {}; }
    std::uint64_t fingerprint() const { return fingerprint_of("own reduction", root, bytes, element); }

  private:
    edge message() const { return {.src = 1 - root, .dst = root, .size = bytes}; }
};

}  // namespace collsched::preload
