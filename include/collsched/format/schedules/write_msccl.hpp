#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/format/schedules/detail/gpu_chunks.hpp"
#include "collsched/format/schedules/detail/msccl_thread_blocks.hpp"
#include "collsched/format/text.hpp"
#include "collsched/schedule/detail/dependencies.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// The channels of an MSCCL program's connections. Each channel has a limited number of senders and of receivers per
/// rank.
///
/// The connections are the edges of the bipartite graph of senders and receivers. A proper coloring of these edges, in
/// which no two connections from one rank and no two to one rank have the same color, needs as many colors as the
/// largest number of peers (Koenig's theorem). A channel is a run of consecutive colors, as many as a channel has
/// peers. The number of channels is therefore minimal.
class msccl_channels {
  public:
    /// @param ranks p
    /// @param connections pairs of sender and receiver, each 0 .. p-1
    /// @param peers per channel, 1 or more
    /// Memory O(p * d) for c connections and at most d peers per rank. Time O(c * (p + d)), or O(c * d) if the
    /// connections of each distance are complete.
    msccl_channels(rank_t ranks, const std::set<std::pair<rank_t, rank_t>>& connections, std::int64_t peers)
        : peers_(peers), colors_(most_peers(ranks, connections)) {
        const auto p = static_cast<std::size_t>(ranks);
        receivers_.assign(p, row(static_cast<std::size_t>(colors_), -1));
        senders_ = receivers_;
        std::vector<std::pair<rank_t, rank_t>> order(connections.begin(), connections.end());
        const auto by_distance = [ranks](const auto& entry) {
            return std::pair((entry.second - entry.first + ranks) % ranks, entry);
        };
        std::ranges::sort(order, {}, by_distance);
        for (const auto& [from, to] : order) add(from, to);
    }

    /// Returns the number of channels, 1 or more.
    std::int64_t size() const { return std::max<std::int64_t>(1, (colors_ + peers_ - 1) / peers_); }
    /// Returns the channel of one of the connections. Time O(d).
    std::int64_t of(rank_t from, rank_t to) const {
        const row& receivers = receivers_[static_cast<std::size_t>(from)];
        return (std::ranges::find(receivers, to) - receivers.begin()) / peers_;
    }

  private:
    /// The peers of a rank by color, -1 where the color is free.
    using row = std::vector<rank_t>;

    static std::int64_t most_peers(rank_t ranks, const std::set<std::pair<rank_t, rank_t>>& connections) {
        std::vector<std::int64_t> sends(static_cast<std::size_t>(ranks)), receives(sends);
        std::int64_t most = 0;
        for (const auto& [from, to] : connections)
            most = std::max({most, ++sends[static_cast<std::size_t>(from)], ++receives[static_cast<std::size_t>(to)]});
        return most;
    }

    rank_t& receiver(rank_t from, std::size_t color) { return receivers_[static_cast<std::size_t>(from)][color]; }
    rank_t& sender(rank_t to, std::size_t color) { return senders_[static_cast<std::size_t>(to)][color]; }
    static std::size_t free_color(const row& peers) {
        return static_cast<std::size_t>(std::ranges::find(peers, rank_t{-1}) - peers.begin());
    }
    void paint(rank_t from, rank_t to, std::size_t color) {
        receiver(from, color) = to;
        sender(to, color) = from;
    }

    void add(rank_t from, rank_t to) {
        const std::size_t color = free_color(receivers_[static_cast<std::size_t>(from)]);
        if (sender(to, color) >= 0) exchange(to, color, free_color(senders_[static_cast<std::size_t>(to)]));
        paint(from, to, color);
    }

    /// Frees color a at a receiver that has b free. Swaps the colors of all connections on the path of alternating
    /// colors a and b that begins at the receiver. The path is finite because it visits no rank twice.
    void exchange(rank_t to, std::size_t a, std::size_t b) {
        std::vector<std::pair<rank_t, rank_t>> path;
        for (rank_t at = to;;) {
            const rank_t from = sender(at, a);
            if (from < 0) break;
            path.emplace_back(from, at);
            at = receiver(from, b);
            if (at < 0) break;
            path.emplace_back(from, at);
        }
        for (std::size_t i = 0; i < path.size(); ++i) {
            const std::size_t old = i % 2 == 0 ? a : b;
            receiver(path[i].first, old) = sender(path[i].second, old) = -1;
        }
        for (std::size_t i = 0; i < path.size(); ++i) paint(path[i].first, path[i].second, i % 2 == 0 ? b : a);
    }

