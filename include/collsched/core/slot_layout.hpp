#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

#include "collsched/core/block_layout.hpp"
#include "collsched/core/neighborhood.hpp"
#include "collsched/core/detail/shared.hpp"
#include "collsched/core/detail/slot_table.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// How many bytes leave by each slot of a neighborhood, and where they lie in the sender's input and the receiver's
/// output.
///
/// Regular, in O(1) memory: `block` bytes in every slot, packed in slot order; empty slots have their place. Irregular,
/// O(ranks + slots), and only for the neighborhood that it was made with: counts, and displacements or packed in slot
/// order; there an empty in-slot has as much room as the out-slot of its number, none if there is no such slot. Made as
/// slot_layout::gathered or slot_layout::exchanged. A copy costs O(1), as every answer does. Wrong arguments are told by check();
/// nothing else may be asked then.
class slot_layout {
  public:
    class gathered;
    class exchanged;

    constexpr slot_layout() = default;

    /// Every rank has one block for all its targets, not one for each.
    constexpr bool is_gathered() const { return gathered_; }
    constexpr bool irregular() const { return static_cast<bool>(table_); }
    /// In slot order on both sides, as far as the layout was told.
    constexpr bool packed() const { return !irregular() || table_->packed; }

    /// The bytes that leave by out-slot i of rank r, in its input.
    constexpr byte_range sent(const neighborhood& n, rank_t r, rank_t i) const {
        if (!irregular()) return {gathered_ ? 0 : i * block_, block_};
        const std::int64_t slot = n.out_slot(r, i);
        return {table_->send_displs[slot], table_->counts[slot]};
    }
    /// Where they are put that come in by in-slot j of rank r, which is not empty, in its output.
    constexpr byte_range received(const neighborhood& n, rank_t r, rank_t j) const {
        if (!irregular()) return {j * block_, block_};
        return {table_->recv_displs[n.in_slot(r, j)], table_->counts[n.out_slot(n.source(r, j), n.departure(r, j))]};
    }
    /// Where in-slot j has its place, empty or not.
    constexpr bytes_t recv_displ(const neighborhood& n, rank_t r, rank_t j) const {
        return irregular() ? table_->recv_displs[n.in_slot(r, j)] : j * block_;
    }
    /// The size of rank r's input, and of its output.
    constexpr bytes_t input_bytes(const neighborhood& n, rank_t r) const {
        if (irregular()) return table_->input[r];
        return gathered_ ? block_ : n.out_degree(r) * block_;
    }
    constexpr bytes_t output_bytes(const neighborhood& n, rank_t r) const {
        return irregular() ? table_->output[r] : n.in_degree(r) * block_;
    }

    /// The first thing wrong, for use with these neighbors, which are right. O(1), if they are a copy of those that it
    /// was made with.
    constexpr argument_error check(const neighborhood& n, rank_t ranks) const {
        if (irregular()) {
            if (table_->error) return table_->error;
            if (table_->input.size() != ranks)
                return {"counts", table_->input.size(), "counts for as many ranks as there are"};
            if (!(table_->neighbors == n)) return {"counts", table_->counts.size(), "counts for these neighbors"};
        } else {
            if (block_ < 0) return {"block", block_, "0 bytes or more"};
            if (!(checked(block_) * n.largest_degree()).ok())
                return {"block", block_, "degree * block below 2^63 bytes"};
        }
        return {};
    }

    /// f(number) for the numbers that tell this layout from others of the same neighborhood.
    constexpr void describe(auto f) const {
        f(std::int64_t{gathered_}), f(std::int64_t{irregular()});
        if (!irregular()) return f(block_);
        for (const auto* list : {&table_->counts, &table_->input, &table_->send_displs, &table_->recv_displs})
            for (const bytes_t bytes : *list) f(bytes);
    }
    bool operator==(const slot_layout&) const = default;

