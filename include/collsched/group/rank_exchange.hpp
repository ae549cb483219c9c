#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/schedule/concepts.hpp"
#include "collsched/schedule/fingerprint.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// A complete exchange (alltoallv, alltoallw, gatherv, scatterv) from the blocks of one rank. In step n the rank sends to
/// the rank n above and receives from the rank n below. Pairs without bytes exchange no message; both ends have that
/// information. The rank's block for itself has the lesser of the two lengths.
///
/// p-1 rounds, O(p) memory. Queries are valid only for its own rank. The contract is that of an alltoall whose buffers are
/// at least as large, since no rank has the sizes of all blocks. The fingerprint differs between ranks: executions run it
/// with execution_options::compare false.
struct rank_exchange {
    /// The blocks that a rank sends to another and receives from it.
    struct block {
        bytes_t send_offset = 0;     ///< offset in the input of the rank, in bytes
        bytes_t send_size = 0;       ///< bytes that it sends
        bytes_t receive_offset = 0;  ///< offset in its output, in bytes
        bytes_t receive_size = 0;    ///< bytes that it receives
        bool operator==(const block&) const = default;
    };

    rank_t ranks = 1;                 ///< number of ranks p, 1 or more
    rank_t self = 0;                  ///< its own rank, 0 .. p-1
    std::span<const block> blocks{};  ///< one per rank, which must live as long as the exchange
    step_t window = 0;                ///< pacing window in steps; 0: all steps at once

    step_t steps() const { return ranks; }
    step_t next(rank_t, step_t k) const { return k < ranks ? k : ranks; }

    void sends(rank_t r, step_t k, auto f) const {
        const rank_t target = wrap(self + k, ranks);
        const block& part = blocks[static_cast<std::size_t>(target)];
        const bytes_t size = k == 0 && part.receive_size < part.send_size ? part.receive_size : part.send_size;
        if (r == self && size > 0) f(edge{k, self, target, part.send_offset, k == 0 ? part.receive_offset : 0, size});
    }
    void receives(rank_t r, step_t k, auto f) const {
        const rank_t source = wrap(self - k, ranks);
        const block& part = blocks[static_cast<std::size_t>(source)];
        if (r == self && k > 0 && part.receive_size > 0)
            f(edge{k, source, self, 0, part.receive_offset, part.receive_size});
    }

    bytes_t scratch(rank_t) const { return 0; }
    bytes_t staging(rank_t) const { return 0; }
    collsched::pacing pacing() const { return {window}; }
    collsched::contract contract() const {
        const block_layout equal_blocks = (reach() + ranks - 1) / ranks;
        return {.collective = collective::alltoall, .ranks = ranks, .blocks = block_matrix(equal_blocks)};
    }
    argument_error check() const { return {}; }
    std::uint64_t fingerprint() const {
        std::uint64_t hash = 0;
        for (const block& b : blocks)
            hash = fingerprint_of("exchange", hash, b.send_offset, b.send_size, b.receive_offset, b.receive_size);
        return hash;
    }

  private:
    bytes_t reach() const {
        bytes_t extent = 0;
        for (const block& b : blocks)
            for (const bytes_t end : {b.send_offset + b.send_size, b.receive_offset + b.receive_size})
                extent = std::max(extent, end);
        return extent;
    }
};

}}  // namespace collsched::COLLSCHED_ABI
