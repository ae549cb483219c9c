#pragma once

#include <cstddef>
#include <span>

#include "collsched/core/checked.hpp"
#include "collsched/core/detail/gap_array.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/schedule/stored_schedule.hpp"
#include "collsched/verify/detail/step_conflicts.hpp"
#include "collsched/verify/detail/results.hpp"
#include "collsched/verify/verdict.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// State of all ranks while a schedule is replayed symbolically, step by step.
/// @tparam Operands  the names of combinations: operand_table, or expression_table
template <class Operands>
class basic_replay {
  public:
    constexpr basic_replay(const stored_schedule& s, binding binding) : basic_replay(s, s.edges(), binding) {}

    /// @param s      contract, sizes and staging
    /// @param edges  the edges to replay, in canonical order
    constexpr basic_replay(const stored_schedule& s, std::span<const edge> edges, binding binding)
        : schedule_(s),
          contract_(s.contract()),
          edges_(edges),
          names_(s.contract(), edges),
          operands_(s.ranks, s.contract().commutative),
          places_(s, binding) {
        for (rank_t r = 0; r < s.ranks; ++r) {
            const buffer_places::place& input = places_.of(r, buffer::input);
            if (const bytes_t size = contract_.input_bytes(r); size > 0)
                held_[input.slot].write({.begin = input.offset,
                                         .end = input.offset + size,
                                         .value = names_.operand(r),
                                         .at = names_.offset(r, 0)});
        }
    }

    /// Replays one step; `edges` are all edges of the step in canonical order.
    constexpr verdict step(std::span<const edge> edges) {
        step_ = edges;
        const edge* const end = edges.data() + edges.size();
        bool copies = false, combines = false;
        for (const edge* e = edges.data(); e != end; ++e) {
            if (!places_.fits(*e))
                if (const verdict fault = places_.check(*e); !fault.ok()) return fault;
            (e->action == action::copy ? copies : combines) = true;
        }
        if (combines)
            if (const verdict fault = check_staging(); !fault.ok()) return fault;
        moving_.clear();
        conflicts_.clear();
        for (const edge* e = edges.data(); e != end; ++e)
            if (!read(*e)) return fault_;
        doubtful_ = conflicts_.any();
        const std::span<const piece> moving = moving_.joined();
        const piece* const stop = moving.data() + moving.size();
        if (copies)
            for (const piece* p = moving.data(); p != stop; ++p)
                if (p->by->action == action::copy && !store(*p)) return fault_;
        if (combines)
            for (const piece* p = moving.data(); p != stop; ++p)
                if (p->by->action != action::copy && !combine(*p)) return fault_;
        return {};
    }

    /// Compares the outputs of all ranks with the contract.
    constexpr verdict result() {
        const results expected(contract_, names_, operands_, schedule_.steps());
        for (rank_t r = 0; r < schedule_.ranks; ++r) {
            const buffer_places::place& output = places_.of(r, buffer::output);
            verdict fault = expected.of(r, held_[output.slot], output.offset);
            if (fault.finding == verdict::kind::outside_result) fault.step = last_written(r, fault.byte);
            if (!fault.ok()) return fault;
        }
        return {};
    }

    /// Calls f(operand_id, byte_range) for all bytes that rank r holds, buffer by buffer.
    constexpr void visit_held(rank_t r, auto f) {
        for (rank_t b = 0; b < 3; ++b)
            held_[3 * r + b].visit({0, INT64_MAX}, [&](const contents::segment& held, byte_range part) {
                names_.split(held.value, {held.operand_offset(part.offset), part.size}, f);
                return true;
            });
    }
    /// Calls f(operand_id, byte_range) for all bytes of a range of rank r's output that it holds, ascending.
    constexpr void visit_output(rank_t r, byte_range range, auto f) {
        const buffer_places::place& output = places_.of(r, buffer::output);
        held_[output.slot].visit({output.offset + range.offset, range.size},
                                 [&](const contents::segment& held, byte_range part) {
                                     f(held.value, byte_range{part.offset - output.offset, part.size});
                                     return true;
                                 });
    }
    constexpr const Operands& operands() const { return operands_; }

