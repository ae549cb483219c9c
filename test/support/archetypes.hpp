#pragma once

#include "collsched/schedule/concepts.hpp"

namespace support {

using namespace collsched;

/// A block algorithm with the least that the concept requires: an allgather in one step, all to all.
struct direct_exchange {
    rank_t ranks = 1;
    block_layout block = 0;

    static constexpr algorithm_info info{.collective = collective::allgather, .name = "direct-exchange"};
    constexpr step_t steps() const { return ranks > 1 ? 1 : 0; }
    constexpr void targets(rank_t r, step_t, auto f) const {
        for (rank_t other = 0; other < ranks; ++other)
            if (other != r) f(other);
    }
    constexpr void sources(rank_t r, step_t k, auto f) const { targets(r, k, f); }
    constexpr void message(rank_t src, rank_t, step_t, auto f) const { f(block_interval{src, 1}); }
    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks);
        f("block", self.block);
    }
};

/// A schedule by bytes with the least that the concept requires: rank 0 sends `bytes` to all others, in one step.
struct flat_broadcast {
    rank_t ranks = 1;
    bytes_t bytes = 1;

    constexpr step_t steps() const { return 1; }
    constexpr step_t next(rank_t, step_t k) const { return k; }
    constexpr void sends(rank_t r, step_t, auto f) const {
        for (rank_t dst = 0; r == 0 && dst < ranks; ++dst) f(to(dst));
    }
    constexpr void receives(rank_t r, step_t, auto f) const {
        if (r != 0) f(to(r));
    }
    constexpr bytes_t scratch(rank_t) const { return 0; }
    constexpr bytes_t staging(rank_t) const { return 0; }
    constexpr collsched::pacing pacing() const { return {}; }
    constexpr collsched::contract contract() const {
        return {.collective = collective::broadcast, .ranks = ranks, .bytes = bytes};
    }
    constexpr argument_error check() const { return {}; }
    constexpr std::uint64_t fingerprint() const { return static_cast<std::uint64_t>(ranks * 1000 + bytes); }

  private:
    constexpr edge to(rank_t dst) const { return {.src = 0, .dst = dst, .size = bytes}; }
};

}  // namespace support
