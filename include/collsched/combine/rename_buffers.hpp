#pragma once

#include <concepts>
#include <type_traits>

#include "collsched/combine/region.hpp"
#include "collsched/schedule/detail/schedule_adaptor.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Locations of the buffers of a contract when they are bound in place.
struct buffers_in_place {
    constexpr location operator()(const contract& contract, rank_t r, buffer b) const {
        return locate(contract.alias(r, binding::in_place), b, 0);
    }
};

template <schedule S, class Where>
class renamed_buffers_schedule : public schedule_adaptor<renamed_buffers_schedule<S, Where>, S> {
    using adaptor = schedule_adaptor<renamed_buffers_schedule, S>;
    using adaptor::base;

  public:
    using adaptor::ranks;

    constexpr renamed_buffers_schedule(const S& s, const Where& where, const collsched::contract& contract)
        : adaptor(s), where_(where), contract_(contract) {}

    constexpr void adapt(const edge& e, auto& f) const { place_edge(e, place(e.src, e.from), place(e.dst, e.into), f); }

    static constexpr bool scratchless =
        std::is_same_v<Where, buffers_in_place> && requires { requires S::scratchless; };
    /// Returns the end of the last buffer of the base that is in scratch.
    constexpr bytes_t scratch(rank_t r) const {
        return placed_scratch(base(), r, [&](buffer b) -> region { return place(r, b); });
    }
    constexpr collsched::contract contract() const { return contract_; }
    constexpr argument_error check() const {
        if (argument_error error = base().check()) return error;
        if (contract_.ranks != ranks) return {"ranks", contract_.ranks, "as many ranks as the part has"};
        return check_contract(contract_);
    }
    /// O(ranks).
    constexpr std::uint64_t fingerprint() const {
        description_hash regions;
        for (rank_t r = 0; r < ranks; ++r)
            for (const buffer b : {buffer::input, buffer::output, buffer::scratch}) regions(region(place(r, b)));
        return fingerprint_of("placed", base().fingerprint(), contract_, regions.value());
    }

  private:
    constexpr auto place(rank_t r, buffer b) const {
        if constexpr (std::is_same_v<Where, buffers_in_place>) return where_(contract_, r, b);
        else return where_(r, b);
    }

    Where where_;
    collsched::contract contract_;
};

}  // namespace detail

/// A schedule as a part of a larger one: its buffers become regions of the buffers of the larger schedule.
///
/// Steps, rounds, messages and bytes are those of x. A local copy whose two ends become the same bytes is left out. An
/// edge that crosses from one piece of a region to the next becomes several edges of the same message.
///
/// @param where     where(rank, buffer) returns the location at which that buffer of x begins, or its region. It is a
///                  pure function. Offsets are 0 or more.
/// @param x         schedule or algorithm
/// @param contract  the contract of the larger schedule, which a part alone need not fulfill
/// @return a schedule. check() fails where the contract has another number of ranks than x.
/// Complexity: O(1) per edge and location, O(log blocks) per edge and region.
template <schedulable X, class Where>
    requires requires(const Where& where, rank_t r, buffer b) {
        { where(r, b) } -> std::convertible_to<region>;
    }
constexpr auto rename_buffers(const X& x, const Where& where, const contract& contract) {
    return detail::renamed_buffers_schedule<detail::schedule_of<X>, Where>(lower(x), where, contract);
}

/// Returns x with its buffers bound in place: edges name the buffer that contains the other one, and copies of bytes to
/// themselves are omitted. Idempotent.
/// @param x  schedule or algorithm
template <schedulable X>
constexpr auto bind_in_place(const X& x) {
    const auto& s = lower(x);
    return detail::renamed_buffers_schedule<detail::schedule_of<X>, detail::buffers_in_place>(s, {}, s.contract());
}

}}  // namespace collsched::COLLSCHED_ABI
