#pragma once

#include <cstddef>
#include <span>

#include "collsched/core/checked.hpp"
#include "collsched/core/gap_array.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/schedule/stored_schedule.hpp"
#include "collsched/verify/contents.hpp"
#include "collsched/verify/verdict.hpp"

namespace collsched {

/// The state of all ranks while a schedule is replayed symbolically, step by step.
class replay {
  public:
    constexpr replay(const stored_schedule& s, binding how)
        : schedule_(s),
          contract_(s.promise()),
          operands_(s.ranks, s.promise().commutative),
          held_(3 * s.ranks),
          bytes_(3 * s.ranks),
          alias_(s.ranks) {
        for (rank_t r = 0; r < s.ranks; ++r) {
            alias_[r] = contract_.alias(r, how);
            for (const buffer b : {buffer::input, buffer::output}) size_of(r, b) = contract_.reach(r, b, alias_[r]);
            size_of(r, buffer::scratch) = s.scratch(r);
            const location input = locate(alias_[r], buffer::input, 0);
            if (const bytes_t size = contract_.input_bytes(r); size > 0)
                of(r, input).write({.begin = input.offset, .end = input.offset + size, .value = r});
        }
    }

    /// Replays one step; `edges` are all edges of the step in canonical order.
    constexpr verdict step(std::span<const edge> edges) {
        for (const edge& e : edges)
            if (verdict wrong = check(e); !wrong.ok()) return wrong;
        if (verdict wrong = check_staging(edges); !wrong.ok()) return wrong;
        moving_.clear();
        for (std::size_t i = 0; i < edges.size(); ++i)
            if (verdict wrong = read(edges[i], i); !wrong.ok()) return wrong;
        for (const piece& p : moving_.joined())
            if (const edge& e = edges[p.edge]; !e.combines())
                if (verdict wrong = store(e, p, edges); !wrong.ok()) return wrong;
        for (const piece& p : moving_.joined())
            if (const edge& e = edges[p.edge]; e.combines())
                if (verdict wrong = combine(e, p, edges); !wrong.ok()) return wrong;
        return {};
    }

    /// Compares what every rank's output holds with the contract.
    constexpr verdict result() {
        for (rank_t r = 0; r < schedule_.ranks; ++r)
            if (verdict wrong = result(r); !wrong.ok()) return wrong;
        return {};
    }

    /// Calls f(operand_id, which of its bytes) for all that rank r holds now, buffer by buffer.
    template <class F>
    constexpr void visit_held(rank_t r, F f) {
        for (rank_t b = 0; b < 3; ++b)
            held_[3 * r + b].visit({0, INT64_MAX}, [&](const contents::segment& held, byte_range part) {
                f(held.value, byte_range{held.operand_offset(part.offset), part.size});
                return true;
            });
    }
    constexpr const operand_table& operands() const { return operands_; }

  private:
    /// A part of an edge that has one operand.
    struct piece {
        std::size_t edge = 0;
        bytes_t into = 0;  ///< offset at the target, after aliasing
        bytes_t size = 0;
        operand_id value = 0;
        bytes_t at = 0;
    };

    constexpr contents& of(rank_t r, location where) { return held_[3 * r + static_cast<rank_t>(where.where)]; }
    constexpr location from(const edge& e) const { return locate(alias_[e.src], e.from, e.from_offset); }
    constexpr location into(const edge& e) const { return locate(alias_[e.dst], e.into, e.into_offset); }

    constexpr bytes_t& size_of(rank_t r, buffer where) { return bytes_[3 * r + static_cast<rank_t>(where)]; }
    constexpr bool outside(rank_t r, buffer where, byte_range range) {
        return range.offset < 0 || range.offset > size_of(r, where) || range.size > size_of(r, where) - range.offset;
    }

    constexpr verdict check(const edge& e) {
        if (e.size < 0) return {finding::bad_edge, e.step, e.src, e.from, e.from_offset};
        if (outside(e.src, e.from, e.source())) return {finding::outside_buffer, e.step, e.src, e.from, e.from_offset};
        if (outside(e.dst, e.into, e.target())) return {finding::outside_buffer, e.step, e.dst, e.into, e.into_offset};
        if (e.into == buffer::input && e.size > 0) return {finding::writes_input, e.step, e.dst, e.into, e.into_offset};
        if (!e.is_local() || vanishes(alias_[e.src], e)) return {};
        const location a = from(e), b = into(e);
        if (e.size == 0 || (a.where == b.where && overlap({a.offset, e.size}, {b.offset, e.size})))
            return {finding::local_overlap, e.step, e.src, e.into, e.into_offset};
        return {};
    }

