#pragma once

#include <algorithm>
#include <vector>

#include "collsched/collective.hpp"
#include "collsched/combine.hpp"
#include "collsched/schedule/edge_views.hpp"

namespace support {

using namespace collsched;

std::vector<edge> all_edges(const auto& x) {
    std::vector<edge> all;
    for (const edge& e : edges(x)) all.push_back(e);
    std::sort(all.begin(), all.end(), precedes);
    return all;
}

std::vector<edge> moves(const auto& x) {
    std::vector<edge> all = all_edges(x);
    std::erase_if(all, [](const edge& e) { return e.is_local(); });
    return all;
}

inline constexpr auto as_it_is = [](rank_t, buffer b) { return location{b, 0}; };

/// allgather: all blocks to the root, then all blocks to all ranks.
inline auto gathered_and_sent(rank_t p, rank_t root, const block_layout& blocks) {
    const contract whole{.collective = collective::allgather, .ranks = p, .blocks = blocks};
    const auto from_output = [](rank_t, buffer b) { return location{b == buffer::input ? buffer::output : b, 0}; };
    return then(
        rename_buffers(gather::over_tree<trees::binomial>{.ranks = p, .root = root, .block = blocks}, as_it_is, whole),
        rename_buffers(broadcast::over_tree<trees::binomial>{.ranks = p, .root = root, .bytes = blocks.extent(p)},
                       from_output, whole));
}

/// broadcast of a long message: one part to each rank, then all parts to all ranks.
template <class Allgather>
auto scattered_and_gathered(rank_t p, rank_t root, bytes_t bytes) {
    const contract whole{.collective = collective::broadcast, .ranks = p, .root = root, .bytes = bytes};
    const block_layout parts = block_layout::partition(bytes, p);
    const auto own_part = [parts](rank_t r, buffer b) {
        return b == buffer::output ? location{b, parts.displ(r)} : location{b, 0};
    };
    const auto in_output = [parts](rank_t r, buffer b) {
        return b == buffer::input ? location{buffer::output, parts.displ(r)} : location{b, 0};
    };
    return then(
        rename_buffers(scatter::over_tree<trees::binomial>{.ranks = p, .root = root, .block = parts}, own_part, whole),
        rename_buffers(Allgather{.ranks = p, .block = parts}, in_output, whole));
}

/// allreduce: reduce to a root, then broadcast from there.
inline auto reduced_and_sent(rank_t p, bytes_t bytes) {
    const contract whole{.collective = collective::allreduce, .ranks = p, .bytes = bytes};
    const auto from_output = [](rank_t, buffer b) { return location{b == buffer::input ? buffer::output : b, 0}; };
    return then(rename_buffers(reduce::over_tree<trees::binomial>{.ranks = p, .bytes = bytes}, as_it_is, whole),
                rename_buffers(broadcast::over_tree<trees::binomial>{.ranks = p, .bytes = bytes}, from_output, whole));
}

/// allreduce: every rank reduces one part, then all parts to all ranks.
inline auto reduced_in_parts(rank_t p, bytes_t bytes) {
    const contract whole{.collective = collective::allreduce, .ranks = p, .bytes = bytes, .commutative = true};
    const block_layout parts = block_layout::partition(bytes, p);
    const auto own_part = [parts](rank_t r, buffer b) {
        return b == buffer::output ? location{b, parts.displ(r)} : location{b, 0};
    };
    const auto in_output = [parts](rank_t r, buffer b) {
        return b == buffer::input ? location{buffer::output, parts.displ(r)} : location{b, 0};
    };
    return then(rename_buffers(reversed<allgather::ring>{.ranks = p, .block = parts}, own_part, whole),
                rename_buffers(allgather::ring{.ranks = p, .block = parts}, in_output, whole));
}

}  // namespace support
