#pragma once

#include "collsched/combine/rename_buffers.hpp"
#include "collsched/combine/then.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

template <class Edges>
class local_step_schedule {
  public:
    rank_t ranks;

    constexpr local_step_schedule(const Edges& edges, const collsched::contract& contract, bool used)
        : ranks(contract.ranks), edges_(edges), contract_(contract), steps_(used ? 1 : 0) {}

    constexpr step_t steps() const { return steps_; }
    constexpr step_t next(rank_t, step_t k) const { return k < steps_ ? k : steps_; }
    constexpr step_ranges busy(rank_t) const { return {{0, steps_ - 1}}; }
    constexpr void sends(rank_t r, step_t, auto f) const {
        edges_(r, [&](edge e) {
            e.src = e.dst = r;
            if (e.size > 0) f(static_cast<const edge&>(e));
        });
    }
    constexpr void receives(rank_t, step_t, auto) const {}

    constexpr bytes_t scratch(rank_t r) const {
        bytes_t end = 0;
        const auto reach = [&](buffer b, byte_range bytes) {
            const bytes_t last = saturated(checked(bytes.offset) + bytes.size);
            if (b == buffer::scratch && last > end) end = last;
        };
        sends(r, 0, [&](const edge& e) { reach(e.from, e.source()), reach(e.into, e.target()); });
        return end;
    }
    constexpr bytes_t staging(rank_t) const { return 0; }
    constexpr collsched::pacing pacing() const { return {}; }
    constexpr collsched::contract contract() const { return contract_; }
    constexpr argument_error check() const { return check_contract(contract_); }
    /// O(all edges).
    constexpr std::uint64_t fingerprint() const {
        description_hash all;
        for (rank_t r = 0; r < ranks; ++r) sends(r, 0, [&](const edge& e) { all(e); });
        return fingerprint_of("local step", contract_, all.value());
    }

  private:
    Edges edges_;
    collsched::contract contract_;
    step_t steps_;
};

}  // namespace detail

/// One step of local copies and combines on every rank, as a part of a schedule with this contract.
///
/// @param edges     edges(r, f) calls f(edge) for every edge of rank r, without step and ranks; edges without bytes are left
///                 out
/// @param contract  the contract of the schedule that this is a part of
/// @param used      whether any rank has an edge; without, the schedule has no steps
/// @return a schedule of one step and no rounds. Scratch: up to the end of the last range that an edge names.
template <class Edges>
constexpr auto local_step(const Edges& edges, const contract& contract, bool used = true) {
    return detail::local_step_schedule<Edges>(edges, contract, used);
}

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
