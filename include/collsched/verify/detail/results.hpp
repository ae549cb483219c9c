#pragma once

#include "collsched/core/edge.hpp"
#include "collsched/schedule/contract.hpp"
#include "collsched/verify/detail/contents.hpp"
#include "collsched/verify/detail/operands.hpp"
#include "collsched/verify/detail/origins.hpp"
#include "collsched/verify/verdict.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Compares the final outputs with the contract.
/// @tparam Operands  the names of combinations: operand_table, or expression_table
template <class Operands>
class results {
  public:
    constexpr results(const contract& contract, const origins& names, const Operands& operands, step_t steps)
        : contract_(contract), names_(names), operands_(operands), steps_(steps) {}

    /// Returns the first error in the output of rank r, which begins at byte `begin` of `held`. The step of
    /// outside_result is not set.
    constexpr verdict of(rank_t r, contents& held, bytes_t begin) const {
        verdict fault{};
        bytes_t written = 0;
        parts(r, [&](const contract::result_range& part) {
            if (fault.ok()) fault = check(r, part, held, begin, written);
        });
        if (!fault.ok()) return fault;
        const byte_range output{begin, contract_.output_bytes(r)};
        held.visit(output, [&](const contents::segment& s, byte_range part) {
            if (s.written) written -= part.size;
            return true;
        });
        if (written == 0) return {};
        held.visit(output, [&](const contents::segment& s, byte_range part) {
            if (s.written) fault = outside(r, part.offset - begin, part.end() - begin);
            return fault.ok();
        });
        return fault;
    }

  private:
    /// Calls f(contract::result_range) for the parts of the output of rank r. If all inputs have one name, blocks that are
    /// side by side are one part, whose `first` is the first of them.
    constexpr void parts(rank_t r, auto f) const {
        if (!names_.joined() || contract_.output_bytes(r) == 0) return contract_.results(r, f);
        for (rank_t first = 0; first < contract_.ranks;) {
            const block_layout::run run = contract_.layout().run_at(first, contract_.ranks);
            f(contract::result_range{.where = run.bytes, .first = first});
            first = run.end;
        }
    }

    constexpr verdict check(rank_t r, const contract::result_range& part, contents& held, bytes_t begin,
                            bytes_t& written) const {
        const bytes_t target = begin + part.where.offset, end = target + part.where.size;
        const bytes_t expected = names_.offset(part.first, part.at);
        for (bytes_t next = target; next < end;) {
            const auto fault = [&](verdict::kind found) -> verdict {
                return {found, steps_, r, buffer::output, next - begin};
            };
            const contents::segment* segment = held.find(next);
            if (segment == nullptr) return fault(verdict::kind::missing);
            const bool aligned = segment->operand_offset(next) == expected + (next - target);
            if (!aligned) return fault(verdict::kind::wrong_bytes);
            if (!names_.joined() && !operands_.is(segment->value, part.first, part.last))
                return fault(operands_.has_the_ranks(segment->value, part.first, part.last)
                                 ? verdict::kind::operand_order
                                 : verdict::kind::wrong_bytes);
            const bytes_t stop = segment->end < end ? segment->end : end;
            if (segment->written) written += stop - next;
            next = stop;
        }
        return {};
    }

    /// Returns the error for the first byte of [byte, end) of r's output that belongs to no result.
    constexpr verdict outside(rank_t r, bytes_t byte, bytes_t end) const {
        for (bool moved = true; moved && byte < end;) {
            moved = false;
            parts(r, [&](const contract::result_range& range) {
                if (range.where.offset > byte || range.where.end() <= byte) return;
                byte = range.where.end();
                moved = true;
            });
        }
        if (byte >= end) return {};
        return {verdict::kind::outside_result, 0, r, buffer::output, byte};
    }

    const contract& contract_;
    const origins& names_;
    const Operands& operands_;
    step_t steps_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