    constexpr verdict check_staging(std::span<const edge> edges) {
        bool any = false;
        for (const edge& e : edges) any = any || (e.combines() && !e.is_local());
        if (!any) return {};
        owned_array<bytes_t> waiting(schedule_.ranks);
        for (const edge& e : edges)
            if (e.combines() && !e.is_local()) {
                const checked sum = checked(waiting[e.dst]) + e.size;
                waiting[e.dst] = sum.value();
                if (!sum.ok() || sum.value() > schedule_.staging(e.dst))
                    return {finding::small_staging, e.step, e.dst, e.into, e.size};
            }
        return {};
    }

    constexpr verdict read(const edge& e, std::size_t index) {
        if (e.size == 0 || vanishes(alias_[e.src], e)) return {};
        const location source = from(e), target = into(e);
        bytes_t next = source.offset, behind = 0;
        bool whole = true;
        of(e.src, source).visit({source.offset, e.size}, [&](contents::segment& held, byte_range part) {
            if (part.offset != next) return false;
            mark_read(held, part, e.step);
            whole = whole && whole_elements(e, next - source.offset, held.operand_offset(next), behind);
            behind = held.operand_offset(next) + part.size;
            moving_.push_back({index, target.offset + (part.offset - source.offset), part.size, held.value,
                               held.operand_offset(part.offset)});
            next = part.end();
            return true;
        });
        if (!whole) return {finding::split_element, e.step, e.dst, e.into, e.into_offset};
        if (next == source.offset + e.size) return {};
        return {finding::not_held, e.step, e.src, e.from, e.from_offset + (next - source.offset)};
    }

    /// Is what stands at `at` in an operand, and goes to the byte `position` of a combining edge, its beginning of an
    /// element, or does it go on with one where the part before it ended, at `behind`?
    constexpr bool whole_elements(const edge& e, bytes_t position, bytes_t at, bytes_t behind) const {
        const bytes_t element = contract_.element;
        if (!e.combines() || element <= 1) return true;
        if (e.size % element != 0) return false;
        return position % element == 0 ? at % element == 0 : at == behind;
    }

    static constexpr void mark_read(contents::segment& held, byte_range part, step_t step) {
        if (held.read == step) {
            const bytes_t begin = held.read_hull.offset < part.offset ? held.read_hull.offset : part.offset;
            const bytes_t end = held.read_hull.end() > part.end() ? held.read_hull.end() : part.end();
            part = {begin, end - begin};
        }
        held.read = step;
        held.read_hull = part;
    }

    constexpr verdict store(const edge& e, const piece& p, std::span<const edge> edges) {
        const location target = into(e);
        const byte_range range{p.into, p.size};
        verdict wrong{};
        of(e.dst, target).visit(range, [&](const contents::segment& held, byte_range part) {
            if (held.written == e.step) wrong.what = finding::write_conflict;
            else if (held.read == e.step && overlap(held.read_hull, part) && is_read(e, target.where, part, edges))
                wrong.what = finding::overwrites_read;
            if (wrong.ok()) return true;
            wrong = {wrong.what, e.step, e.dst, e.into, e.into_offset + (part.offset - target.offset)};
            return false;
        });
        if (!wrong.ok()) return wrong;
        of(e.dst, target)
            .write({.begin = p.into, .end = p.into + p.size, .value = p.value, .at = p.at, .written = e.step});
        return {};
    }

    /// Does another edge of the step read bytes of this range on the writer's target?
    constexpr bool is_read(const edge& writer, buffer where, byte_range range, std::span<const edge> edges) const {
        for (const edge& e : edges)
            if (e.src == writer.dst && !(e == writer) && !vanishes(alias_[e.src], e))
                if (const location source = from(e); source.where == where && overlap({source.offset, e.size}, range))
                    return true;
        return false;
    }

    /// Does another combine within the writer's target read bytes of this range? Neither could be the first of the two.
    constexpr bool is_read_by_combine(const edge& writer, buffer where, byte_range range,
                                      std::span<const edge> edges) const {
        // Edges of a step stand in the order of their senders.
        std::size_t low = 0, high = edges.size();
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            if (edges[middle].src < writer.dst) low = middle + 1;
            else high = middle;
        }
        for (; low < edges.size() && edges[low].src == writer.dst; ++low) {
            const edge& e = edges[low];
            if (!e.is_local() || !e.combines() || e == writer) continue;
            if (const location source = from(e); source.where == where && overlap({source.offset, e.size}, range))
                return true;
        }
        return false;
    }

