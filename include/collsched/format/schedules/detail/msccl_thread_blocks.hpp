#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "collsched/core/config.hpp"
#include "collsched/core/edge.hpp"
#include "collsched/schedule/detail/dependencies.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The library that loads a program. The two libraries use different names for reduce_scatter and have different
/// limits.
enum class msccl_loader : std::uint8_t {
    msccl,  ///< MSCCL
    rccl,   ///< RCCL, and the executor of MSCCL programs for NCCL
};

/// The limits of a loader of MSCCL programs. A loader rejects a program that exceeds most of them. Limits that the
/// loader does not check bound the size of its arrays.
/// Sources: MSCCL's src/include/msccl.h, src/graph/xml.h, src/graph/topo.cc; RCCL's src/include/msccl/msccl_struct.h,
/// msccl_parser.h, src/misc/msccl/msccl_parser.cc.
struct msccl_limits {
    std::int64_t steps = 256;             ///< per thread block
    std::int64_t thread_blocks = 216;     ///< per rank
    std::int64_t most_bytes = INT64_MAX;  ///< maxBytes of a program for messages of any size

    static constexpr std::int64_t ranks = 1024;
    static constexpr std::int64_t channels = 32;
    static constexpr std::int64_t peers = 32;  ///< senders, and receivers, per rank and channel
    static constexpr std::int64_t xml_nodes =
        4095;  ///< per rank, in bytes: the program, all ranks, its own thread blocks and steps
    static constexpr std::int64_t awaited =
        128;  ///< thread blocks per rank with dependent steps in other thread blocks: the id is a signed byte
    static constexpr std::int64_t offset = 32767;      ///< in chunks
    static constexpr std::int64_t buffer = INT32_MAX;  ///< in chunks
    static constexpr std::int64_t fused = 16;          ///< consecutive combinations of one place run as one
    static constexpr std::int64_t name = 255;          ///< bytes per attribute

    constexpr explicit msccl_limits(msccl_loader loader = msccl_loader::msccl) {
        if (loader == msccl_loader::msccl) return;
        steps = 64;
        thread_blocks = 1024;
        most_bytes = 0;
    }
};

/// One step of a thread block.
struct msccl_step {
    const char* type = "nop";  ///< s send, r receive, rrc receive and combine, cpy copy, re combine, nop
    buffer from = buffer::input;
    std::int64_t from_chunk = -1;
    buffer into = buffer::input;
    std::int64_t into_chunk = -1;
    std::int64_t chunks = 0;
    std::int64_t waits_for_block = -1, waits_for_step = -1;
    bool waited_for = false;
};

/// The steps of one thread block of a GPU. A thread block has one receiver, one sender, or local work only.
struct msccl_thread_block {
    rank_t sends_to = -1, hears_from = -1;
    std::int64_t lane = 0;  ///< number of the connection among those with this peer
    std::int64_t channel = 0;
    std::vector<msccl_step> steps;

    bool is_local() const { return sends_to < 0 && hears_from < 0; }
};

/// Distributes the operations of one rank over thread blocks.
class msccl_block_builder {
  public:
    msccl_block_builder(rank_t rank, std::span<const edge> program, const dependency_list& list, bytes_t chunk,
                        std::int64_t lane)
        : rank_(rank),
          chunk_(chunk),
          program_(program),
          list_(list),
          places_(program.size()),
          reached_(program.size()) {
        behind_.resize(static_cast<std::size_t>(list.nodes() - list.operations));
        std::map<peers, std::int64_t> messages;
        for (const edge& e : program) {
            const peers ends{e.is_local() || e.dst == rank ? -1 : e.dst, e.is_local() || e.src == rank ? -1 : e.src};
            keys_.emplace_back(ends.first, ends.second, messages[ends]++ / lane);
        }
    }

    std::vector<msccl_thread_block> build() {
        for (const std::int64_t node : in_order()) add(node);
        for (msccl_thread_block& block : blocks_) end_fusions(block.steps);
        if (std::ssize(blocks_) > msccl_limits::awaited) put_awaited_first();
        return std::move(blocks_);
    }

  private:
    using peers = std::pair<rank_t, rank_t>;               // receiver and sender, -1 for none
    using key = std::tuple<rank_t, rank_t, std::int64_t>;  // and the lane

    /// The step of an operation.
    struct place {
        std::int64_t block = -1, step = -1;
        std::size_t operation = 0;
    };

