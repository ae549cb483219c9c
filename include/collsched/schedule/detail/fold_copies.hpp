#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "collsched/schedule/contract.hpp"
#include "collsched/schedule/detail/access_history.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Removes copies from input that a rank does not need. Input never changes, so reads of the copied bytes can read
/// input instead, and received bytes can be combined with input instead.
class copy_folding {
  public:
    copy_folding(std::vector<edge>& program, rank_t rank)
        : program_(program), rank_(rank), operands_(program.size(), -1), sources_(program.size(), -1) {}

    std::vector<bytes_t> fold() {
        bool combines = false;
        for (std::int64_t i = 0; i < count(); ++i) {
            if (is_copied_input(i)) copies_.push_back(i);
            combines = combines || is_incoming_combine(i);
        }
        if (copies_.empty() || !combines) return std::move(operands_);
        needed_.assign(program_.size(), 0);
        find_uses();
        find_output();
        find_unequal_neighbors();
        rewrite();
        return std::move(operands_);
    }

  private:
    std::int64_t count() const { return std::ssize(program_); }
    edge& at(std::int64_t i) const { return program_[static_cast<std::size_t>(i)]; }
    access_history& history(buffer b) { return histories_[static_cast<int>(b)]; }
    bool reads(std::int64_t i) const { return at(i).src == rank_ && at(i).size > 0 && at(i).from != buffer::input; }
    bool writes(std::int64_t i) const { return at(i).dst == rank_ && at(i).size > 0; }
    bool is_copied_input(std::int64_t i) const {
        return writes(i) && at(i).is_local() && !at(i).combines() && at(i).from == buffer::input;
    }
    bool is_incoming_combine(std::int64_t i) const { return writes(i) && at(i).combines() && !at(i).is_local(); }
    bool is_needed(std::int64_t copy) const { return needed_[static_cast<std::size_t>(copy)] != 0; }
    void need(std::int64_t copy) { needed_[static_cast<std::size_t>(copy)] = 1; }

    /// Returns the last writer of each slot of a range; valid until the next call.
    const std::vector<std::int64_t>& writers(buffer where, bytes_t offset, bytes_t size) {
        writers_.clear();
        const access_history::slots slots = history(where).slots_of({offset, size});
        slots_ = static_cast<std::int64_t>(slots.last - slots.first);
        history(where).writers(slots, [this](std::int64_t writer) { writers_.push_back(writer); });
        return writers_;
    }

    /// Visits the steps in order: all reads of a step, then its writes.
    void find_uses() {
        for (std::int64_t i = 0; i < count(); ++i) {
            if (reads(i)) history(at(i).from).announce({at(i).from_offset, at(i).size});
            if (writes(i)) history(at(i).into).announce({at(i).into_offset, at(i).size});
        }
        for (access_history& buffer : histories_) buffer.lay_out();
        for (std::int64_t first = 0, last = 0; first < count(); first = last) {
            while (last < count() && at(last).step == at(first).step) ++last;
            for (std::int64_t i = first; i < last; ++i)
                if (reads(i))
                    sources_[static_cast<std::size_t>(i)] = input_of(at(i).from, at(i).from_offset, at(i).size);
            for (std::int64_t i = first; i < last; ++i) {
                if (!writes(i)) continue;
                if (at(i).combines()) {
                    const bytes_t operand = input_of(at(i).into, at(i).into_offset, at(i).size);
                    if (is_incoming_combine(i)) operands_[static_cast<std::size_t>(i)] = operand;
                    for (const std::int64_t writer : writers_)
                        if (!is_incoming_combine(i)) need(writer);
                        else if (operand >= 0) combines_.push_back(i), replaced_.push_back(writer);
                }
                history(at(i).into).write(history(at(i).into).slots_of({at(i).into_offset, at(i).size}), i);
            }
        }
    }

    /// Returns the offset in input of bytes that equal those of a range. Returns -1 if there are none; the copies among
    /// the bytes are then needed.
    bytes_t input_of(buffer where, bytes_t offset, bytes_t size) {
        const std::vector<std::int64_t>& found = writers(where, offset, size);
        bool equal = std::ssize(found) == slots_;
        for (const std::int64_t writer : found)
            equal = equal && is_copied_input(writer) && distance(writer) == distance(found.front());
        if (equal) return offset + distance(found.front());
        for (const std::int64_t writer : found) need(writer);
        return -1;
    }
    bytes_t distance(std::int64_t copy) const { return at(copy).from_offset - at(copy).into_offset; }

    /// Copies of which a byte stays in output are needed.
    void find_output() {
        for (const std::int64_t i : copies_)
            if (at(i).into == buffer::output)
                for (const std::int64_t writer : writers(at(i).into, at(i).into_offset, at(i).size))
                    if (writer == i) need(i);
    }

    /// A combination replaces either all copies that it combines with or none.
    void find_unequal_neighbors() {
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t k = 0; k < replaced_.size(); ++k)
                if (is_needed(replaced_[k])) operands_[static_cast<std::size_t>(combines_[k])] = -1;
            for (std::size_t k = 0; k < replaced_.size(); ++k) {
                if (operands_[static_cast<std::size_t>(combines_[k])] >= 0 || is_needed(replaced_[k])) continue;
                need(replaced_[k]);
                changed = true;
            }
        }
    }

    void rewrite() {
        bool removes = false;
        for (const std::int64_t i : copies_) removes = removes || !is_needed(i);
        if (!removes) return;
        std::size_t kept = 0;
        for (std::int64_t i = 0; i < count(); ++i) {
            const auto from = static_cast<std::size_t>(i);
            if (is_copied_input(i) && !is_needed(i)) continue;
            edge e = at(i);
            if (sources_[from] >= 0) {
                e.from = buffer::input;
                e.from_offset = sources_[from];
            }
            operands_[kept] = operands_[from];
            program_[kept++] = e;
        }
        program_.resize(kept);
        operands_.resize(kept);
    }

    std::vector<edge>& program_;
    rank_t rank_;
    access_history histories_[3];
    std::vector<std::int64_t> copies_;
    // Each combination, with each copy that it combines with.
    std::vector<std::int64_t> combines_, replaced_;
    std::vector<std::int64_t> writers_;        // the last result of writers()
    std::int64_t slots_ = 0;                   // number of slots of that range
    std::vector<bytes_t> operands_, sources_;  // offsets in input, or -1
    std::vector<std::int64_t> needed_;         // by edge: 1 for a copy that stays
};

/// Removes from a rank's program the copies from input that the rank does not need.
/// @pre no copy of the program vanishes
///
/// Returns for each remaining edge that combines received bytes with copied ones the offset of these in input, and -1
/// for all others. Such bytes are received at the target and combined there with input, without staging or copy.
/// Nothing is removed if a buffer is inside another one, or from a rank that combines no received bytes.
/// Complexity: O(n log n + pairs of edges whose ranges overlap) for n edges.
inline std::vector<bytes_t> fold_copies(std::vector<edge>& program, rank_t rank, const buffer_alias& alias) {
    if (alias.any()) return std::vector<bytes_t>(program.size(), -1);
    return copy_folding(program, rank).fold();
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