  protected:
    template <std::integral Integer>
    constexpr slot_layout(Integer block, bool is_gathered)
        : block_(static_cast<bytes_t>(block)), gathered_(is_gathered) {
        if (block_ < 0 && block > 0)
            table_ = detail::shared(detail::slot_table(
                argument_error{"block", std::numeric_limits<bytes_t>::max(), "less than 2^63 bytes"}));
    }
    constexpr slot_layout(detail::slot_table table, bool is_gathered)
        : table_(static_cast<detail::slot_table&&>(table)), gathered_(is_gathered) {}
    /// Of so many packed blocks of a layout.
    constexpr slot_layout(const neighborhood& n, const block_layout& blocks, std::int64_t count, bool is_gathered)
        : gathered_(is_gathered) {
        argument_error error = blocks.check(count);
        // What equal blocks sum to, the degrees tell.
        if (blocks.uniform() && blocks.count(0) >= 0 && detail::same_text(error.argument, "block")) error = {};
        if (!is_gathered && error.index < 0 && detail::same_text(error.argument, "counts"))
            error.accepted = "as many counts as out-slots";
        if (!error && !blocks.uniform() && n.ranks() == 0 && count > std::int64_t{1} << 24)
            error = {"counts", count, "2^24 or less, as they are stored"};
        if (!error && !blocks.uniform() && is_gathered && n.ranks() > 0 && n.ranks() != count)
            error = {"counts", count, "as many counts as ranks"};
        owned_array<bytes_t> counts(error || blocks.uniform() ? 0 : count);
        for (std::int64_t i = 0; i < counts.size() && !error; ++i) {
            counts[i] = blocks.count(i);
            if (blocks.displ(i) != blocks.prefix(i) && counts[i] > 0)
                error = {"displs", blocks.displ(i), "packed blocks: slots have places of their own", i};
        }
        if (error) table_ = detail::shared(detail::slot_table(error));
        else if (blocks.uniform()) block_ = blocks.count(0);
        else if (is_gathered) table_ = detail::shared(detail::slot_table::gathered(n, counts, {}, true));
        else table_ = detail::shared(detail::slot_table::exchanged(n, counts, {}, {}, true));
    }

  private:
    bytes_t block_ = 0;
    detail::shared<detail::slot_table> table_;
    bool gathered_ = false;
};

/// Every rank has one block, and all its targets get it: neighbor_allgather.
class slot_layout::gathered : public slot_layout {
  public:
    constexpr gathered() : gathered(0) {}
    /// Every block has `block` bytes.
    template <std::integral Integer>
        requires(!std::same_as<Integer, bool>)
    constexpr gathered(Integer block) : slot_layout(block, true) {}
    /// Rank r's block has counts[r] bytes.
    template <detail::integers Counts>
    constexpr gathered(const neighborhood& n, const Counts& counts)
        : slot_layout(detail::slot_table::gathered(n, detail::as_numbers(counts), {}, true), true) {}
    /// In-slot n of all is put at recv_displs[n] of its rank's output; no two overlap.
    template <detail::integers Counts, detail::integers Displs>
    constexpr gathered(const neighborhood& n, const Counts& counts, const Displs& recv_displs)
        : slot_layout(
              detail::slot_table::gathered(n, detail::as_numbers(counts), detail::as_numbers(recv_displs), false),
              true) {}
    /// Block r of a layout, which is packed.
    constexpr gathered(const neighborhood& n, const block_layout& blocks, rank_t ranks)
        : slot_layout(n, blocks, ranks, true) {}
};

/// Every rank has a block for each of its out-slots: neighbor_alltoall.
class slot_layout::exchanged : public slot_layout {
  public:
    constexpr exchanged() : exchanged(0) {}
    /// Every block has `block` bytes.
    template <std::integral Integer>
        requires(!std::same_as<Integer, bool>)
    constexpr exchanged(Integer block) : slot_layout(block, false) {}
    /// counts[n] bytes leave by out-slot n of all; an empty slot's count is the room that it takes up.
    template <detail::integers Counts>
    constexpr exchanged(const neighborhood& n, const Counts& counts)
        : slot_layout(detail::slot_table::exchanged(n, detail::as_numbers(counts), {}, {}, true), false) {}
    /// They lie at send_displs[n] of the input; what comes in by in-slot n of all is put at recv_displs[n] of the
    /// output. On neither side two overlap.
    template <detail::integers Out, detail::integers In>
    constexpr exchanged(const neighborhood& n, const Out& counts, const Out& send_displs, const In& recv_displs)
        : slot_layout(detail::slot_table::exchanged(n, detail::as_numbers(counts), detail::as_numbers(send_displs),
                                                    detail::as_numbers(recv_displs), false),
                      false) {}
    /// Block n of a layout, which is packed, for out-slot n of all.
    constexpr exchanged(const neighborhood& n, const block_layout& blocks)
        : slot_layout(n, blocks, n.out_slots(), false) {}
};

}}  // namespace collsched::COLLSCHED_ABI