    /// Returns a topological order of operations and joins. Operations that are ready keep the program's order, and
    /// each join comes as early as possible. Operations of one thread block keep their order, since messages between
    /// two ranks arrive in the order in which they were sent.
    std::vector<std::int64_t> in_order() const {
        const auto nodes = static_cast<std::size_t>(list_.nodes());
        std::vector<std::vector<std::int64_t>> after(nodes);
        std::vector<std::int64_t> indegree(nodes), order;
        const auto put_before = [&](std::int64_t before, std::int64_t node) {
            after[static_cast<std::size_t>(before)].push_back(node);
            ++indegree[static_cast<std::size_t>(node)];
        };
        std::map<key, std::int64_t> last;
        for (std::int64_t i = 0; i < list_.nodes(); ++i) {
            for (const std::int64_t before : list_.predecessors(i)) put_before(before, i);
            if (i >= list_.operations) continue;
            const auto [found, first] = last.try_emplace(keys_[static_cast<std::size_t>(i)], i);
            if (!first) put_before(std::exchange(found->second, i), i);
        }
        const auto priority = [&](std::int64_t node) { return node < list_.operations ? node : node - list_.nodes(); };
        std::priority_queue<std::pair<std::int64_t, std::int64_t>, std::vector<std::pair<std::int64_t, std::int64_t>>,
                            std::greater<>>
            ready;
        for (std::int64_t i = 0; i < list_.nodes(); ++i)
            if (indegree[static_cast<std::size_t>(i)] == 0) ready.emplace(priority(i), i);
        while (!ready.empty()) {
            order.push_back(ready.top().second);
            ready.pop();
            for (const std::int64_t next : after[static_cast<std::size_t>(order.back())])
                if (--indegree[static_cast<std::size_t>(next)] == 0) ready.emplace(priority(next), next);
        }
        return order;
    }

    /// Returns the last step of thread block `block` that is complete when the operation at `at` is complete, or -1.
    std::int64_t reached(const place& at, std::int64_t block) const {
        const std::vector<std::int64_t>& steps = reached_[at.operation];
        return block < std::ssize(steps) ? steps[static_cast<std::size_t>(block)] : -1;
    }

    /// Returns the steps that a vertex waits for, without those that another awaited step implies. The steps ascend by
    /// thread block.
    std::vector<place> needed(std::int64_t node) const {
        std::map<std::int64_t, place> last;
        const auto note = [&](const place& wait) {
            place& latest = last.try_emplace(wait.block, wait).first->second;
            if (latest.step < wait.step) latest = wait;
        };
        for (const std::int64_t before : list_.predecessors(node)) {
            if (before < list_.operations) note(places_[static_cast<std::size_t>(before)]);
            else
                for (const place& wait : behind_[static_cast<std::size_t>(before - list_.operations)]) note(wait);
        }
        std::vector<place> waits;
        for (const auto& [block, awaited] : last) {
            const auto implies = [&, &at = awaited](const auto& other) {
                return other.first != at.block && reached(other.second, at.block) >= at.step;
            };
            if (std::ranges::none_of(last, implies)) waits.push_back(awaited);
        }
        return waits;
    }

    void add(std::int64_t node) {
        std::vector<place> waits = needed(node);
        if (node >= list_.operations) {
            behind_[static_cast<std::size_t>(node - list_.operations)] = std::move(waits);
            return;
        }
        const auto i = static_cast<std::size_t>(node);
        const auto [found, fresh] = block_of_.try_emplace(keys_[i], std::ssize(blocks_));
        if (fresh) {
            blocks_.push_back({std::get<0>(keys_[i]), std::get<1>(keys_[i]), std::get<2>(keys_[i]), 0, {}});
            latest_.emplace_back();
        }
        const std::int64_t block = found->second;
        place& before = latest_[static_cast<std::size_t>(block)];  // in this thread block
        std::vector<std::int64_t> steps;
        if (before.block >= 0) steps = reached_[before.operation];
        steps.resize(std::max(steps.size(), blocks_.size()), -1);
        std::erase_if(waits, [&](const place& wait) {
            return wait.block == block || steps[static_cast<std::size_t>(wait.block)] >= wait.step;
        });
        for (const place& wait : waits) {
            for (std::size_t b = 0; b < reached_[wait.operation].size(); ++b)
                steps[b] = std::max(steps[b], reached_[wait.operation][b]);
            blocks_[static_cast<std::size_t>(wait.block)].steps[static_cast<std::size_t>(wait.step)].waited_for = true;
        }
        before = places_[i] = {block, put(blocks_[static_cast<std::size_t>(block)].steps, program_[i], waits), i};
        steps[static_cast<std::size_t>(block)] = before.step;
        reached_[i] = std::move(steps);
    }