    std::int64_t peers_, colors_;
    std::vector<row> receivers_, senders_;  // per rank
};

}  // namespace detail

/// A schedule as a program for MSCCL or RCCL. Every rank is a GPU with thread blocks. A thread block has one peer to
/// send to or to receive from, or local work, and executes its steps in order. A step may wait for one step of another
/// thread block. Further waits are steps without work before it.
///
/// Sizes are counted in chunks (gpu_chunks). All reductions of MSCCL are commutative. check() reports what MSCCL cannot
/// express, and the first limit of the loader (msccl_limits) that the program exceeds.
///
/// The program has one channel if all ranks have at most 32 senders and 32 receivers, else as many channels as they
/// need. If a thread block would have more steps than the loader accepts, its peer is connected on further channels.
class msccl_program {
  public:
    using loader = detail::msccl_loader;              ///< the library that loads a program: MSCCL or RCCL
    using step = detail::msccl_step;                  ///< an operation of a thread block
    using thread_block = detail::msccl_thread_block;  ///< steps in order, with one peer at most
    /// Program of one rank.
    struct gpu {
        std::int64_t input = 0,            ///< size of input in chunks
            output = 0,                    ///< size of output in chunks
            scratch = 0;                   ///< size of scratch in chunks
        std::vector<thread_block> blocks;  ///< thread blocks, which run at the same time
    };

    /// Largest number of chunks per step. Larger edges are split into several steps.
    static constexpr std::int64_t most_chunks = 64;
    /// Largest number of parts of all edges together. A program with more parts takes gigabytes of memory to generate.
    static constexpr std::int64_t most_parts = std::int64_t{1} << 20;

    /// Makes the program of all ranks. Failure: wrong parameters, and limits that the program exceeds, throw
    /// bad_argument; without exceptions check() reports them and gpus() is empty.
    /// @param x          schedule or algorithm
    /// @param binding    how input and output overlap
    /// @param loaded_by  library that loads the program
    template <schedulable X>
    explicit msccl_program(const X& x, binding binding = binding::separate, loader loaded_by = loader::msccl)
        : loader_(loaded_by), limits_(loaded_by), chunks_(x, binding) {
        const auto& s = lower(x);
        if (error_ = chunks_.check(); error_) return;
        if (error_ = refuse_if(check_parts()); error_) return;
        std::vector<std::vector<edge>> programs;
        std::vector<detail::dependency_list> lists;
        for (rank_t r = 0; r < s.ranks; ++r) {
            gpus_.push_back({chunks_.input(), chunks_.output(), chunks_.of(s.scratch(r)), {}});
            programs.push_back(in_parts(chunks_.program(r)));
            lists.push_back(detail::dependencies(programs.back(), r, chunks_.contract().alias(r, binding), s.pacing()));
        }
        error_ = make(programs, lists);
        if (error_) gpus_.clear();
        refuse_if(error_);
    }

    argument_error check() const { return error_; }
    /// Returns the collective.
    collsched::collective collective() const { return chunks_.contract().collective; }
    /// Returns the library that loads the program.
    loader loaded_by() const { return loader_; }
    /// Returns the limits of the loader.
    /// @return reference that is valid as long as the program
    const detail::msccl_limits& limits() const { return limits_; }
    /// Returns the programs of all ranks.
    /// @return one program per rank, valid as long as this object
    const std::vector<gpu>& gpus() const { return gpus_; }
    /// Returns the size of a chunk.
    /// @return bytes, 1 or more
    bytes_t chunk_bytes() const { return chunks_.bytes(); }
    /// Returns the number of chunks of the larger of input and output.
    std::int64_t chunks() const { return std::max(chunks_.input(), chunks_.output()); }
    /// Returns the number of channels of the program.
    std::int64_t channels() const { return channels_; }

  private:
    /// Checks the number of parts of edges: in total against `most_parts`, and per rank against the limit of the
    /// loader.
    argument_error check_parts() const {
        checked parts = 0;
        rank_t crowded = -1;
        std::int64_t most = 0;
        for (rank_t r = 0; r < chunks_.contract().ranks; ++r) {
            checked rank_parts = 0;
            for (const edge& e : chunks_.program(r))
                rank_parts = rank_parts + ((chunks_.of(e.size) - 1) / most_chunks + 1);
            parts = parts + detail::saturated(rank_parts);
            if (crowded < 0 && detail::saturated(rank_parts) > detail::msccl_limits::xml_nodes)
                crowded = r, most = detail::saturated(rank_parts);
        }
        if (!parts.ok() || parts.value() > most_parts)
            return {"parts", detail::saturated(parts), "2^20 parts of 64 chunks in all"};
        return crowded < 0 ? argument_error{} : beyond_nodes(most, crowded);
    }

