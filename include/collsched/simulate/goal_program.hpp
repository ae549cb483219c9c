#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collsched/core/checked.hpp"
#include "collsched/core/detail/bit_rows.hpp"
#include "collsched/simulate/execution_graph.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// A schedule as a GOAL program (Group Operation Assembly Language). Every message is a send and a receive, whose tag
/// is its number among those of the pair. A copy or a combination is a calculation with a duration in nanoseconds.
/// Dependencies are those of the executor, without dependencies that others imply. A signal is one byte long in GOAL.
///
/// The operations of a rank are in program order. Construction takes n^2 / 32 words of memory for a rank with n
/// operations and joins, and O(n) words of time per dependency.
class goal_program {
  public:
    /// Operation of GOAL: `send`, `recv` or `calc`, a calculation.
    enum class kind : std::uint8_t { send, receive, calc };

    /// The cost of local work in a GOAL program, whose times are rounded to nanoseconds.
    struct local_work {
        std::int64_t copy_fs = 0;     ///< femtoseconds per byte of a copy
        std::int64_t combine_fs = 0;  ///< femtoseconds per byte of a combination
    };

    /// An operation of the program.
    struct operation {
        goal_program::kind kind = goal_program::kind::calc;  ///< kind of the operation
        rank_t rank = 0;                                     ///< rank that performs it
        std::int64_t amount = 0;                             ///< bytes of a message; nanoseconds of a calculation
        rank_t peer = -1;                                    ///< of a message: the rank at the other end
        std::int64_t tag = 0;     ///< of a message: its number among those of this pair and direction
        std::int64_t match = -1;  ///< of a message: the operation at the other end
    };

    /// Constructs a program. A graph with an error gives a program without operations whose check() returns that error.
    /// @param graph  graph of a schedule; local work takes no time
    explicit goal_program(const execution_graph& graph) : goal_program(graph, local_work{}) {}
    /// As above, with costs of local work. Failure: negative costs throw bad_argument; without exceptions check()
    /// reports them.
    /// @param graph  graph of a schedule
    /// @param work   femtoseconds per byte, 0 or more
    goal_program(const execution_graph& graph, const local_work& work) : error_(graph.check()) {
        if (!error_ && work.copy_fs < 0) error_ = refuse_if({"copy", work.copy_fs, "0 fs per byte or more"});
        if (!error_ && work.combine_fs < 0) error_ = refuse_if({"combine", work.combine_fs, "0 fs per byte or more"});
        std::vector<std::int64_t> place(graph.nodes().size(), -1);  // operation of each vertex
        for (rank_t r = 0; r < graph.ranks() && !error_; ++r) add_rank(graph, r, work, place);
        for (operation& current : operations_)
            if (current.match >= 0) current.match = place[static_cast<std::size_t>(current.match)];
        first_of_rank_.push_back(std::ssize(operations_));
        first_required_.push_back(std::ssize(required_));
        if (error_) operations_.clear();
    }

    argument_error check() const { return error_; }
    /// Returns the number of ranks.
    rank_t ranks() const { return std::ssize(first_of_rank_) - 1; }
    /// Returns all operations, rank by rank.
    /// @return operations, valid as long as the program
    std::span<const operation> operations() const { return operations_; }
    /// Returns operation i.
    /// @param i  index, 0 .. operations().size()-1
    const operation& operator[](std::int64_t i) const { return operations_[static_cast<std::size_t>(i)]; }
    /// Returns the first operation of rank r. The operations of rank r are first(r) .. first(r+1)-1.
    /// @param r  rank, 0 .. ranks()
    std::int64_t first(rank_t r) const { return first_of_rank_[static_cast<std::size_t>(r)]; }
    /// Returns the operations that must complete before operation i starts: operations of the same rank, ascending.
    /// @param i  index, 0 .. operations().size()-1
    std::span<const std::int64_t> required(std::int64_t i) const {
        const auto at = static_cast<std::size_t>(i);
        return std::span(required_).subspan(static_cast<std::size_t>(first_required_[at]),
                                            static_cast<std::size_t>(first_required_[at + 1] - first_required_[at]));
    }

  private:
    using kind_of_node = execution_graph::kind;

    void add_rank(const execution_graph& graph, rank_t rank, const local_work& work, std::vector<std::int64_t>& place) {
        const std::int64_t first = graph.first(rank), nodes = graph.first(rank + 1) - first;
        const std::span<std::int64_t> numbers =
            std::span(place).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(nodes));
        const std::int64_t base = std::ssize(operations_);
        std::int64_t end = base;
        for (std::int64_t i = 0; i < nodes; ++i)
            if (graph[first + i].kind != kind_of_node::join) numbers[static_cast<std::size_t>(i)] = end++;
        const detail::bit_rows before = direct_predecessors(graph, rank, numbers, base, end - base);
        first_of_rank_.push_back(base);
        for (std::int64_t i = 0; i < nodes; ++i) {
            if (numbers[static_cast<std::size_t>(i)] < 0) continue;
            first_required_.push_back(std::ssize(required_));
            before.visit(i, [&](std::int64_t number) { required_.push_back(base + number); });
            operations_.push_back(operation_of(graph, graph[first + i], work));
        }
    }

    operation operation_of(const execution_graph& graph, const execution_graph::node& n, const local_work& work) {
        const bool sends = n.kind == kind_of_node::send;
        if (sends || n.kind == kind_of_node::receive)
            return {.kind = sends ? kind::send : kind::receive,
                    .rank = n.rank,
                    .amount = std::max<bytes_t>(1, n.bytes),
                    .peer = graph[n.peer].rank,
                    .tag = n.sequence,
                    .match = n.peer};  // a vertex, until the operations of all ranks are known
        const std::int64_t fs = n.kind == kind_of_node::copy ? work.copy_fs : work.combine_fs;
        const checked duration = checked(n.bytes) * fs + 500'000;
        if (!duration.ok()) error_ = refuse_if({"calc", n.bytes, "work of less than 2^63 fs"});
        return {.rank = n.rank, .amount = duration.ok() ? duration.value() / 1'000'000 : 0};
    }

    /// Returns the operations that each vertex of a rank waits for directly or through joins, found in topological order.
    static detail::bit_rows direct_predecessors(const execution_graph& graph, rank_t rank,
                                                std::span<const std::int64_t> place, std::int64_t base,
                                                std::int64_t count) {
        const std::int64_t first = graph.first(rank);
        detail::bit_rows direct(std::ssize(place), count), behind(std::ssize(place), count);  // behind: transitive ones
        std::vector<std::int64_t> waits, ready;
        for (std::size_t i = 0; i < place.size(); ++i) {
            waits.push_back(graph[first + static_cast<std::int64_t>(i)].waits_for);
            if (waits.back() == 0) ready.push_back(static_cast<std::int64_t>(i));
        }
        while (!ready.empty()) {
            const std::int64_t i = ready.back();
            ready.pop_back();
            direct.remove_row(i, behind, i);
            for (const std::int64_t next : graph.successors(first + i)) {
                const std::int64_t number = place[static_cast<std::size_t>(i)];
                if (number >= 0) direct.add(next - first, number - base);
                (number >= 0 ? behind : direct).add_row(next - first, direct, i);
                behind.add_row(next - first, behind, i);
                if (--waits[static_cast<std::size_t>(next - first)] == 0) ready.push_back(next - first);
            }
        }
        return direct;
    }

    argument_error error_;
    std::vector<operation> operations_;
    std::vector<std::int64_t> first_of_rank_, first_required_, required_;
};

}}  // namespace collsched::COLLSCHED_ABI
