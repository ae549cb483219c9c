#pragma once

#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/format/text.hpp"
#include "collsched/schedule/detail/edge_steps.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/schedule/stored_schedule.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns the text of a pacing: "data" or "window(w)".
/// @param paced  a pacing
inline std::string pacing_text(pacing paced) {
    return paced.window == 0 ? "data" : fmt::format(FMT_COMPILE("window({})"), paced.window);
}

namespace detail {

/// Returns whether all blocks have the same size and are packed in rank order.
/// @param blocks  layout of `ranks` blocks
/// @param ranks   number of ranks
constexpr bool equal_and_packed(const block_layout& blocks, rank_t ranks) {
    if (!blocks.irregular()) return blocks.uniform();
    for (rank_t i = 0; i < ranks; ++i)
        if (blocks.count(i) != blocks.count(0) || blocks.displ(i) != blocks.prefix(i)) return false;
    return true;
}

}  // namespace detail

/// The path of an edge over a network, in files of format 2.
struct edge_path {
    /// Function that appends the names of the vertices on the path of an edge, from src to dst; nothing for an edge
    /// without a path.
    using names = std::function<void(const edge& e, std::vector<std::string>& path)>;

    std::vector<std::string> vertices;  ///< names of vertices, from src to dst; empty for an edge without a path
    int line = 0;                       ///< line of the path, or of the edge without one
};

namespace detail {

/// The format of schedules whose edges have paths; the others have format_version.
inline constexpr std::int64_t path_format_version = 2;

/// Writes one edge as one line. The line is formatted in memory first, since copying memory is faster than writing
/// single characters.
/// @param out    output iterator for the text
/// @param e      an edge
/// @param paths  paths of edges; empty: none
/// @return the iterator behind the line
template <std::output_iterator<char> Out>
Out write_json_edge(Out out, const edge& e, const edge_path::names& paths = {}) {
    fmt::memory_buffer line;
    detail::pen put(fmt::appender{line});
    put(FMT_COMPILE(R"({{"step":{},"src":{},"dst":{},"from":"{}","from_offset":{},)"), e.step, e.src, e.dst,
        name_of(e.from), e.from_offset);
    put(FMT_COMPILE(R"("into":"{}","into_offset":{},"size":{},"action":"{}")"), name_of(e.into), e.into_offset, e.size,
        name_of(e.action));
    std::vector<std::string> path;
    if (paths) paths(e, path);
    for (std::size_t i = 0; i < path.size(); ++i)
        put(FMT_COMPILE("{}{}"), i == 0 ? R"(,"path":[)" : ",", json_text(path[i]));
    put.text(path.empty() ? "}\n" : "]}\n");
    detail::pen output(std::move(out));
    output.text({line.data(), line.size()});
    return output.done();
}

/// The ranks that a header describes: all ranks, or one.
struct rank_span {
    rank_t first, last;
};

template <class Out, class Size>
void put_sizes(pen<Out>& put, const char* name, rank_span ranks, Size size) {
    put(FMT_COMPILE(",\"{}\":["), name);
    put.list(std::views::iota(ranks.first, ranks.last), [&](rank_t r) { put(FMT_COMPILE("{}"), size(r)); });
    put.text("]");
}

/// Writes one list per rank: value(rank, n) for n = 0 .. length(rank) - 1.
template <class Out, class Length, class Value>
void put_rows(pen<Out>& put, const char* name, rank_span ranks, Length length, Value value) {
    put(FMT_COMPILE(",\"{}\":["), name);
    put.list(std::views::iota(ranks.first, ranks.last), [&](rank_t r) {
        put.text("[");
        put.list(std::views::iota(rank_t{0}, length(r)), [&](rank_t n) { put(FMT_COMPILE("{}"), value(r, n)); });
        put.text("]");
    });
    put.text("]");
}

/// Returns whether the blocks of these ranks, including empty ones, are in rank order without gaps in inputs and
/// outputs. O(p) per rank.
constexpr bool packed_at(rank_span ranks, const block_matrix& m, rank_t p) {
    for (rank_t r = ranks.first; r < ranks.last; ++r) {
        bytes_t sent = 0, received = 0;
        for (rank_t i = 0; i < p; ++i) {
            if (m.send_displ(r, i) != sent || m.recv_displ(i, r) != received) return false;
            sent += m.count(r, i);
            received += m.count(i, r);
        }
    }
    return true;
}

/// Writes the matrix of block sizes. Row i lists the blocks that rank i sends. For one rank the header has its row, and
/// as "column" the blocks that it receives. Displacements are written if the blocks are not packed.
template <class Out>
void put_matrix(pen<Out>& put, const contract& c, rank_span ranks, bool complete) {
    const block_matrix& m = c.matrix();
    const auto rows = [&](const char* name, auto value) {
        put_rows(put, name, ranks, [&](rank_t) { return c.ranks; }, value);
    };
    rows("matrix", [&](rank_t r, rank_t j) { return m.count(r, j); });
    if (!complete) rows("column", [&](rank_t r, rank_t i) { return m.count(i, r); });
    if (packed_at(ranks, m, c.ranks)) return;
    rows("send_displs", [&](rank_t r, rank_t j) { return m.send_displ(r, j); });
    rows("recv_displs", [&](rank_t r, rank_t i) { return m.recv_displ(i, r); });
}

/// Writes the neighborhood: the targets and sources of each rank, slot by slot, with -1 for an empty slot, and the
/// in-slot of the target for each out-slot. Sizes of slots are written if they were given individually, and
/// displacements if they were given.
template <class Out>
void put_neighbors(pen<Out>& put, const contract& c, rank_span ranks) {
    const neighborhood& n = c.neighbors();
    const slot_layout& slots = c.slots();
    const auto out = [&](const char* name, auto value) {
        put_rows(put, name, ranks, [&](rank_t r) { return n.out_degree(r); }, value);
    };
    const auto in = [&](const char* name, auto value) {
        put_rows(put, name, ranks, [&](rank_t r) { return n.in_degree(r); }, value);
    };
    out("neighbors", [&](rank_t r, rank_t i) { return n.target(r, i); });
    in("sources", [&](rank_t r, rank_t j) { return n.source(r, j); });
    out("slots", [&](rank_t r, rank_t i) { return n.arrival(r, i); });
    if (!slots.irregular()) return;
    if (slots.is_gathered()) put_sizes(put, "counts", ranks, [&](rank_t r) { return slots.input_bytes(n, r); });
    else out("counts", [&](rank_t r, rank_t i) { return slots.sent(n, r, i).size; });
    if (slots.packed()) return;
    if (!slots.is_gathered()) out("send_displs", [&](rank_t r, rank_t i) { return slots.sent(n, r, i).offset; });
    in("recv_displs", [&](rank_t r, rank_t j) { return slots.recv_displ(n, r, j); });
}

/// `rounds` is -1 in the header of one rank.
template <class Out, schedule S>
void put_header(pen<Out>& put, const S& s, std::string_view name, step_t rounds, rank_span ranks, bool has_paths) {
    const contract c = s.contract();
    const detail::name_parts parts = split_name(name);
    const bool complete = rounds >= 0;
    put(FMT_COMPILE(R"({{"format":{},"schedule":{},"collective":{},"algorithm":{},"ranks":{},)"),
        has_paths ? path_format_version : format_version, json_text(name), json_text(parts.collective),
        json_text(parts.algorithm), s.ranks);
    if (!complete) put(FMT_COMPILE(R"("rank":{},)"), ranks.first);
    put(FMT_COMPILE(R"("root":{},"steps":{},)"), c.root, s.steps());
    if (complete) put(FMT_COMPILE(R"("rounds":{},)"), rounds);
    put(FMT_COMPILE(R"("pacing":"{}","element":{},"commutative":{})"), pacing_text(s.pacing()), c.element,
        c.commutative);
    put_sizes(put, "input", ranks, [&](rank_t r) { return c.input_bytes(r); });
    put_sizes(put, "output", ranks, [&](rank_t r) { return c.output_bytes(r); });
    put_sizes(put, "scratch", ranks, [&](rank_t r) { return s.scratch(r); });
    put_sizes(put, "staging", ranks, [&](rank_t r) { return s.staging(r); });
    if (moves_blocks(c.collective) && !equal_and_packed(c.layout(), s.ranks)) {
        put_sizes(put, "counts", ranks, [&](rank_t r) { return c.layout().count(r); });
        put_sizes(put, "displs", ranks, [&](rank_t r) { return c.layout().displ(r); });
    }
    if (c.collective == collective::alltoall && !c.matrix().uniform()) put_matrix(put, c, ranks, complete);
    if (has_neighbors(c.collective)) put_neighbors(put, c, ranks);
    put.text("}\n");
}

/// Writes the header line of a whole schedule. docs/schedule_files.md describes the keys.
/// @param out        output iterator for the text
/// @param s          schedule without error
/// @param name       such as "allgather/ring"
/// @param has_paths  whether edges may have paths: format 2 instead of 1
/// @return the iterator behind the line
template <std::output_iterator<char> Out>
Out write_json_header(Out out, const stored_schedule& s, std::string_view name, bool has_paths = false) {
    detail::pen put(std::move(out));
    detail::put_header(put, s, name, detail::rounds_of(s.edges()), {0, s.ranks}, has_paths);
    return put.done();
}

}  // namespace detail