  private:
    /// A part of an edge that has one operand.
    struct piece {
        const edge* by;
        std::int64_t slot;  ///< slot of the target
        bytes_t begin, end;
        operand_id value;
        bytes_t at;
    };
    struct waiting {
        step_t step;
        bytes_t bytes;
    };

    constexpr verdict check_staging() {
        const edge* const end = step_.data() + step_.size();
        for (const edge* i = step_.data(); i != end; ++i) {
            const edge& e = *i;
            if (e.action == action::copy || e.src == e.dst) continue;
            waiting& step_staging = incoming_[e.dst];
            if (step_staging.step != e.step) step_staging = {e.step, 0};
            const checked sum = checked(step_staging.bytes) + e.size;
            step_staging.bytes = sum.value();
            if (!sum.ok() || step_staging.bytes > schedule_.staging(e.dst))
                return {verdict::kind::small_staging, e.step, e.dst, e.into, e.size};
        }
        return {};
    }

    constexpr bool fail(verdict::kind found, const edge& e, rank_t r, buffer where, bytes_t byte) {
        fault_ = {found, e.step, r, where, byte};
        return false;
    }

    constexpr bool read(const edge& e) {
        if (e.size == 0 || places_.vanishes(e)) return true;
        const buffer_places::place &source = places_.from(e), &target = places_.into(e);
        const bytes_t begin = source.offset + e.from_offset, end = begin + e.size;
        const bytes_t shift = target.offset + e.into_offset - begin;
        const bool copy = e.action == action::copy;
        conflicts_.add(source.slot, copy || e.src != e.dst ? byte_use::read : byte_use::read_by_combine, begin, end);
        conflicts_.add(target.slot, copy ? byte_use::copied : byte_use::combined, begin + shift, end + shift);
        contents& held = held_[source.slot];
        bool intact = true;
        for (bytes_t next = begin, behind = 0; next < end;) {
            const contents::segment* const part = held.find(next);
            if (part == nullptr) {
                if (!intact) break;
                return fail(verdict::kind::not_held, e, e.src, e.from, e.from_offset + (next - begin));
            }
            const bytes_t stop = part->end < end ? part->end : end, origin = part->at + (next - part->begin);
            if (!copy) intact = intact && whole_elements(e, next - begin, origin, behind);
            moving_.push_back({&e, target.slot, next + shift, stop + shift, part->value, origin});
            behind = origin + (stop - next);
            next = stop;
        }
        return intact || fail(verdict::kind::split_element, e, e.dst, e.into, e.into_offset);
    }

    /// Returns whether the part of a combining edge at byte `position` begins an element at byte `at` of its operand,
    /// or continues the element of the preceding part, which ended at `behind`.
    constexpr bool whole_elements(const edge& e, bytes_t position, bytes_t at, bytes_t behind) const {
        const bytes_t element = contract_.element;
        if (element <= 1) return true;
        if (e.size % element != 0) return false;
        return position % element == 0 ? at % element == 0 : at == behind;
    }

    constexpr bool store(const piece& p) {
        if (doubtful_ && !may_copy(p)) return false;
        held_[p.slot].write({p.begin, p.end, p.value, p.at, true});
        return true;
    }

    constexpr bool combine(const piece& p) {
        const edge& e = *p.by;
        contents& held = held_[p.slot];
        for (bytes_t next = p.begin, stop = p.end; next < p.end; next = stop) {
            const contents::segment* const old = held.find(next);
            if (old == nullptr) return fail(verdict::kind::not_held, e, e.dst, e.into, named(p, next));
            stop = old->end < p.end ? old->end : p.end;
            if (doubtful_ && !may_combine(p, next, stop)) return false;
            const bytes_t at = p.at + (next - p.begin);
            if (old->operand_offset(next) != at)
                return fail(verdict::kind::misaligned, e, e.dst, e.into, named(p, next));
            const operand_id value = e.action == action::combine_before ? operands_.combine(p.value, old->value)
                                                                        : operands_.combine(old->value, p.value);
            if (value < 0) return fail(verdict::kind::combined_twice, e, e.dst, e.into, named(p, next));
            held.write({next, stop, value, at, true});
        }
        return true;
    }

