#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "collsched/core/checked.hpp"
#include "collsched/core/error.hpp"
#include "collsched/format/gpu_chunks.hpp"
#include "collsched/schedule/dependencies.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/schedule/lowering.hpp"

namespace collsched::inline v0_1 {

/// A schedule as MSCCL (and RCCL, which took it over) runs it: every rank is a GPU with thread blocks, each with one peer to
/// send to or to receive from, or for local work, and with steps that it does one after the other. A step may wait for
/// one of another thread block; where it has to wait for more, steps that do nothing come before it.
///
/// Sizes are counted in chunks (gpu_chunks). All reductions of MSCCL are commutative. What it cannot express check() tells.
class msccl_program {
  public:
    struct step {
        const char* type = "nop";  ///< s send, r receive, rrc receive and combine, cpy copy, re combine, nop
        buffer from = buffer::input;
        std::int64_t from_chunk = -1;
        buffer into = buffer::input;
        std::int64_t into_chunk = -1;
        std::int64_t chunks = 0;
        std::int64_t waits_for_block = -1, waits_for_step = -1;
        bool waited_for = false;
    };
    struct thread_block {
        rank_t sends_to = -1, hears_from = -1;
        std::vector<step> steps;
    };
    struct gpu {
        std::int64_t input = 0, output = 0, scratch = 0;  ///< chunks
        std::vector<thread_block> blocks;
    };

    /// More chunks than this are several steps.
    static constexpr std::int64_t most_chunks = 64;
    /// So many parts may all edges together have: a program of more takes gigabytes to make.
    static constexpr std::int64_t most_parts = std::int64_t{1} << 20;

    template <schedulable X>
    explicit msccl_program(const X& x, binding how = binding::separate) : chunks_(x, how) {
        const auto& s = lower(x);
        if (error_ = chunks_.check(); error_) return;
        if (error_ = refuse_if(check_parts()); error_) return;
        for (rank_t r = 0; r < s.ranks; ++r) {
            const std::vector<edge> own = in_parts(chunks_.program(r));
            gpus_.push_back({chunks_.input(), chunks_.output(), chunks_.of(s.scratch(r)), {}});
            add_steps(r, own, dependencies(own, r, chunks_.promise().alias(r, how), s.pacing()));
        }
    }

    error check() const { return error_; }
    collective what() const { return chunks_.promise().what; }
    const std::vector<gpu>& gpus() const { return gpus_; }
    bytes_t chunk_bytes() const { return chunks_.bytes(); }
    /// Chunks of the larger of the two buffers.
    std::int64_t chunks() const { return std::max(chunks_.input(), chunks_.output()); }

  private:
    error check_parts() const {
        checked parts = 0;
        for (rank_t r = 0; r < chunks_.promise().ranks; ++r)
            for (const edge& e : chunks_.program(r)) parts = parts + ((chunks_.of(e.size) - 1) / most_chunks + 1);
        if (parts.ok() && parts.value() <= most_parts) return {};
        return {"parts", saturated(parts), "2^20 parts of 64 chunks in all"};
    }

    /// Each edge as several of at most `most_chunks`, so that the parts wait for parts: two ranks that exchange what a
    /// connection cannot hold would wait for each other for ever.
    std::vector<edge> in_parts(const std::vector<edge>& whole) const {
        std::vector<edge> parts;
        for (edge e : whole)
            for (bytes_t left = e.size; left > 0; left -= e.size) {
                e.size = std::min(chunks_.of(left), most_chunks) * chunks_.bytes();
                parts.push_back(e);
                e.from_offset += e.size;
                e.into_offset += e.size;
            }
        return parts;
    }

    /// The step of an operation.
    struct place {
        std::int64_t block = -1, step = -1;
    };

    void add_steps(rank_t rank, const std::vector<edge>& own, const dependency_list& list) {
        const std::vector<std::vector<std::int64_t>> before = operations_before(own, list);
        std::vector<place> places(own.size());
        std::vector<thread_block>& blocks = gpus_.back().blocks;
        std::map<std::pair<rank_t, rank_t>, std::int64_t> block_of;  // by receiver and sender, the other -1
        std::vector<std::map<std::int64_t, std::int64_t>> waited;    // of a block: up to which step of another
        for (const std::int64_t i : in_order(before)) {
            const edge& e = own[static_cast<std::size_t>(i)];
            const std::pair<rank_t, rank_t> peers{e.is_local() || e.dst == rank ? -1 : e.dst,
                                                  e.is_local() || e.src == rank ? -1 : e.src};
            const auto [found, fresh] = block_of.try_emplace(peers, std::ssize(blocks));
            if (fresh) {
                blocks.push_back({peers.first, peers.second, {}});
                waited.emplace_back();
            }
            const std::int64_t here = found->second;
            std::map<std::int64_t, std::int64_t> waits;
            for (const std::int64_t one : before[static_cast<std::size_t>(i)]) {
                const place& at = places[static_cast<std::size_t>(one)];
                const auto known = waited[static_cast<std::size_t>(here)].find(at.block);
                if (at.block == here ||
                    (known != waited[static_cast<std::size_t>(here)].end() && known->second >= at.step))
                    continue;
                auto& last = waits.try_emplace(at.block, at.step).first->second;
                last = std::max(last, at.step);
            }
            for (const auto& [block, last] : waits) {
                waited[static_cast<std::size_t>(here)][block] = last;
                blocks[static_cast<std::size_t>(block)].steps[static_cast<std::size_t>(last)].waited_for = true;
            }
            places[static_cast<std::size_t>(i)] = {here, put(blocks[static_cast<std::size_t>(here)], e, rank, waits)};
        }
    }