    /// Returns each edge split into parts of at most `most_chunks`. Parts wait for parts rather than for whole edges.
    /// Otherwise two ranks that exchange more than a connection buffers would deadlock.
    std::vector<edge> in_parts(const std::vector<edge>& edges) const {
        std::vector<edge> parts;
        for (edge e : edges)
            for (bytes_t remaining = e.size; remaining > 0; remaining -= e.size) {
                e.size = std::min(chunks_.of(remaining), most_chunks) * chunks_.bytes();
                parts.push_back(e);
                e.from_offset += e.size;
                e.into_offset += e.size;
            }
        return parts;
    }

    /// Makes the program with fewer and fewer operations per thread block until all steps fit. The connection of a
    /// message depends only on its number among the messages of the two ranks, so both ends choose the same connection.
    argument_error make(const std::vector<std::vector<edge>>& programs,
                        const std::vector<detail::dependency_list>& lists) {
        std::set<std::pair<rank_t, rank_t>> connections;
        for (const std::vector<edge>& edges : programs)
            for (const edge& e : edges)
                if (!e.is_local()) connections.emplace(e.src, e.dst);
        const detail::msccl_channels channels(std::ssize(gpus_), connections, detail::msccl_limits::peers);
        for (std::int64_t lane = limits_.steps;; lane = std::max<std::int64_t>(1, 3 * lane / 4)) {
            channels_ = channels.size();
            for (rank_t r = 0; r < std::ssize(gpus_); ++r) {
                const auto at = static_cast<std::size_t>(r);
                gpus_[at].blocks = detail::msccl_thread_blocks(r, programs[at], lists[at], chunks_.bytes(), lane);
                for (thread_block& block : gpus_[at].blocks) connect(block, r, channels);
            }
            if (const argument_error error = beyond_limits()) return error;
            if (const argument_error error = beyond_steps(); !error || lane == 1) return error;
        }
    }

    void connect(thread_block& block, rank_t rank, const detail::msccl_channels& channels) {
        if (block.is_local()) return;
        const bool sends = block.sends_to >= 0;
        block.channel =
            channels.of(sends ? rank : block.hears_from, sends ? block.sends_to : rank) + block.lane * channels.size();
        channels_ = std::max(channels_, block.channel + 1);
    }

    bool for_msccl() const { return loader_ == loader::msccl; }
    argument_error beyond_nodes(std::int64_t nodes, rank_t r) const {
        return {"XML nodes", nodes,
                for_msccl() ? "at most 4095 XML nodes per rank, the most that MSCCL loads"
                            : "at most 4095 XML nodes per rank, the most that RCCL loads",
                r};
    }

    /// Reports the first limit that the program exceeds, except the limit of steps.
    argument_error beyond_limits() const {
        if (std::ssize(gpus_) > detail::msccl_limits::ranks)
            return {"ranks", std::ssize(gpus_), "at most 1024 ranks, the most that MSCCL and RCCL load"};
        if (channels_ > detail::msccl_limits::channels)
            return {"channels", channels_, "at most 32 channels, the most that MSCCL and RCCL load"};
        for (rank_t r = 0; r < std::ssize(gpus_); ++r)
            if (const argument_error error = beyond_limits(r, gpus_[static_cast<std::size_t>(r)])) return error;
        return {};
    }

    argument_error beyond_limits(rank_t r, const gpu& device) const {
        if (std::ssize(device.blocks) > limits_.thread_blocks)
            return {"thread blocks", std::ssize(device.blocks),
                    for_msccl() ? "at most 216 thread blocks per rank, the most that MSCCL loads"
                                : "at most 1024 thread blocks per rank, the most that RCCL loads",
                    r};
        std::int64_t nodes = 1 + std::ssize(gpus_), awaited = -1, offset = 0;
        for (const thread_block& block : device.blocks) {
            nodes += 1 + std::ssize(block.steps);
            for (const step& s : block.steps) {
                awaited = std::max(awaited, s.waits_for_block);
                offset = std::max({offset, s.from_chunk, s.into_chunk});
            }
        }
        if (nodes > detail::msccl_limits::xml_nodes) return beyond_nodes(nodes, r);
        if (awaited >= detail::msccl_limits::awaited)
            return {"awaited", awaited + 1,
                    "at most 128 thread blocks per rank that others wait for, the most that MSCCL and RCCL load", r};
        if (offset > detail::msccl_limits::offset)
            return {"offsets", offset, "offsets of at most 32767 chunks, the largest that MSCCL and RCCL load", r};
        if (const std::int64_t most = std::max({device.input, device.output, device.scratch});
            most > detail::msccl_limits::buffer)
            return {"chunks", most, "buffers of at most 2^31-1 chunks, the largest that MSCCL and RCCL load", r};
        return {};
    }

