#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include "collsched/core/argument_error.hpp"
#include "collsched/format/schedules/detail/gpu_chunks.hpp"
#include "collsched/format/text.hpp"
#include "collsched/schedule/detail/edge_steps.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// A schedule as an execution plan of MSCCL++. Every rank is a GPU with one thread block that executes the steps in
/// order. The sender writes into the memory of the receiver. In each step the receiver first signals that its memory is
/// ready, and the sender signals when the bytes have arrived. Operands are written behind the schedule's own scratch,
/// and the receiver combines them.
///
/// MSCCL++ runs 64 operations per thread block with 16 channels and 16 buffers of peers, and its only reduction is
/// addition. check() reports schedules that exceed these limits, and steps in which a rank receives into memory that it
/// also reads.
class mscclpp_plan {
  public:
    /// A range of chunks.
    struct range {
        buffer where = buffer::input;  ///< a buffer of a rank
        std::int64_t first = 0,        ///< first chunk
            chunks = 0;                ///< number of chunks
    };
    /// An operation of a thread block.
    struct operation {
        /// Kind of an operation. A signal and a wait have a peer only, a sync has no operands.
        enum class kind_of_operation : std::uint8_t { signal, wait, put, copy, reduce, sync };
        kind_of_operation kind = kind_of_operation::sync;  ///< kind of the operation
        rank_t peer = -1;                                  ///< peer of a signal, wait or put
        range from{},                                      ///< source of a put, copy or reduce
            into{};  ///< target of a put, copy or reduce; for a put in the memory of the peer
    };
    /// Plan of one rank.
    struct gpu {
        std::int64_t scratch = 0;                        ///< size of scratch in chunks, staged operands included
        std::vector<rank_t> peers;                       ///< ascending
        std::vector<std::pair<rank_t, buffer>> written;  ///< buffers of peers that the rank writes to, ascending
        std::vector<operation> operations;               ///< operations in order
    };

    static constexpr std::int64_t most_operations = 64,  ///< largest number of operations per rank
        most_peers = 16,                                 ///< largest number of peers per rank
        most_written = 16;                               ///< largest number of buffers of peers that a rank writes to

    /// Makes the plan of all ranks. Failure: wrong parameters, and limits that the plan exceeds, throw bad_argument;
    /// without exceptions check() reports them and gpus() is empty.
    /// @param x        schedule or algorithm
    /// @param binding  how input and output overlap
    template <schedulable X>
    explicit mscclpp_plan(const X& x, binding binding = binding::separate) : chunks_(x, binding) {
        const auto& s = lower(x);
        if (error_ = chunks_.check(); error_) return;
        for (rank_t r = 0; r < s.ranks && !error_; ++r) {
            own_scratch_.push_back(chunks_.of(s.scratch(r)));
            gpus_.push_back({own_scratch_.back(), {}, {}, {}});
        }
        for (rank_t r = 0; r < s.ranks && !error_; ++r) add(r);
        if (error_) gpus_.clear();
    }

    argument_error check() const { return error_; }
    /// Returns the division of buffers into chunks.
    /// @return reference that is valid as long as the plan
    const gpu_chunks& chunks() const { return chunks_; }
    /// Returns the plans of all ranks.
    /// @return one plan per rank, none after an error; valid as long as this object
    const std::vector<gpu>& gpus() const { return gpus_; }

  private:
    using kind = operation::kind_of_operation;

    range source(const edge& e) const { return {e.from, e.from_offset / chunks_.bytes(), e.size / chunks_.bytes()}; }
    range target(const edge& e) const { return {e.into, e.into_offset / chunks_.bytes(), e.size / chunks_.bytes()}; }
    static bool overlap(const range& a, const range& b) {
        return a.where == b.where && a.first < b.first + b.chunks && b.first < a.first + a.chunks;
    }

    void add(rank_t rank) {
        gpu& device = gpus_[static_cast<std::size_t>(rank)];
        detail::for_each_step(chunks_.program(rank),
                              [&](std::span<const edge> edges) { add_step(rank, edges, device); });
        const std::int64_t operations = std::ssize(device.operations), peers = std::ssize(device.peers),
                           written = std::ssize(device.written);
        if (operations > most_operations)
            error_ = refuse_if(
                {"operations", operations, "at most 64 operations per rank, the most that MSCCL++ runs", rank});
        else if (peers > most_peers)
            error_ = refuse_if({"peers", peers, "at most 16 peers per rank, the most that MSCCL++ connects", rank});
        else if (written > most_written)
            error_ = refuse_if(
                {"buffers", written, "at most 16 buffers of peers per rank, the most that MSCCL++ writes into", rank});
    }