    /// Returns the offset of a target byte relative to the buffer that the edge names.
    constexpr bytes_t named(const piece& p, bytes_t byte) const { return byte - places_.into(*p.by).offset; }

    /// Returns the first byte of the piece from `begin` on that an earlier copy of this step wrote, or `end`.
    constexpr bytes_t first_copied(const piece& p, bytes_t begin, bytes_t end) {
        for (const piece& other : moving_.joined()) {
            if (&other == &p) break;
            if (other.slot != p.slot || other.by->combines() || other.begin >= end || other.end <= begin) continue;
            end = other.begin > begin ? other.begin : begin;
        }
        return end;
    }

    /// Returns whether another edge of the step reads a byte of [begin, end) of the target. `combines`: only combines
    /// within the rank count.
    constexpr bool is_read(const piece& p, bytes_t begin, bytes_t end, bool combines) const {
        for (const edge& e : step_) {
            if (e.src != p.by->dst || e == *p.by || places_.vanishes(e)) continue;
            if (combines && (!e.is_local() || !e.combines())) continue;
            const bytes_t first = places_.from(e).offset + e.from_offset;
            if (places_.from(e).slot == p.slot && overlap({first, e.size}, {begin, end - begin})) return true;
        }
        return false;
    }

    constexpr bool may_copy(const piece& p) {
        const edge& e = *p.by;
        return held_[p.slot].visit({p.begin, p.end - p.begin}, [&](const contents::segment&, byte_range part) {
            const bytes_t copied = first_copied(p, part.offset, part.end());
            if (copied > part.offset && is_read(p, part.offset, copied, false))
                return fail(verdict::kind::overwrites_read, e, e.dst, e.into, named(p, part.offset));
            return copied == part.end() || fail(verdict::kind::write_conflict, e, e.dst, e.into, named(p, copied));
        });
    }

    /// Returns whether the bytes of [begin, end) may be combined; reduces `end` to the first byte that a copy wrote.
    constexpr bool may_combine(const piece& p, bytes_t begin, bytes_t& end) {
        const edge& e = *p.by;
        for (const piece& other : moving_.joined())
            if (other.slot == p.slot && !other.by->combines() && other.begin < end && other.end > begin)
                end = other.begin > begin ? other.begin : begin;
        if (end == begin) return fail(verdict::kind::write_conflict, e, e.dst, e.into, named(p, begin));
        return !is_read(p, begin, end, true) || fail(verdict::kind::overwrites_read, e, e.dst, e.into, named(p, begin));
    }

    /// Returns the last step that wrote this byte of r's output.
    constexpr step_t last_written(rank_t r, bytes_t byte) const {
        const buffer_places::place& output = places_.of(r, buffer::output);
        step_t last = 0;
        for (const edge& e : edges_) {
            if (places_.into(e).slot != output.slot || places_.vanishes(e)) continue;
            const bytes_t first = places_.into(e).offset + e.into_offset - output.offset;
            if (first <= byte && byte < first + e.size) last = e.step;
        }
        return last;
    }

    const stored_schedule& schedule_;
    const contract& contract_;
    std::span<const edge> edges_, step_;
    origins names_;
    Operands operands_;
    owned_array<contents> held_{3 * schedule_.ranks};
    buffer_places places_;
    owned_array<waiting> incoming_{schedule_.ranks};  // bytes that wait to be combined, by target
    step_conflicts conflicts_{3 * schedule_.ranks};
    bool doubtful_ = false;  // edges of this step may conflict
    gap_array<piece> moving_;
    verdict fault_;
};

/// The replay of verify().
using replay = basic_replay<operand_table>;

}}}  // namespace collsched::COLLSCHED_ABI::detail