    argument_error beyond_steps() const {
        for (rank_t r = 0; r < std::ssize(gpus_); ++r)
            for (const thread_block& block : gpus_[static_cast<std::size_t>(r)].blocks)
                if (std::ssize(block.steps) > limits_.steps)
                    return {"steps", std::ssize(block.steps),
                            for_msccl() ? "at most 256 steps per thread block, the most that MSCCL loads"
                                        : "at most 64 steps per thread block, the most that RCCL loads",
                            r};
        return {};
    }

    argument_error error_;
    loader loader_;
    detail::msccl_limits limits_;
    detail::gpu_chunks chunks_;
    std::vector<gpu> gpus_;
    std::int64_t channels_ = 1;
};

namespace detail {

/// Returns the prefix of a name, escaped for XML, that fits into an attribute. The loaders do not check the length.
inline std::string msccl_name(std::string_view name) {
    auto end = std::min(name.size(), static_cast<std::size_t>(msccl_limits::name));
    const auto splits_character = [&] {
        return end < name.size() && (static_cast<unsigned char>(name[end]) >> 6) == 2;
    };
    while (end > 0 && (splits_character() || xml_text(name.substr(0, end)).size() > msccl_limits::name)) --end;
    return xml_text(name.substr(0, end));
}

}  // namespace detail

/// Writes an MSCCL program as XML in the form that the parsers of MSCCL and RCCL accept: no prolog, and one blank
/// between attributes. A name of more than 255 bytes is truncated.
/// @pre !program.check()
/// @param out      output iterator for the text
/// @param program  a program without error
/// @param name     such as "allgather/ring"
/// @param binding  binding of the program
/// @return the iterator behind the text
template <std::output_iterator<char> Out>
Out write_msccl(Out out, const msccl_program& program, std::string_view name, binding binding = binding::separate) {
    constexpr char letter[] = {'i', 'o', 's'};
    detail::pen put(std::move(out));
    const bool in_place = binding == binding::in_place;
    const bool joined =
        program.collective() == collective::reduce_scatter && program.loaded_by() == msccl_program::loader::rccl;
    put(FMT_COMPILE(R"(<algo name="{}" proto="Simple" nchannels="{}" nchunksperloop="{}" ngpus="{}" coll="{}" )"),
        detail::msccl_name(name), program.channels(), program.chunks(), program.gpus().size(),
        joined ? "reducescatter" : name_of(program.collective()));
    put(FMT_COMPILE(R"(inplace="{}" outofplace="{}" minBytes="0" maxBytes="{}">)"
                    "\n"),
        in_place ? 1 : 0, in_place ? 0 : 1, program.limits().most_bytes);
    for (std::size_t r = 0; r < program.gpus().size(); ++r) {
        const msccl_program::gpu& gpu = program.gpus()[r];
        put(FMT_COMPILE(R"(<gpu id="{}" i_chunks="{}" o_chunks="{}" s_chunks="{}">)"
                        "\n"),
            r, gpu.input, gpu.output, gpu.scratch);
        for (std::size_t b = 0; b < gpu.blocks.size(); ++b) {
            const msccl_program::thread_block& block = gpu.blocks[b];
            put(FMT_COMPILE(R"(<tb id="{}" send="{}" recv="{}" chan="{}">)"
                            "\n"),
                b, block.sends_to, block.hears_from, block.channel);
            for (std::size_t k = 0; k < block.steps.size(); ++k) {
                const msccl_program::step& step = block.steps[k];
                put(FMT_COMPILE(R"(<step s="{}" type="{}" srcbuf="{}" srcoff="{}" dstbuf="{}" dstoff="{}" cnt="{}" )"),
                    k, step.type, letter[static_cast<int>(step.from)], step.from_chunk,
                    letter[static_cast<int>(step.into)], step.into_chunk, step.chunks);
                put(FMT_COMPILE(R"(depid="{}" deps="{}" hasdep="{}"/>)"
                                "\n"),
                    step.waits_for_block, step.waits_for_step, step.waited_for ? 1 : 0);
            }
            put.text("</tb>\n");
        }
        put.text("</gpu>\n");
    }
    put.text("</algo>\n");
    return put.done();
}

}}  // namespace collsched::COLLSCHED_ABI