    /// Returns the range in which an incoming operand is staged: behind the receiver's own scratch, in program order
    /// within a step.
    range staged(rank_t receiver, const edge& incoming) const {
        std::int64_t at = own_scratch_[static_cast<std::size_t>(receiver)];
        for (const edge& e : chunks_.program(receiver)) {
            if (e.step != incoming.step || e.dst != receiver || e.src == receiver || !e.combines()) continue;
            if (e.src == incoming.src && e.from == incoming.from && e.from_offset == incoming.from_offset &&
                e.into == incoming.into && e.into_offset == incoming.into_offset)
                break;
            at += e.size / chunks_.bytes();
        }
        return {buffer::scratch, at, incoming.size / chunks_.bytes()};
    }

    void add_step(rank_t rank, std::span<const edge> step, gpu& device) {
        std::vector<rank_t> sources, destinations;
        std::vector<edge> sent, received, local;
        for (const edge& e : step) {
            if (e.is_local()) local.push_back(e);
            else (e.src == rank ? sent : received).push_back(e);
        }
        for (const edge& e : received) {
            note(sources, e.src);
            if (e.combines())
                device.scratch = std::max(device.scratch, staged(rank, e).first + e.size / chunks_.bytes());
            for (const edge& read : step)
                if (!e.combines() && read.src == rank && overlap(target(e), source(read)) && !error_)
                    error_ =
                        refuse_if({"step", e.step, "steps in which no rank receives into memory that it reads", rank});
        }
        for (const edge& e : sent) note(destinations, e.dst);
        for (const auto* list : {&sources, &destinations})
            for (const rank_t peer : *list) note(device.peers, peer);
        for (const rank_t peer : sources) device.operations.push_back({kind::signal, peer});
        for (const rank_t peer : destinations) {
            device.operations.push_back({kind::wait, peer});
            for (const edge& e : sent) {
                if (e.dst != peer) continue;
                device.operations.push_back({kind::put, peer, source(e), e.combines() ? staged(peer, e) : target(e)});
                note(device.written, {peer, device.operations.back().into.where});
            }
        }
        if (!sent.empty()) device.operations.push_back({kind::sync});
        for (const rank_t peer : destinations) device.operations.push_back({kind::signal, peer});
        for (const edge& e : local)
            device.operations.push_back({e.combines() ? kind::reduce : kind::copy, -1, source(e), target(e)});
        for (const rank_t peer : sources) device.operations.push_back({kind::wait, peer});
        for (const edge& e : received)
            if (e.combines()) device.operations.push_back({kind::reduce, -1, staged(rank, e), target(e)});
        if (!local.empty() || !received.empty()) device.operations.push_back({kind::sync});
    }
    /// Inserts an element into an ascending list unless the list contains it.
    template <class T>
    static void note(std::vector<T>& list, const T& element) {
        const auto at = std::ranges::lower_bound(list, element);
        if (at == list.end() || *at != element) list.insert(at, element);
    }

    argument_error error_;
    gpu_chunks chunks_;
    std::vector<std::int64_t> own_scratch_;
    std::vector<gpu> gpus_;
};

}  // namespace detail

/// Returns an error if write_mscclpp() cannot write a schedule: it has wrong parameters, MSCCL++ cannot express it, or it
/// exceeds a limit. With exceptions this error is thrown as bad_argument.
/// @param x        schedule or algorithm
/// @param binding  how input and output overlap
template <schedulable X>
argument_error check_mscclpp(const X& x, binding binding = binding::separate) {
    return detail::mscclpp_plan(x, binding).check();
}

