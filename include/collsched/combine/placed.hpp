#pragma once

#include <limits>
#include <type_traits>

#include "collsched/core/checked.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched {

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
/// `Where` is called as where(rank, buffer) and gives the location where that buffer begins, at an offset of 0 or more; every
/// rank gives the same answers. The contract is the bigger one, and alone a part need not fulfil it.
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
        s_.sends(r, k, [&](const edge& e) { tell(e, f); });
    }
    template <class F>
    constexpr void receives(rank_t r, step_t k, F f) const {
        s_.receives(r, k, [&](const edge& e) { tell(e, f); });
    }

    static constexpr bool scratchless = std::is_same_v<Where, aliased_buffers> && requires { requires S::scratchless; };
    /// As far as a buffer of the schedule that was placed in scratch reaches.
    constexpr bytes_t scratch(rank_t r) const {
        const collsched::contract part = s_.contract();
        bytes_t most = 0;
        const auto reach = [&](buffer b, bytes_t size) {
            const location at = where_(r, b);
            if (size <= 0 || at.where != buffer::scratch) return;
            const checked end = checked(at.offset) + size;
            const bytes_t reached = end.ok() ? end.value() : std::numeric_limits<bytes_t>::max();
            if (reached > most) most = reached;
        };
        reach(buffer::input, part.input_bytes(r));
        reach(buffer::output, part.output_bytes(r));
        reach(buffer::scratch, s_.scratch(r));
        return most;
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
            for (const buffer b : {buffer::input, buffer::output, buffer::scratch}) {
                const location at = where_(r, b);
                places(static_cast<std::int64_t>(at.where));
                places(at.offset);
            }
        return fingerprint_of("placed", s_.fingerprint(), promise_, places.value());
    }

  private:
    template <class F>
    constexpr void tell(edge e, F& f) const {
        const location from = where_(e.src, e.from), into = where_(e.dst, e.into);
        e.from = from.where;
        e.from_offset += from.offset;
        e.into = into.where;
        e.into_offset += into.offset;
        const bool nowhere = e.is_local() && !e.combines() && e.from == e.into && e.from_offset == e.into_offset;
        if (!nowhere) f(static_cast<const edge&>(e));
    }

    S s_;
    Where where_;
    collsched::contract promise_;
};

/// x as a part of what fulfils `promise`; see placed_schedule.
template <schedulable X, class Where>
    requires requires(const Where& where, rank_t r, buffer b) {
        { where(r, b) } -> std::same_as<location>;
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

}  // namespace collsched