/// Writes a schedule as JSON Lines: the header, then one line per edge in canonical order.
/// @param out    output iterator for the text
/// @param s      schedule without error
/// @param name   such as "allgather/ring"
/// @param paths  paths of edges; empty: none
/// @return the iterator behind the text
template <std::output_iterator<char> Out>
Out write_json_lines(Out out, const stored_schedule& s, std::string_view name, const edge_path::names& paths = {}) {
    out = detail::write_json_header(std::move(out), s, name, static_cast<bool>(paths));
    for (const edge& e : s.edges()) out = detail::write_json_edge(std::move(out), e, paths);
    return out;
}

/// Writes one rank's program as JSON Lines. The header contains "rank" and omits "rounds", which depends on all ranks.
/// Its lists contain only the entry of that rank. O(own edges).
/// @param out   output iterator for the text
/// @param x     schedule or algorithm
/// @param name  such as "allgather/ring"
/// @param rank   0 .. p-1
/// @param paths  paths of edges; empty: none
/// @return the iterator behind the text
template <std::output_iterator<char> Out, schedulable X>
Out write_json_lines(Out out, const X& x, std::string_view name, rank_t rank, const edge_path::names& paths = {}) {
    detail::pen put(std::move(out));
    detail::put_header(put, lower(x), name, -1, {rank, rank + 1}, static_cast<bool>(paths));
    out = put.done();
    for (const edge& e : program(x, rank)) out = detail::write_json_edge(std::move(out), e, paths);
    return out;
}

}}  // namespace collsched::COLLSCHED_ABI
