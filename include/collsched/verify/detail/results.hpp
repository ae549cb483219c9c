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
    constexpr results(const contract& promise, const origins& names, const Operands& operands, step_t steps)
        : contract_(promise), names_(names), operands_(operands), steps_(steps) {}

    /// Returns the first error in the output of rank r, which begins at byte `begin` of `held`. The step of
    /// outside_result is not set.
    constexpr verdict of(rank_t r, contents& held, bytes_t begin) const {
        if (names_.joined() && holds_all_blocks(held, begin)) return {};
        verdict fault{};
        bytes_t written = 0;
        contract_.results(r, [&](const contract::result_range& part) {
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
    /// Returns whether the blocks are at their displacements and no other byte is written. O(runs of blocks).
    constexpr bool holds_all_blocks(contents& held, bytes_t begin) const {
        const rank_t ranks = contract_.ranks;
        const block_layout& blocks = contract_.blocks;
        for (rank_t first = 0; first < ranks;) {
            const block_layout::run run = blocks.run_at(first, ranks);
            bytes_t next = begin + run.bytes.offset;
            const bytes_t end = next + run.bytes.size, name = blocks.prefix(first) - next;
            while (next < end) {
                const contents::segment* part = held.find(next);
                if (part == nullptr || part->at - part->begin != name) return false;
                next = part->end;
            }
            first = run.end;
        }
        bytes_t all = 0;
        held.visit({begin, blocks.extent(ranks)}, [&](const contents::segment&, byte_range part) {
            all += part.size;
            return true;
        });
        return all == blocks.prefix(ranks);
    }

    constexpr verdict check(rank_t r, const contract::result_range& part, contents& held, bytes_t begin,
                            bytes_t& written) const {
        const bytes_t target = begin + part.where.offset, end = target + part.where.size;
        const bytes_t expected = names_.offset(part.first, part.at);
        for (bytes_t next = target; next < end;) {
            const auto fault = [&](finding found) -> verdict {
                return {found, steps_, r, buffer::output, next - begin};
            };
            const contents::segment* segment = held.find(next);
            if (segment == nullptr) return fault(finding::missing);
            const bool aligned = segment->operand_offset(next) == expected + (next - target);
            if (!aligned) return fault(finding::wrong_bytes);
            if (!names_.joined() && !operands_.is(segment->value, part.first, part.last))
                return fault(operands_.has_the_ranks(segment->value, part.first, part.last) ? finding::operand_order
                                                                                            : finding::wrong_bytes);
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
            contract_.results(r, [&](const contract::result_range& range) {
                if (range.where.offset > byte || range.where.end() <= byte) return;
                byte = range.where.end();
                moved = true;
            });
        }
        if (byte >= end) return {};
        return {finding::outside_result, 0, r, buffer::output, byte};
    }

    const contract& contract_;
    const origins& names_;
    const Operands& operands_;
    step_t steps_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