    /// The step of an edge, which waits for those; its number.
    std::int64_t put(thread_block& in, const edge& e, rank_t rank,
                     const std::map<std::int64_t, std::int64_t>& waits) const {
        const std::size_t first = in.steps.size();
        for (const auto& [block, last] : waits) in.steps.push_back({.waits_for_block = block, .waits_for_step = last});
        if (in.steps.size() == first) in.steps.emplace_back();
        step& one = in.steps.back();
        const bool receives = !e.is_local() && e.dst == rank;
        one.type = receives ? (e.combines() ? "rrc" : "r") : e.is_local() ? (e.combines() ? "re" : "cpy") : "s";
        const bool adds_own = receives && e.combines();  // to what is there
        one.from = adds_own ? e.into : e.from;
        one.from_chunk = (adds_own ? e.into_offset : e.from_offset) / chunks_.bytes();
        one.into = e.into;
        one.into_chunk = e.into_offset / chunks_.bytes();
        one.chunks = e.size / chunks_.bytes();
        return std::ssize(in.steps) - 1;
    }

    /// For each operation those that must be complete before it, joins dissolved; and the one before it with the same peer, since
    /// messages between two ranks come in the order in which they were sent.
    static std::vector<std::vector<std::int64_t>> operations_before(const std::vector<edge>& own,
                                                                    const dependency_list& list) {
        std::vector<std::optional<std::vector<std::int64_t>>> behind_join(
            static_cast<std::size_t>(list.nodes() - list.operations));
        std::function<void(std::int64_t, std::vector<std::int64_t>&)> add = [&](std::int64_t node,
                                                                                std::vector<std::int64_t>& to) {
            if (node < list.operations) return to.push_back(node);
            auto& known = behind_join[static_cast<std::size_t>(node - list.operations)];
            if (!known) {
                std::vector<std::int64_t> all;
                for (const std::int64_t one : list.predecessors(node)) add(one, all);
                std::ranges::sort(all);
                const auto rest = std::ranges::unique(all);
                all.erase(rest.begin(), rest.end());
                known = std::move(all);
            }
            to.insert(to.end(), known->begin(), known->end());
        };
        std::vector<std::vector<std::int64_t>> before(own.size());
        std::map<std::pair<rank_t, rank_t>, std::int64_t> last;
        for (std::int64_t i = 0; i < std::ssize(own); ++i) {
            std::vector<std::int64_t>& mine = before[static_cast<std::size_t>(i)];
            for (const std::int64_t one : list.predecessors(i)) add(one, mine);
            if (list.paced_by[i] >= 0) add(list.paced_by[i], mine);
            const edge& e = own[static_cast<std::size_t>(i)];
            if (e.is_local()) continue;
            if (const auto found = last.find({e.src, e.dst}); found != last.end()) mine.push_back(found->second);
            last[{e.src, e.dst}] = i;
        }
        return before;
    }

    /// An order in which all can be done, the program's where that is one.
    static std::vector<std::int64_t> in_order(const std::vector<std::vector<std::int64_t>>& before) {
        std::vector<std::int64_t> left(before.size()), order;
        std::vector<std::vector<std::int64_t>> after(before.size());
        std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> ready;
        for (std::size_t i = 0; i < before.size(); ++i) {
            left[i] = std::ssize(before[i]);
            for (const std::int64_t one : before[i])
                after[static_cast<std::size_t>(one)].push_back(static_cast<std::int64_t>(i));
            if (left[i] == 0) ready.push(static_cast<std::int64_t>(i));
        }
        while (!ready.empty()) {
            order.push_back(ready.top());
            ready.pop();
            for (const std::int64_t next : after[static_cast<std::size_t>(order.back())])
                if (--left[static_cast<std::size_t>(next)] == 0) ready.push(next);
        }
        return order;
    }

    error error_;
    gpu_chunks chunks_;
    std::vector<gpu> gpus_;
};

}  // namespace collsched::inline v0_1
