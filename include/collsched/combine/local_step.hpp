#pragma once

#include "collsched/core/checked.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched::inline v0_1 {

/// One step of local copies and combines: edges(r, f) calls f(edge) for each of rank r, without step and ranks. Edges
/// without bytes are left out. Scratch reaches as far as they do.
template <class Edges>
class local_step_schedule {
  public:
    rank_t ranks;

    constexpr local_step_schedule(const Edges& edges, const collsched::contract& promise)
        : ranks(promise.ranks), edges_(edges), promise_(promise) {}

    constexpr step_t steps() const { return 1; }
    constexpr step_t next(rank_t, step_t k) const { return k < 1 ? k : 1; }
    constexpr step_ranges busy(rank_t) const { return {{0, 0}}; }
    template <class F>
    constexpr void sends(rank_t r, step_t, F f) const {
        edges_(r, [&](edge e) {
            e.src = e.dst = r;
            if (e.size > 0) f(static_cast<const edge&>(e));
        });
    }
    template <class F>
    constexpr void receives(rank_t, step_t, F) const {}

    constexpr bytes_t scratch(rank_t r) const {
        bytes_t most = 0;
        const auto reach = [&](buffer b, byte_range bytes) {
            const bytes_t here = saturated(checked(bytes.offset) + bytes.size);
            if (b == buffer::scratch && here > most) most = here;
        };
        sends(r, 0, [&](const edge& e) { reach(e.from, e.source()), reach(e.into, e.target()); });
        return most;
    }
    constexpr bytes_t staging(rank_t) const { return 0; }
    constexpr collsched::pacing pacing() const { return {}; }
    constexpr collsched::contract contract() const { return promise_; }
    constexpr error check() const { return check_contract(promise_); }
    /// O(all edges).
    constexpr std::uint64_t fingerprint() const {
        description_hash all;
        for (rank_t r = 0; r < ranks; ++r) sends(r, 0, [&](const edge& e) { all(e); });
        return fingerprint_of("local step", promise_, all.value());
    }

  private:
    Edges edges_;
    collsched::contract promise_;
};

/// edges(r, f) on every rank r, as a part of what fulfils `promise`; see local_step_schedule.
template <class Edges>
constexpr auto local_step(const Edges& edges, const contract& promise) {
    return local_step_schedule<Edges>(edges, promise);
}

}  // namespace collsched::inline v0_1
