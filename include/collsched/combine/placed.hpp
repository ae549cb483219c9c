#pragma once

#include <type_traits>

#include "collsched/combine/region.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched::inline v0_1 {

/// Where the buffers of a contract lie when its runtime binds them in place.
struct aliased_buffers {
    contract promise;

    constexpr location operator()(rank_t r, buffer b) const {
        return locate(promise.alias(r, binding::in_place), b, 0);
    }
    bool operator==(const aliased_buffers&) const = default;
};

/// A schedule as a part of a bigger one: its buffers are renamed, per rank, to places in the buffers of that.
///
/// A local copy whose two ends become the same bytes disappears. Rounds, bytes and steps are those of the schedule.
/// `Where` is called as where(rank, buffer) and gives the location where that buffer begins, at an offset of 0 or more,
/// or the region that it is spread over; every rank gives the same answers. The contract is the bigger one, and alone a
/// part need not fulfil it.
template <schedule S, class Where>
class placed_schedule {
  public:
    rank_t ranks;

    constexpr placed_schedule(const S& s, const Where& where, const collsched::contract& promise)
        : ranks(s.ranks), s_(s), where_(where), promise_(promise) {}

    constexpr step_t steps() const { return s_.steps(); }
    constexpr step_t next(rank_t r, step_t k) const { return s_.next(r, k); }
    constexpr step_ranges busy(rank_t r) const
        requires requires(const S& s) { s.busy(r); }
    {
        return s_.busy(r);
    }

    template <class F>
    constexpr void sends(rank_t r, step_t k, F f) const {
        detail::sends_of(s_, r, k, [&](const edge& e) { tell(e, f); });
    }
    template <class F>
    constexpr void receives(rank_t r, step_t k, F f) const {
        detail::receives_of(s_, r, k, [&](const edge& e) { tell(e, f); });
    }

    static constexpr bool scratchless = std::is_same_v<Where, aliased_buffers> && requires { requires S::scratchless; };
    /// As far as a buffer of the schedule that was placed in scratch reaches.
    constexpr bytes_t scratch(rank_t r) const {
        return detail::placed_scratch(s_, r, [&](buffer b) -> region { return where_(r, b); });
    }
    constexpr bytes_t staging(rank_t r) const { return s_.staging(r); }
    constexpr collsched::pacing pacing() const { return s_.pacing(); }
    constexpr collsched::contract contract() const { return promise_; }
    constexpr error check() const {
        if (error wrong = s_.check()) return wrong;
        if (promise_.ranks != ranks) return {"ranks", promise_.ranks, "as many ranks as the part has"};
        return check_contract(promise_);
    }
    /// O(ranks): of the schedule, the contract and every place.
    constexpr std::uint64_t fingerprint() const {
        description_hash places;
        for (rank_t r = 0; r < ranks; ++r)
            for (const buffer b : {buffer::input, buffer::output, buffer::scratch}) places(region(where_(r, b)));
        return fingerprint_of("placed", s_.fingerprint(), promise_, places.value());
    }

  private:
    template <class F>
    constexpr void tell(const edge& e, F& f) const {
        detail::place_edge(e, where_(e.src, e.from), where_(e.dst, e.into), f);
    }

    S s_;
    Where where_;
    collsched::contract promise_;
};

/// x as a part of what fulfils `promise`; see placed_schedule.
template <schedulable X, class Where>
    requires requires(const Where& where, rank_t r, buffer b) {
        { where(r, b) } -> std::convertible_to<region>;
    }
constexpr auto place(const X& x, const Where& where, const contract& promise) {
    return placed_schedule<schedule_of<X>, Where>(lower(x), where, promise);
}

/// x as it runs in place: edges speak of the buffer that holds the other, and copies of bytes to themselves are gone.
template <schedulable X>
constexpr auto placed_in_place(const X& x) {
    const contract promise = lower(x).contract();
    return place(x, aliased_buffers{promise}, promise);
}

}  // namespace collsched::inline v0_1
