#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "collsched/core/owned_array.hpp"
#include "collsched/schedule/concepts.hpp"
#include "collsched/schedule/contract.hpp"
#include "collsched/schedule/detail/access_history.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Predecessors of each operation of one rank. Nodes 0 .. operations-1 are the edges of the rank's program; the others
/// are joins, which perform no operation and represent all nodes before them.
struct dependency_list {
    std::int64_t operations = 0;
    owned_array<std::int64_t> first;  ///< node i waits for before[first[i] .. first[i+1]-1]
    owned_array<std::int64_t> before;
    owned_array<std::int64_t> paced_by;  ///< for each operation the join that pacing makes it wait for, or -1

    std::int64_t nodes() const { return first.size() - 1; }
    std::span<const std::int64_t> predecessors(std::int64_t node) const {
        return {before.begin() + first[node], before.begin() + first[node + 1]};
    }
};

/// Builds the dependency list of one rank, step by step.
class dependency_builder {
  public:
    dependency_builder(std::span<const edge> program, rank_t rank, const buffer_alias& alias, pacing paced)
        : program_(program),
          rank_(rank),
          alias_(alias),
          window_(paced.window),
          next_join_(std::ssize(program)),
          read_(program.size()),
          written_(program.size()),
          seen_by_(program.size(), -1),
          paced_by_(std::ssize(program)) {
        pairs_.reserve(2 * program.size());
    }

    dependency_list build() {
        for (std::int64_t i = 0; i < std::ssize(program_); ++i) {
            if (reads(i)) history(from(i)).announce({from(i).offset, at(i).size});
            if (writes(i)) history(into(i)).announce({into(i).offset, at(i).size});
        }
        for (access_history& history : histories_) history.lay_out();
        for (std::int64_t i = 0; i < std::ssize(program_); ++i) {
            if (reads(i)) read_[static_cast<std::size_t>(i)] = history(from(i)).slots_of({from(i).offset, at(i).size});
            if (writes(i))
                written_[static_cast<std::size_t>(i)] = history(into(i)).slots_of({into(i).offset, at(i).size});
        }
        for (std::size_t first = 0, last = 0; first < program_.size(); first = last) {
            while (last < program_.size() && program_[last].step == program_[first].step) ++last;
            const auto begin = static_cast<std::int64_t>(first), end = static_cast<std::int64_t>(last);
            order_by_pacing(begin, end);
            order_by_signals(begin, end);
            order_by_data(begin, end);
        }
        return collect();
    }

  private:
    struct pair {
        std::int64_t node, before;
    };

    const edge& at(std::int64_t i) const { return program_[static_cast<std::size_t>(i)]; }
    bool leaves(std::int64_t i) const { return at(i).src == rank_; }
    bool enters(std::int64_t i) const { return at(i).dst == rank_ && !at(i).is_local(); }
    bool reads(std::int64_t i) const { return leaves(i) && at(i).size > 0; }
    bool writes(std::int64_t i) const { return at(i).dst == rank_ && at(i).size > 0; }

    access_history& history(const location& where) { return histories_[static_cast<int>(where.where)]; }
    location from(std::int64_t i) const { return locate(alias_, at(i).from, at(i).from_offset); }
    location into(std::int64_t i) const { return locate(alias_, at(i).into, at(i).into_offset); }

    void wait(std::int64_t node, std::int64_t before) {
        if (before == node) return;
        if (before < std::ssize(program_)) {
            std::int64_t& last_node = seen_by_[static_cast<std::size_t>(before)];
            if (last_node == node) return;
            last_node = node;
        }
        pairs_.push_back({node, before});
    }

    /// Returns a join of all nodes in `list` and of an earlier join, and clears the list; the earlier join if the list
    /// is empty.
    std::int64_t join(std::vector<std::int64_t>& list, std::int64_t earlier) {
        if (list.empty()) return earlier;
        const std::int64_t node = next_join_++;
        if (earlier >= 0) pairs_.push_back({node, earlier});
        for (const std::int64_t i : list) pairs_.push_back({node, i});
        list.clear();
        return node;
    }

