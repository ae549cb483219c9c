#pragma once

#include <span>

#include "collsched/core/edge.hpp"
#include "collsched/schedule/contract.hpp"
#include "collsched/verify/detail/operands.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Name of an input byte in a replay: an operand and a byte offset. Byte `at` of the input of rank r is (r, at). If the
/// result is the blocks of all ranks and nothing combines, all inputs in sequence are operand 0, so that adjacent
/// blocks of several ranks have one name.
class origins {
  public:
    /// @param edges  all edges of the replay
    constexpr origins(const contract& contract, std::span<const edge> edges)
        : blocks_(contract.layout()), ranks_(contract.ranks) {
        if (contract.collective != collective::allgather && contract.collective != collective::gather) return;
        joined_ = true;
        const edge* const end = edges.data() + edges.size();
        for (const edge* e = edges.data(); e != end; ++e)
            if (e->action != action::copy) joined_ = false;
    }

    /// Returns whether all inputs in sequence are one operand.
    constexpr bool joined() const { return joined_; }

    constexpr operand_id operand(rank_t r) const { return joined_ ? 0 : r; }
    constexpr bytes_t offset(rank_t r, bytes_t at) const { return joined_ ? blocks_.prefix(r) + at : at; }

    /// Calls f(operand_id, byte_range) for these bytes under the names of single ranks.
    constexpr void split(operand_id operand, byte_range bytes, auto f) const {
        if (!joined_) return f(operand, bytes);
        rank_t low = 0, high = ranks_;
        while (high - low > 1) {
            const rank_t middle = low + (high - low) / 2;
            if (blocks_.prefix(middle) <= bytes.offset) low = middle;
            else high = middle;
        }
        for (; bytes.size > 0; ++low) {
            const bytes_t end = blocks_.prefix(low + 1),
                          length = end - bytes.offset < bytes.size ? end - bytes.offset : bytes.size;
            if (length > 0) f(low, byte_range{bytes.offset - blocks_.prefix(low), length});
            bytes = {bytes.offset + length, bytes.size - length};
        }
    }

  private:
    const block_layout& blocks_;
    rank_t ranks_;
    bool joined_ = false;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
