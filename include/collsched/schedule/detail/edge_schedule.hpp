#pragma once

#include "collsched/core/checked.hpp"
#include "collsched/schedule/concepts.hpp"
#include "collsched/schedule/detail/named_members.hpp"
#include "collsched/schedule/detail/edge_sink.hpp"
#include "collsched/schedule/fingerprint.hpp"
#include "collsched/schedule/parameters.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Schedule of an edge algorithm: sets step and ranks of its edges and derives the other members. Both ends omit edges
/// without bytes, except the signals of a barrier.
template <edge_algorithm A>
class edge_schedule {
    static_assert(names_every_member<A>::value);

  public:
    rank_t ranks;

    constexpr explicit edge_schedule(const A& algorithm) : ranks(algorithm.ranks), algorithm_(algorithm) {}

    constexpr step_t steps() const { return algorithm_.steps(); }
    constexpr step_t next(rank_t r, step_t k) const {
        const step_t end = steps();
        if (k >= end) return end;
        if constexpr (requires { algorithm_.next(r, k); }) return algorithm_.next(r, k);
        else if constexpr (requires { algorithm_.active(r); }) return algorithm_.active(r).from(k, end);
        else return k;
    }
    constexpr step_ranges busy(rank_t r) const {
        if constexpr (requires { algorithm_.active(r); }) return {algorithm_.active(r)};
        else return {{0, steps() - 1}};
    }

    constexpr void sends(rank_t r, step_t k, auto f) const {
        if constexpr (requires { algorithm_.local(r, k, f); })
            algorithm_.local(r, k, [&](const edge& e) { emit(e, r, r, k, f); });
        algorithm_.targets(r, k, [&](rank_t dst) { transfers(r, dst, k, f); });
    }
    constexpr void receives(rank_t r, step_t k, auto f) const {
        algorithm_.sources(r, k, [&](rank_t src) { transfers(src, r, k, f); });
    }

    static constexpr bool scratchless = !requires(const A& a, rank_t r) { a.scratch(r); };
    constexpr bytes_t scratch(rank_t r) const {
        if constexpr (scratchless) return 0;
        else return algorithm_.scratch(r);
    }
    /// O(edges of the rank).
    constexpr bytes_t staging(rank_t r) const {
        bytes_t largest = 0;
        for (step_t k = next(r, 0); k < steps(); k = next(r, k + 1)) {
            checked bytes = 0;
            receives_of(*this, r, k, [&](const edge& e) { bytes = bytes + (e.combines() ? e.size : 0); });
            const bytes_t step_bytes = saturated(bytes);
            largest = step_bytes > largest ? step_bytes : largest;
        }
        return largest;
    }
    constexpr collsched::pacing pacing() const {
        if constexpr (requires { algorithm_.window; }) return {algorithm_.window};
        else return {A::info.window};
    }
    constexpr collsched::contract contract() const { return contract_of(algorithm_); }
    constexpr argument_error check() const { return check_parameters(algorithm_); }
    constexpr std::uint64_t fingerprint() const { return describe(algorithm_); }

  private:
    constexpr void transfers(rank_t src, rank_t dst, step_t k, auto& f) const {
        algorithm_.transfers(src, dst, k, [&]<class Edge>(const Edge& e) {
            static_assert(std::is_same_v<Edge, edge>, "transfers(src, dst, step, f) must call f(edge)");
            emit(e, src, dst, k, f);
        });
    }
    static constexpr void emit(edge e, rank_t src, rank_t dst, step_t k, auto& f) {
        if (e.size == 0 && (src == dst || A::info.collective != collective::barrier)) return;
        e.step = k;
        e.src = src;
        e.dst = dst;
        f(static_cast<const edge&>(e));
    }

    A algorithm_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
