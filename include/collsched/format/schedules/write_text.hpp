#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "collsched/format/detail/block_trace.hpp"
#include "collsched/format/text.hpp"
#include "collsched/format/schedules/write_json_lines.hpp"
#include "collsched/schedule/detail/edge_steps.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/schedule/metrics.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

inline std::string block_sizes_text(bytes_t least, bytes_t most) {
    if (least >= most) return fmt::format(FMT_COMPILE("blocks of {}"), bytes_text(most));
    return fmt::format(FMT_COMPILE("blocks of {} to {}"), least, bytes_text(most));
}

/// Returns the sizes of all slots that are not empty.
inline std::string slots_text(const neighborhood& n, const slot_layout& slots) {
    if (!slots.irregular()) {
        const bytes_t block = slots.sent(n, 0, 0).size;
        return block_sizes_text(block, block);
    }
    bytes_t least = INT64_MAX, most = 0;
    for (rank_t r = 0; r < n.ranks(); ++r)
        for (rank_t i = 0; i < n.out_degree(r); ++i) {
            if (n.target(r, i) == neighborhood::none) continue;
            least = std::min(least, slots.sent(n, r, i).size);
            most = std::max(most, slots.sent(n, r, i).size);
        }
    return block_sizes_text(least, most);
}

/// Returns the size of the blocks or operands of a contract: "blocks of 2 bytes", "blocks of 0 to 7 bytes", "8 bytes".
/// @param c  a contract
inline std::string payload_text(const contract& c) {
    if (c.collective == collective::barrier) return "no data";
    if (has_neighbors(c.collective)) return detail::slots_text(c.neighbors(), c.slots());
    const bool exchange = c.collective == collective::alltoall;
    if (!exchange && !moves_blocks(c.collective)) return bytes_text(c.bytes);
    const block_layout& blocks = exchange ? c.matrix().column() : c.layout();
    const bool matrix = exchange && c.matrix().irregular();
    const rank_t different = matrix ? c.ranks * c.ranks : blocks.irregular() ? c.ranks : 1;
    const auto count = [&](rank_t n) { return matrix ? c.matrix().count(n / c.ranks, n % c.ranks) : blocks.count(n); };
    bytes_t least = count(0), most = least;
    for (rank_t n = 1; n < different; ++n) {
        least = std::min(least, count(n));
        most = std::max(most, count(n));
    }
    if (different == 1) least = count(c.ranks - 1);
    return detail::block_sizes_text(least, most);
}

/// Returns the sum over all ranks, or "over 2^63".
/// @param of_ranks  sizes in bytes, one per rank
inline std::string total_text(const owned_array<bytes_t>& of_ranks) {
    checked sum = 0;
    for (const bytes_t bytes : of_ranks) sum = sum + bytes;
    return sum.ok() ? fmt::format(FMT_COMPILE("{}"), sum.value()) : "over 2^63";
}

template <class Out>
void put_range(pen<Out>& put, buffer where, byte_range range) {
    put(FMT_COMPILE("{}[{},{})"), name_of(where), range.offset, range.end());
}

/// Writes one edge in columns: "    0 -> 1  blocks 2-3  4 bytes  output[4,8) -> output[4,8)".
template <class Out>
void put_edge(pen<Out>& put, const edge& e, int rank_width, std::string_view blocks) {
    if (e.is_local()) put(FMT_COMPILE("  {:>{}}    {:{}}"), e.src, rank_width, "", rank_width);
    else put(FMT_COMPILE("  {:>{}} -> {:<{}}"), e.src, rank_width, e.dst, rank_width);
    if (!blocks.empty()) {
        const bool several = blocks.find_first_of(",-") != blocks.npos;
        put(FMT_COMPILE("  {:<14}"), fmt::format(FMT_COMPILE("block{} {}"), several ? "s" : "", blocks));
    }
    put(FMT_COMPILE("  {:>10}  "), e.is_signal() ? "signal" : bytes_text(e.size));
    put_range(put, e.from, e.source());
    put.text(e.is_local() && !e.combines() ? " copied to " : " -> ");
    put_range(put, e.into, e.target());
    if (e.combines()) put(FMT_COMPILE("  {}"), name_of(e.action));
    put.text("\n");
}

constexpr int digits_of(std::int64_t n) {
    int digits = 1;
    while ((n /= 10) != 0) ++digits;
    return digits;
}

}  // namespace detail

/// Writes a schedule as text: its name and costs, then for each step the blocks that each rank sends, with source and
/// destination ranges. The copies within ranks come last in each step.
/// @param out      output iterator for the text
/// @param s        schedule without error
/// @param name     such as "allgather/ring"
/// @param binding  how input and output overlap
/// @return the iterator behind the text
template <std::output_iterator<char> Out>
Out write_text(Out out, const stored_schedule& s, std::string_view name, binding binding = binding::separate) {
    detail::pen put(std::move(out));
    const metrics_report counted = metrics(s);
    put(FMT_COMPILE("{}: {} rank{}, {}\n"), name, s.ranks, s.ranks == 1 ? "" : "s", detail::payload_text(s.contract()));
    put(FMT_COMPILE("{} steps, {} rounds, {} messages, {} bytes sent; pacing {}; scratch at most {}\n"), counted.steps,
        counted.rounds, counted.messages, detail::total_text(counted.bytes_sent), pacing_text(s.pacing()),
        bytes_text(*std::max_element(counted.scratch.begin(), counted.scratch.end())));
    const int width = detail::digits_of(s.ranks - 1);
    detail::block_trace trace(s, binding);
    const detail::traced_blocks blocks(s.contract());
    std::string local;
    detail::for_each_step(s.edges(), [&](std::span<const edge> edges) {
        put(FMT_COMPILE("\nstep {}\n"), edges.front().step);
        detail::pen put_local(std::back_inserter(local));
        trace.step(edges, [&](const edge& e, std::span<const detail::block_part> parts) {
            const std::string label = detail::block_label(blocks, parts);
            if (e.is_local()) detail::put_edge(put_local, e, width, label);
            else detail::put_edge(put, e, width, label);
        });
        put.text(local);
        local.clear();
    });
    return put.done();
}

/// Writes the sends, receives and copies of one rank. O(own edges).
/// @param out   output iterator for the text
/// @param x     schedule or algorithm
/// @param name  such as "allgather/ring"
/// @param rank  0 .. p-1
/// @return the iterator behind the text
template <std::output_iterator<char> Out, schedulable X>
Out write_text(Out out, const X& x, std::string_view name, rank_t rank) {
    detail::pen put(std::move(out));
    const auto& s = lower(x);
    put(FMT_COMPILE("{}: rank {} of {} rank{}, {}\n"), name, rank, s.ranks, s.ranks == 1 ? "" : "s",
        detail::payload_text(s.contract()));
    put(FMT_COMPILE("{} steps; pacing {}; scratch {}\n"), s.steps(), pacing_text(s.pacing()),
        bytes_text(s.scratch(rank)));
    step_t last = -1;
    for (const edge& e : program(x, rank)) {
        if (e.step != last) put(FMT_COMPILE("\nstep {}\n"), e.step);
        last = e.step;
        detail::put_edge(put, e, detail::digits_of(s.ranks - 1), {});
    }
    return put.done();
}

}}  // namespace collsched::COLLSCHED_ABI