/// Writes a schedule as an execution plan of MSCCL++ in JSON. The output has never been run on a GPU.
/// Source: MSCCL++'s execution_plan.cc.
/// @param out      output iterator for the text
/// @param x        schedule or algorithm
/// @param name     such as "allgather/ring"
/// @param binding  how input and output overlap
/// @return the iterator behind the text
template <std::output_iterator<char> Out, schedulable X>
Out write_mscclpp(Out out, const X& x, std::string_view name, binding binding = binding::separate) {
    const detail::mscclpp_plan plan(x, binding);
    using kind = detail::mscclpp_plan::operation::kind_of_operation;
    constexpr char letter[] = {'i', 'o', 's'};
    detail::pen put(std::move(out));
    const auto memory = [&](const detail::mscclpp_plan::range& range) {
        return fmt::format(FMT_COMPILE(R"([{{"type":"{}","index":{},"size":{}}}])"),
                           letter[static_cast<int>(range.where)], range.first, range.chunks);
    };
    put(FMT_COMPILE(R"({{"name":{},"collective":"{}","protocol":"Simple","inplace":{},"gpus":[)"), json_text(name),
        name_of(plan.chunks().contract().collective), binding == binding::in_place);
    for (std::size_t r = 0; r < plan.gpus().size(); ++r) {
        const detail::mscclpp_plan::gpu& gpu = plan.gpus()[r];
        const auto number = [&](rank_t peer) { return std::ranges::lower_bound(gpu.peers, peer) - gpu.peers.begin(); };
        const auto remote = [&](rank_t peer, buffer where) {
            return std::ranges::lower_bound(gpu.written, std::pair(peer, where)) - gpu.written.begin();
        };
        put(FMT_COMPILE(
                "{}\n{{\"id\":{},\"input_chunks\":{},\"output_chunks\":{},\"scratch_chunks\":{},\n\"threadblocks\":[{{"
                "\"id\":0,\"ops\":["),
            r == 0 ? "" : ",", r, plan.chunks().input(), plan.chunks().output(), gpu.scratch);
        const char* between = "\n";
        for (const detail::mscclpp_plan::operation& operation : gpu.operations) {
            put.text(between);
            between = ",\n";
            switch (operation.kind) {
                case kind::signal:
                case kind::wait:
                    put(FMT_COMPILE(R"({{"name":"{}","channel_ids":[{}],"channel_type":"memory"}})"),
                        operation.kind == kind::signal ? "signal" : "wait", number(operation.peer));
                    break;
                case kind::put:
                    put(FMT_COMPILE(
                            R"({{"name":"put","src_buff":{},"dst_buff":[{{"buffer_id":{},"index":{},"size":{}}}],"channel_type":"memory"}})"),
                        memory(operation.from), remote(operation.peer, operation.into.where), operation.into.first,
                        operation.into.chunks);
                    break;
                case kind::copy:
                    put(FMT_COMPILE(R"({{"name":"copy","src_buff":{},"dst_buff":{}}})"), memory(operation.from),
                        memory(operation.into));
                    break;
                case kind::reduce: {
                    const std::string into = memory(operation.into), from = memory(operation.from);
                    put(FMT_COMPILE(R"({{"name":"re","src_buff":{},{},"dst_buff":{}}})"),
                        into.substr(0, into.size() - 1), from.substr(1), into);
                    break;
                }
                case kind::sync: put.text(R"({"name":"nop"})"); break;
            }
        }
        const auto numbers = [](std::size_t n) { return fmt::join(std::views::iota(std::size_t{0}, n), ","); };
        std::vector<std::string> buffers;
        for (const auto& [peer, where] : gpu.written)
            buffers.push_back(fmt::format(FMT_COMPILE(R"({{"rank":{},"type":"{}","access_channel_types":["memory"]}})"),
                                          peer, letter[static_cast<int>(where)]));
        put(FMT_COMPILE(
                "],\n\"channels\":[{{\"channel_type\":\"memory\",\"channel_ids\":[{}]}}],\"remote_buffer_refs\":[{{"
                "\"access_channel_type\":\"memory\",\"remote_buffer_ids\":[{}]}}]}}],\n\"channels\":[{{\"channel_"
                "type\":"
                "\"memory\",\"connected_to\":[{}]}}],\"remote_buffers\":[{}],\"semaphores\":[]}}"),
            numbers(gpu.peers.size()), numbers(gpu.written.size()), fmt::join(gpu.peers, ","), fmt::join(buffers, ","));
    }
    put.text("]}\n");
    return put.done();
}

}}  // namespace collsched::COLLSCHED_ABI