    /// Appends the step of an edge that waits for the steps in `waits`. Returns its number.
    std::int64_t put(std::vector<msccl_step>& steps, const edge& e, const std::vector<place>& waits) const {
        for (const place& wait : waits) steps.push_back({.waits_for_block = wait.block, .waits_for_step = wait.step});
        if (waits.empty()) steps.emplace_back();
        msccl_step& step = steps.back();
        const bool receives = !e.is_local() && e.dst == rank_;
        step.type = receives ? (e.combines() ? "rrc" : "r") : e.is_local() ? (e.combines() ? "re" : "cpy") : "s";
        const bool adds_own = receives && e.combines();  // combines with the destination
        step.from = adds_own ? e.into : e.from;
        step.from_chunk = (adds_own ? e.into_offset : e.from_offset) / chunk_;
        step.into = e.into;
        step.into_chunk = e.into_offset / chunk_;
        step.chunks = e.size / chunk_;
        return std::ssize(steps) - 1;
    }

    /// The loader fuses consecutive combinations of one place. The fused step has the size of the last combination and
    /// any number of operands, although the GPU has room for few. A step with dependents ends such a run.
    static void end_fusions(std::vector<msccl_step>& steps) {
        std::int64_t fused = 0;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const bool combines = steps[i].type == std::string_view("re");
            const bool goes_on = combines && fused > 0 && steps[i].waits_for_block < 0 && !steps[i - 1].waited_for &&
                                 steps[i].into == steps[i - 1].into && steps[i].from == steps[i - 1].from &&
                                 steps[i].into_chunk == steps[i - 1].into_chunk;
            if (goes_on && (fused == msccl_limits::fused || steps[i].chunks != steps[i - 1].chunks)) {
                steps[i - 1].waited_for = true;
                fused = 1;
            } else {
                fused = combines ? (goes_on ? fused : 0) + 1 : 0;
            }
        }
    }

    void put_awaited_first() {
        std::vector<std::size_t> order;
        for (const bool awaited : {true, false})
            for (std::size_t b = 0; b < blocks_.size(); ++b)
                if (std::ranges::any_of(blocks_[b].steps, &msccl_step::waited_for) == awaited) order.push_back(b);
        std::vector<msccl_thread_block> sorted(order.size());
        std::vector<std::int64_t> number(order.size());
        for (std::size_t b = 0; b < order.size(); ++b) {
            number[order[b]] = static_cast<std::int64_t>(b);
            sorted[b] = std::move(blocks_[order[b]]);
        }
        for (msccl_thread_block& block : sorted)
            for (msccl_step& step : block.steps)
                if (step.waits_for_block >= 0)
                    step.waits_for_block = number[static_cast<std::size_t>(step.waits_for_block)];
        blocks_ = std::move(sorted);
    }

    rank_t rank_;
    bytes_t chunk_;
    std::span<const edge> program_;
    const dependency_list& list_;
    std::vector<key> keys_;                           // per operation
    std::vector<place> places_;                       // per operation
    std::vector<std::vector<std::int64_t>> reached_;  // per operation, by thread block
    std::vector<std::vector<place>> behind_;          // per join: the steps that it waits for
    std::map<key, std::int64_t> block_of_;
    std::vector<place> latest_;  // per thread block
    std::vector<msccl_thread_block> blocks_;
};

/// Returns the thread blocks of one rank: one per receiver, one per sender, and one for local work. A thread block that
/// would have more than `lane` operations is split into several. A step waits for at most one other step. An operation
/// that waits for several steps is preceded by steps without work, one for each further wait. Waits implied by other
/// waits are omitted. If there are so many thread blocks that their ids matter, those with dependents in other thread
/// blocks come first.
/// @param program the rank's program in canonical order, without redundant edges
/// @param list its dependencies
/// @param chunk bytes per chunk, which divide all sizes and offsets
/// @param lane operations per thread block, 1 or more
/// Time and memory O(n * b) for n operations in b thread blocks, and O(b^2) for an operation that waits for b of them.
inline std::vector<msccl_thread_block> msccl_thread_blocks(rank_t rank, std::span<const edge> program,
                                                           const dependency_list& list, bytes_t chunk,
                                                           std::int64_t lane) {
    return detail::msccl_block_builder(rank, program, list, chunk, lane).build();
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