    /// Window w: the edges of step k wait for all edges of steps <= k-w.
    void order_by_pacing(std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) paced_by_[i] = -1;
        if (window_ == 0) return;
        for (; overtaken_ < begin && at(overtaken_).step <= at(begin).step - window_; ++overtaken_)
            passed_.push_back(overtaken_);
        pace_ = join(passed_, pace_);
        if (pace_ < 0) return;
        for (std::int64_t i = begin; i < end; ++i) {
            paced_by_[i] = pace_;
            pairs_.push_back({i, pace_});
        }
    }

    /// A signal waits for all edges received before. An edge that leaves waits for the signals received before.
    void order_by_signals(std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            if (!leaves(i)) continue;
            signaled_ = join(signals_, signaled_);
            if (signaled_ >= 0) pairs_.push_back({i, signaled_});
            if (!at(i).is_signal()) continue;
            arrived_ = join(entered_, arrived_);
            if (arrived_ >= 0) pairs_.push_back({i, arrived_});
        }
        for (std::int64_t i = begin; i < end; ++i) {
            if (!enters(i)) continue;
            entered_.push_back(i);
            if (at(i).is_signal()) signals_.push_back(i);
        }
    }

    /// Overlapping bytes, from earlier steps to this one; within the step, combines follow the reads and each other.
    void order_by_data(std::int64_t begin, std::int64_t end) {
        const auto before = [this](std::int64_t i) { return [this, i](std::int64_t earlier) { wait(i, earlier); }; };
        const auto read = [this](std::int64_t i) { return read_[static_cast<std::size_t>(i)]; };
        const auto written = [this](std::int64_t i) { return written_[static_cast<std::size_t>(i)]; };
        for (std::int64_t i = begin; i < end; ++i) {
            history(from(i)).writers(read(i), before(i));
            if (at(i).combines()) continue;
            history(into(i)).writers(written(i), before(i));
            history(into(i)).readers(written(i), before(i));
        }
        for (std::int64_t i = begin; i < end; ++i) history(from(i)).read(read(i), i);
        for (std::int64_t i = begin; i < end; ++i) {
            if (at(i).combines()) {
                history(into(i)).writers(written(i), before(i));
                history(into(i)).readers(written(i), before(i));
            }
            history(into(i)).write(written(i), i);
        }
    }

    dependency_list collect() {
        dependency_list list{.operations = std::ssize(program_),
                             .first = owned_array<std::int64_t>(next_join_ + 1),
                             .before = owned_array<std::int64_t>(std::ssize(pairs_)),
                             .paced_by = std::move(paced_by_)};
        for (const pair& p : pairs_) ++list.first[p.node + 1];
        for (std::int64_t i = 0; i < next_join_; ++i) list.first[i + 1] += list.first[i];
        owned_array<std::int64_t> next = list.first;
        for (const pair& p : pairs_) list.before[next[p.node]++] = p.before;
        return list;
    }

    std::span<const edge> program_;
    rank_t rank_;
    buffer_alias alias_;
    step_t window_;
    access_history histories_[3];
    std::int64_t next_join_;
    std::vector<access_history::slots> read_, written_;  // of each operation; none where it reads or writes nothing
    std::vector<pair> pairs_;
    std::vector<std::int64_t> seen_by_;  // the last node that an operation was put before
    owned_array<std::int64_t> paced_by_;
    std::vector<std::int64_t> passed_, entered_, signals_;   // not yet in a join
    std::int64_t pace_ = -1, arrived_ = -1, signaled_ = -1;  // the joins so far
    std::int64_t overtaken_ = 0;
};

/// Returns the required order of a rank's program: data (read after write, write after read, write after write on
/// overlapping bytes, after aliasing), signals, and pacing.
///
/// @pre `program` is in canonical order, without copies that vanish
/// Complexity: O(n log n + pairs of edges whose ranges overlap) for n edges.
inline dependency_list dependencies(std::span<const edge> program, rank_t rank, const buffer_alias& alias,
                                    pacing paced) {
    return dependency_builder(program, rank, alias, paced).build();
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
