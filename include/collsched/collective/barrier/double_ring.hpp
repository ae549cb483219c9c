#pragma once

#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace barrier {

/// A signal goes around the ring of ranks twice: in step k rank k mod p signals the next rank. The last rank depends on
/// all others after step p-2, every other rank r after step p+r-1.
///
/// Rounds 2 (p-1), with one signal in each. Open MPI sends two more, to the last rank and to rank 0, which have depended
/// on all others before. Every rank sends to its successor alone.
/// Source: Open MPI's double ring.
struct double_ring {
    rank_t ranks = 1;

    static constexpr algorithm_info info{
        .collective = collective::barrier, .name = "double-ring", .rounds = "2 (p-1)", .source = "Open MPI"};

    constexpr argument_error check() const {
        return ranks > rank_t{1} << 61 ? argument_error{"ranks", ranks, "at most 2^61"} : argument_error{};
    }
    constexpr step_t steps() const { return 2 * (ranks - 1); }
    constexpr step_range active(rank_t r) const {
        const step_t last = r == ranks - 1 ? r : r == ranks - 2 ? ranks + r - 1 : ranks + r;
        return {r == 0 ? 0 : r - 1, ranks == 1 ? -1 : last};
    }
    constexpr step_t next(rank_t r, step_t k) const {
        const step_t send = k + wrap(r - k % ranks, ranks), receive = k + wrap(r - 1 - k % ranks, ranks);
        const step_t first = send < receive ? send : receive;
        return first < steps() ? first : steps();
    }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        if (k % ranks == r) f(wrap(r + 1, ranks));
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        const rank_t sender = k % ranks;
        if (wrap(sender + 1, ranks) == r) f(sender);
    }
    constexpr void transfers(rank_t, rank_t, step_t, auto f) const { f(edge{}); }

    static constexpr void parameters(auto& self, auto f) { f("ranks", self.ranks); }
    bool operator==(const double_ring&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::barrier
