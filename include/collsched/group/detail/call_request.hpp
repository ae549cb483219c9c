#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/group/collective_call.hpp"
#include "collsched/group/rank_exchange.hpp"
#include "collsched/select/choice.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Returns numbers of values as bytes. Failure: numbers that are no sizes, with the name of the argument.
inline argument_error scaled(std::span<const std::int64_t> values, bytes_t value, const char* name,
                             std::vector<bytes_t>& bytes) {
    bytes.clear();
    for (std::int64_t i = 0; i < std::ssize(values); ++i) {
        const std::int64_t number = values[static_cast<std::size_t>(i)];
        if (number < 0 || number > std::numeric_limits<bytes_t>::max() / value)
            return {name, number, "0 values or more, and less than 2^63 bytes", i};
        bytes.push_back(number * value);
    }
    return {};
}

/// Sets the layout of blocks that are given by numbers of values.
inline argument_error set_layout(const collective_call::value_blocks& blocks, bytes_t value, block_layout& layout) {
    std::vector<bytes_t> counts, displs;
    if (const argument_error error = scaled(blocks.counts, value, "counts", counts)) return error;
    if (const argument_error error = scaled(blocks.displs, value, "displs", displs)) return error;
    layout = blocks.displs.empty() ? block_layout(std::span<const bytes_t>(counts))
                                   : block_layout(std::span<const bytes_t>(counts), std::span<const bytes_t>(displs));
    return {};
}

/// Returns the number of blocks among which collective_call::bytes is divided on this rank.
inline rank_t blocks_of(const collective_call& call, rank_t ranks, rank_t rank) {
    if (call.sizes == collective_call::size::root_blocks) return rank == call.root ? ranks : 1;
    if (call.sizes != collective_call::size::all_blocks) return 1;
    return call.neighbors == nullptr ? ranks : call.neighbors->out_degree(rank);
}

/// Sets the block of equal ones: where a rank sends none, from the memory that it receives them in.
inline argument_error set_block(const collective_call& call, rank_t ranks, rank_t rank, block_layout& layout) {
    rank_t blocks = blocks_of(call, ranks, rank);
    bytes_t bytes = call.bytes;
    if (blocks == 0 && call.neighbors != nullptr)
        blocks = call.neighbors->in_degree(rank), bytes = std::ssize(call.output);
    if (blocks == 0) return {};
    if (bytes % (blocks * call.value) != 0)
        return {"input", bytes / call.value, "a number of values that the number of blocks divides"};
    layout = bytes / blocks;
    return {};
}

/// Returns the first wrong argument that every call may have.
inline argument_error check_call(const collective_call& call) {
    if (call.wrong) return call.wrong;
    if (call.value < 1) return {"value", call.value, "1 byte or more"};
    return {};
}

/// Fills the sizes of a request for schedules of the call. O(ranks) for irregular calls.
/// @param call     the call of rank `rank` of `ranks`, which has no own counts
/// @param request  has the placement that the group adds
/// @return the first wrong argument
inline argument_error fill_request(const collective_call& call, rank_t ranks, rank_t rank, choice::request& request) {
    if (const argument_error error = check_call(call)) return error;
    if (const auto number = static_cast<std::int64_t>(call.collective); call.collective > collective::neighbor_alltoall)
        return {"collective", number, "a collective"};
    if (is_rooted(call.collective) && (call.root < 0 || call.root >= ranks))
        return {"root", call.root, "a rank of the group"};
    shape& sizes = request.parameters;
    request.collective = call.collective;
    request.binding = call.collective == collective::alltoall ? binding::separate : call.binding;
    request.keeps_order = reduces(call.collective) && !call.op.commutative;
    sizes.ranks = ranks;
    sizes.root = is_rooted(call.collective) ? call.root : 0;
    sizes.segment = shape::as_it_is;
    if (reduces(call.collective)) {
        if (!call.op.combine) return {"op", 0, "an operation, since the collective reduces"};
        sizes.element = call.value;
    }
    if (has_neighbors(call.collective)) {
        if (call.neighbors == nullptr) return {"neighbors", 0, "the graph of the neighbors"};
        if (const argument_error error = call.neighbors->check(ranks)) return error;
        sizes.neighbors = *call.neighbors;
    }
    if (!has_blocks(call.collective)) sizes.bytes = call.bytes;
    else if (call.sizes == collective_call::size::counts) return set_layout(call.blocks, call.value, sizes.block);
    else return set_block(call, ranks, rank, sizes.block);
    return {};
}

/// The blocks of a rank for rank_exchange, and the bytes of input and output that they are in.
struct exchange_blocks {
    std::vector<rank_exchange::block> blocks;
    bytes_t input = 0, output = 0;
};

/// Finds the blocks of a call with own counts. O(ranks log ranks).
/// @return the first wrong argument
inline argument_error find_exchange_blocks(const collective_call& call, rank_t ranks, rank_t rank,
                                           exchange_blocks& result) {
    if (const argument_error error = check_call(call)) return error;
    block_layout send_layout, receive_layout;
    if (const argument_error error = set_layout(call.blocks, call.value, send_layout)) return error;
    if (const argument_error error = set_layout(call.received, call.value, receive_layout)) return error;
    if (const argument_error error = send_layout.check(ranks)) return error;
    if (const argument_error error = receive_layout.check(ranks)) return error;
    if (send_layout.count(rank) != receive_layout.count(rank))
        return {"received", receive_layout.count(rank) / call.value,
                "as many values from the rank itself as it sends to itself", rank};
    for (rank_t r = 0; r < ranks; ++r)
        result.blocks.push_back(
            {send_layout.displ(r), send_layout.count(r), receive_layout.displ(r), receive_layout.count(r)});
    result.input = send_layout.extent(ranks);
    result.output = receive_layout.extent(ranks);
    return {};
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
