#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "collsched/core/argument_error.hpp"
#include "collsched/execute/reduction.hpp"
#include "collsched/schedule/contract.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// A call of a collective on one rank, as plain data: the collective, its sizes, the memory of the rank, and the
/// operation. The functions of the namespace `calls` make it from arrays of values. It refers to the caller's arrays.
struct collective_call {
    /// The sizes of blocks in values, and maybe their displacements. Refers to the caller's arrays.
    struct value_blocks {
        std::span<const std::int64_t> counts{};  ///< values of each block
        /// displacement of each block in values; empty: in order, without gaps
        std::span<const std::int64_t> displs{};

        /// No blocks.
        constexpr value_blocks() = default;
        /// Blocks in order, without gaps. @param block_counts  values of each block
        template <std::convertible_to<std::span<const std::int64_t>> Counts>
        constexpr value_blocks(const Counts& block_counts) : counts(block_counts) {}
        /// Blocks at displacements. @param block_counts  values of each block @param displacements  displacement of each block
        constexpr value_blocks(std::span<const std::int64_t> block_counts, std::span<const std::int64_t> displacements)
            : counts(block_counts), displs(displacements) {}
    };

    /// The meaning of `bytes`, or the place of the sizes of blocks.
    enum class size : std::uint8_t {
        message,      ///< `bytes` is the size of the message or operand; 0 for a barrier
        block,        ///< `bytes` is the size of each block
        all_blocks,   ///< `bytes` is the size of all blocks of this rank together, which are equal
        root_blocks,  ///< `bytes` is the size of all blocks at the root, and of one block elsewhere
        counts,       ///< `blocks` has the blocks of all ranks, or of all out-slots of a neighbor_alltoall
        own_counts,   ///< alltoall: `blocks` has those that this rank sends, `received` those that it receives
    };

    collsched::collective collective = collsched::collective::barrier;  ///< the collective
    collsched::binding binding = collsched::binding::separate;  ///< how input and output overlap: see contract::alias()
    size sizes = size::message;                                 ///< meaning of `bytes`
    rank_t root = 0;                                            ///< root of a rooted collective, 0 .. p-1
    bytes_t bytes = 0;                                          ///< see `sizes`
    bytes_t value = 1;                                          ///< bytes of a value, 1 or more: unit of the counts
    value_blocks blocks{};                                      ///< see `sizes`
    value_blocks received{};                                    ///< see `sizes`
    const neighborhood* neighbors = nullptr;                    ///< graph of a neighborhood collective
    std::span<const std::byte> input{};                         ///< memory that is sent, or combined; only read
    std::span<std::byte> output{};                              ///< memory of the result
    reduction op{};                                             ///< operation of a reduction
    /// Number of the type of the values, or 0: ranks that call with different ones get an error.
    std::uint64_t values = 0;
    argument_error wrong{};  ///< the wrong argument of the function of `calls`

    /// Returns whether `blocks` has the sizes of the blocks.
    constexpr bool is_irregular() const { return sizes == size::counts || sizes == size::own_counts; }
    /// Returns whether the ranks have sizes of their own, so that only this rank's part of a schedule can be made.
    constexpr bool has_own_counts() const { return sizes == size::own_counts; }
};

}}  // namespace collsched::COLLSCHED_ABI