    constexpr verdict combine(const edge& e, const piece& p, std::span<const edge> edges) {
        const location target = into(e);
        contents& held = of(e.dst, target);
        for (bytes_t done = 0; done < p.size;) {
            const bytes_t at = p.into + done;
            const bytes_t named = e.into_offset + (at - target.offset);
            const contents::segment* old = held.find(at);
            if (old == nullptr) return {finding::not_held, e.step, e.dst, e.into, named};
            if (old->written == e.step && !old->combined)
                return {finding::write_conflict, e.step, e.dst, e.into, named};
            const bytes_t size = old->end - at < p.size - done ? old->end - at : p.size - done;
            if (old->read == e.step && is_read_by_combine(e, target.where, {at, size}, edges))
                return {finding::overwrites_read, e.step, e.dst, e.into, named};
            if (old->operand_offset(at) != p.at + done) return {finding::misaligned, e.step, e.dst, e.into, named};
            const operand_id value = e.what == action::combine_before ? operands_.combine(p.value, old->value)
                                                                      : operands_.combine(old->value, p.value);
            if (value < 0) return {finding::combined_twice, e.step, e.dst, e.into, named};
            held.write({.begin = at,
                        .end = at + size,
                        .value = value,
                        .at = p.at + done,
                        .written = e.step,
                        .combined = true});
            done += size;
        }
        return {};
    }

    constexpr verdict result(rank_t r) {
        verdict wrong{};
        bytes_t written = 0;
        contract_.results(r, [&](const result_range& part) {
            if (wrong.ok()) wrong = result(r, part, written);
        });
        if (!wrong.ok()) return wrong;
        const location output = locate(alias_[r], buffer::output, 0);
        contents& held = of(r, output);
        held.visit({output.offset, contract_.output_bytes(r)}, [&](const contents::segment& s, byte_range part) {
            if (s.written != contents::initially) written -= part.size;
            return true;
        });
        if (written == 0) return {};
        held.visit({output.offset, contract_.output_bytes(r)}, [&](const contents::segment& s, byte_range part) {
            if (s.written != contents::initially) wrong = outside_result(r, s.written, part, output.offset);
            return wrong.ok();
        });
        return wrong;
    }

    constexpr verdict result(rank_t r, const result_range& part, bytes_t& written) {
        const location target = locate(alias_[r], buffer::output, part.where.offset);
        const auto fault = [&](finding what, bytes_t byte) -> verdict {
            return {what, schedule_.steps(), r, buffer::output, part.where.offset + (byte - target.offset)};
        };
        verdict wrong{};
        bytes_t next = target.offset;
        of(r, target).visit({target.offset, part.where.size}, [&](const contents::segment& held, byte_range bytes) {
            if (bytes.offset != next) return false;
            next = bytes.end();
            if (held.written != contents::initially) written += bytes.size;
            const bool aligned = held.operand_offset(bytes.offset) == part.at + (bytes.offset - target.offset);
            if (aligned && operands_.is(held.value, part.first, part.last)) return true;
            const bool reordered = aligned && operands_.has_the_ranks(held.value, part.first, part.last);
            wrong = fault(reordered ? finding::operand_order : finding::wrong_bytes, bytes.offset);
            return false;
        });
        if (!wrong.ok() || next == target.offset + part.where.size) return wrong;
        return fault(finding::missing, next);
    }

    /// The first byte of `part` of r's output that the contract says nothing of.
    constexpr verdict outside_result(rank_t r, step_t step, byte_range part, bytes_t output) const {
        bytes_t byte = part.offset - output;
        for (bool moved = true; moved && byte < part.end() - output;) {
            moved = false;
            contract_.results(r, [&](const result_range& known) {
                if (known.where.offset > byte || known.where.end() <= byte) return;
                byte = known.where.end();
                moved = true;
            });
        }
        if (byte >= part.end() - output) return {};
        return {finding::outside_result, step, r, buffer::output, byte};
    }

    const stored_schedule& schedule_;
    const contract& contract_;
    operand_table operands_;
    owned_array<contents> held_;
    owned_array<bytes_t> bytes_;  // of the buffers
    owned_array<buffer_alias> alias_;
    gap_array<piece> moving_;
};

}  // namespace collsched
