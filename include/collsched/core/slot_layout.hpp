#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "collsched/core/block_layout.hpp"
#include "collsched/core/detail/shared.hpp"
#include "collsched/core/neighborhood.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Counts and displacements of the slots of a neighborhood: the irregular half of a slot_layout. O(ranks + slots)
/// memory, O(slots log degree) to make.
struct slot_table {
    using numbers = std::span<const bytes_t>;

    neighborhood neighbors;
    owned_array<bytes_t> counts;         ///< [out-slot]
    owned_array<bytes_t> send_displs;    ///< [out-slot]: in the input of its rank
    owned_array<bytes_t> recv_displs;    ///< [in-slot]: in the output of its rank
    owned_array<bytes_t> input, output;  ///< [rank]: sizes of the smallest buffers that contain all slots
    bool packed = true;
    argument_error error;  ///< with an error, no other member is valid

    constexpr explicit slot_table(const argument_error& e) : error(e) {}

    /// Returns the table of one block per rank, for all its targets. In-slots have displacements or are packed.
    static constexpr slot_table gathered(const neighborhood& n, numbers of_ranks, numbers received, bool is_packed) {
        slot_table table(n, received, is_packed);
        if (!table.error && n.ranks() > 0 && n.ranks() != std::ssize(of_ranks))
            table.error = {"counts", std::ssize(of_ranks), "as many counts as ranks"};
        if (!table.error) table.gather(owned_array<bytes_t>(of_ranks), received);
        return table;
    }
    /// Returns the table of one block per out-slot. Slots have displacements on both sides or are packed.
    static constexpr slot_table exchanged(const neighborhood& n, numbers of_slots, numbers sent, numbers received,
                                          bool is_packed) {
        slot_table table(n, received, is_packed);
        if (!table.error && n.out_slots() != std::ssize(of_slots))
            table.error = {"counts", std::ssize(of_slots), "as many counts as out-slots"};
        if (!table.error && !is_packed && n.out_slots() != std::ssize(sent))
            table.error = {"send_displs", std::ssize(sent), "as many displacements as out-slots"};
        if (!table.error) table.exchange(owned_array<bytes_t>(of_slots), sent, received);
        return table;
    }

    constexpr bool operator==(const slot_table& other) const {
        return error == other.error && neighbors == other.neighbors && counts == other.counts && input == other.input &&
               send_displs == other.send_displs && recv_displs == other.recv_displs;
    }

  private:
    constexpr slot_table(const neighborhood& n, numbers received, bool is_packed) : packed(is_packed) {
        error = n.check(n.ranks());
        if (error) return;
        neighbors = n;
        if (!packed && n.in_slots() != std::ssize(received))
            error = {"recv_displs", std::ssize(received), "as many displacements as in-slots"};
        send_displs = counts = owned_array<bytes_t>(n.out_slots());
        recv_displs = owned_array<bytes_t>(n.in_slots());
    }

    constexpr void gather(const owned_array<bytes_t>& of_ranks, numbers received) {
        input = of_ranks;
        output = owned_array<bytes_t>(of_ranks.size());
        for (rank_t r = 0; r < of_ranks.size() && !error; ++r) {
            if (of_ranks[r] < 0) error = {"counts", of_ranks[r], "0 bytes or more", r};
            else if (!(checked(of_ranks[r]) * neighbors.out_degree(r)).ok())
                error = {"counts", of_ranks[r], "count * degree below 2^63 bytes", r};
            for (rank_t i = 0; i < neighbors.out_degree(r); ++i) counts[neighbors.out_slot(r, i)] = of_ranks[r];
        }
        for (rank_t r = 0; r < neighbors.ranks() && !error; ++r) place_received(r, received);
    }

    constexpr void exchange(const owned_array<bytes_t>& of_slots, numbers sent, numbers received) {
        counts = of_slots;
        input = output = owned_array<bytes_t>(neighbors.ranks());
        for (rank_t r = 0; r < neighbors.ranks() && !error; ++r) {
            owned_array<bytes_t> line(neighbors.out_degree(r));
            for (rank_t i = 0; i < line.size(); ++i) line[i] = counts[neighbors.out_slot(r, i)];
            input[r] = place({"send_displs", neighbors.out_slot(r, 0), true}, line, sent, send_displs);
        }
        for (rank_t r = 0; r < neighbors.ranks() && !error; ++r) place_received(r, received);
    }

    /// Lays out the in-slots of rank r. Without displacements an empty in-slot has the size of the out-slot with its
    /// number.
    constexpr void place_received(rank_t r, numbers received) {
        owned_array<bytes_t> line(neighbors.in_degree(r));
        for (rank_t j = 0; j < line.size(); ++j) {
            if (const rank_t src = neighbors.source(r, j); src >= 0)
                line[j] = counts[neighbors.out_slot(src, neighbors.departure(r, j))];
            else if (packed && j < neighbors.out_degree(r)) line[j] = counts[neighbors.out_slot(r, j)];
        }
        output[r] = place({"recv_displs", neighbors.in_slot(r, 0), false}, line, received, recv_displs);
    }

    /// Slots of one direction of one rank: the position of the first one in all lists, and the argument name of their
    /// displacements.
    struct side {
        const char* displs;
        std::int64_t first;
        bool in_order;  ///< of the counts
    };
    /// Lays out the slots of a rank at `places` and returns their extent in bytes.
    constexpr bytes_t place(const side& slots, const owned_array<bytes_t>& line, numbers places,
                            owned_array<bytes_t>& displs) {
        if (line.empty()) return 0;
        const auto first = static_cast<std::size_t>(slots.first), size = static_cast<std::size_t>(line.size());
        if (packed) return keep(slots, block_table(line), displs);
        return keep(slots, block_table(line, places.subspan(first, size)), displs);
    }
    constexpr bytes_t keep(const side& slots, const block_table& blocks, owned_array<bytes_t>& displs) {
        if (blocks.error) {
            error = blocks.error;
            const bool of_counts = detail::same_text(error.argument, "counts");
            if (!of_counts) error.argument = slots.displs;
            error.index = of_counts && !slots.in_order ? -1 : error.index + slots.first;
            return 0;
        }
        for (std::int64_t i = 0; i < blocks.displs.size(); ++i) displs[slots.first + i] = blocks.displs[i];
        return blocks.extent;
    }
};

}  // namespace detail

/// Maps each slot of a neighborhood to its bytes and to their displacements in the sender's input and the receiver's
/// output. Constructed as slot_layout::gathered or slot_layout::exchanged.
///
/// Regular layouts take O(1) memory: `block` bytes per slot, packed in slot order, empty slots included. Irregular ones
/// take O(ranks + slots) and are valid only for the neighborhood that they were constructed with: counts, with
/// displacements or packed in slot order. In a packed one an empty in-slot has the size of the out-slot with its
/// number, or 0. A copy and every method cost O(1). check() reports wrong arguments; then no other method may be
/// called.
class slot_layout {
  public:
    class gathered;
    class exchanged;

    /// Layout of empty slots, for any neighborhood.
    constexpr slot_layout() = default;

    /// Returns whether every rank sends one block to all targets, in place of one block per target.
    constexpr bool is_gathered() const { return gathered_; }
    /// Returns whether the layout stores counts and displacements.
    constexpr bool irregular() const { return static_cast<bool>(table_); }
    /// Returns whether slots are in slot order in inputs and outputs: the layout has no explicit displacements.
    constexpr bool packed() const { return !irregular() || table_->packed; }

    /// Returns the byte range of out-slot i in the input of rank r.
    /// @param n  neighborhood of the layout
    /// @param r  rank, 0 .. p-1
    /// @param i  out-slot, 0 .. n.out_degree(r) - 1
    /// @return range of the input, in bytes
    constexpr byte_range sent(const neighborhood& n, rank_t r, rank_t i) const {
        if (!irregular()) return {gathered_ ? 0 : i * block_, block_};
        const std::int64_t slot = n.out_slot(r, i);
        return {table_->send_displs[slot], table_->counts[slot]};
    }
    /// Returns the byte range of in-slot j in the output of rank r.
    /// @pre the slot is not empty
    /// @param n  neighborhood of the layout
    /// @param r  rank, 0 .. p-1
    /// @param j  in-slot, 0 .. n.in_degree(r) - 1
    /// @return range of the output, in bytes
    constexpr byte_range received(const neighborhood& n, rank_t r, rank_t j) const {
        if (!irregular()) return {j * block_, block_};
        return {table_->recv_displs[n.in_slot(r, j)], table_->counts[n.out_slot(n.source(r, j), n.departure(r, j))]};
    }
    /// Returns the displacement of in-slot j in the output of rank r, empty or not.
    /// @param n  neighborhood of the layout
    /// @param r  rank, 0 .. p-1
    /// @param j  in-slot, 0 .. n.in_degree(r) - 1
    /// @return bytes, 0 or more
    constexpr bytes_t recv_displ(const neighborhood& n, rank_t r, rank_t j) const {
        return irregular() ? table_->recv_displs[n.in_slot(r, j)] : j * block_;
    }
    /// Returns the bytes of the input of rank r.
    /// @param n  neighborhood of the layout
    /// @param r  rank, 0 .. p-1
    /// @return bytes, 0 or more
    constexpr bytes_t input_bytes(const neighborhood& n, rank_t r) const {
        if (irregular()) return table_->input[r];
        return gathered_ ? block_ : n.out_degree(r) * block_;
    }
    /// Returns the bytes of the output of rank r.
    /// @param n  neighborhood of the layout
    /// @param r  rank, 0 .. p-1
    /// @return bytes, 0 or more
    constexpr bytes_t output_bytes(const neighborhood& n, rank_t r) const {
        return irregular() ? table_->output[r] : n.in_degree(r) * block_;
    }

    /// Returns the first error for use with neighborhood `n` of `ranks` ranks, or no error. O(1) if n is a copy of the
    /// neighborhood at construction.
    /// @pre n.check(ranks) reports no error
    /// @param n      neighborhood
    /// @param ranks  number of ranks, 1 or more
    /// @return the first wrong argument of construction, or a neighborhood or a size that does not fit
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

    /// Calls f(number) for the numbers that distinguish this layout from others of the same neighborhood. Used for
    /// fingerprints.
    /// @param f  callable, f(std::int64_t)
    constexpr void describe(auto f) const {
        f(std::int64_t{gathered_}), f(std::int64_t{irregular()});
        if (!irregular()) return f(block_);
        for (const auto* list : {&table_->counts, &table_->input, &table_->send_displs, &table_->recv_displs})
            for (const bytes_t bytes : *list) f(bytes);
    }
    /// Compares sizes, displacements and neighborhoods. Regular and irregular layouts are never equal.
    /// @return whether both map every slot to the same bytes and are stored alike
    bool operator==(const slot_layout&) const = default;

  protected:
    /// Regular layout.
    /// @param block        bytes per slot, 0 or more
    /// @param is_gathered  whether all targets of a rank receive one block
    template <std::integral Integer>
    constexpr slot_layout(Integer block, bool is_gathered)
        : block_(static_cast<bytes_t>(block)), gathered_(is_gathered) {
        if (!std::is_signed_v<Integer> && block_ < 0)
            table_ = detail::shared(detail::slot_table(
                argument_error{"block", std::numeric_limits<bytes_t>::max(), "less than 2^63 bytes"}));
    }
    /// Irregular layout.
    /// @param table        counts and displacements
    /// @param is_gathered  whether all targets of a rank receive one block
    constexpr slot_layout(detail::slot_table table, bool is_gathered)
        : table_(static_cast<detail::slot_table&&>(table)), gathered_(is_gathered) {}
    /// Layout of `count` packed blocks of a block_layout.
    /// @param n            neighborhood
    /// @param blocks       sizes of the blocks; must be packed
    /// @param count        number of blocks
    /// @param is_gathered  whether block i is that of rank i, in place of that of out-slot i
    constexpr slot_layout(const neighborhood& n, const block_layout& blocks, std::int64_t count, bool is_gathered)
        : gathered_(is_gathered) {
        argument_error error = blocks.check(count);
        // The sum of equal blocks follows from the degrees.
        if (blocks.uniform() && blocks.count(0) >= 0 && detail::same_text(error.argument, "block")) error = {};
        if (!is_gathered && error.index < 0 && detail::same_text(error.argument, "counts"))
            error.expected = "as many counts as out-slots";
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

/// Slots of a neighbor_allgather: every rank sends its one block to all targets.
class slot_layout::gathered : public slot_layout {
  public:
    /// Layout of empty blocks.
    constexpr gathered() : gathered(0) {}
    /// Layout of `block` bytes per rank.
    /// @param block  bytes, 0 or more
    template <std::integral Integer>
        requires(!std::same_as<Integer, bool>)
    constexpr gathered(Integer block) : slot_layout(block, true) {}
    /// Layout in which the block of rank r has counts[r] bytes, packed in outputs.
    /// @param n       neighborhood
    /// @param counts  bytes of each rank, 0 or more
    template <detail::integers Counts>
    constexpr gathered(const neighborhood& n, const Counts& counts)
        : slot_layout(detail::slot_table::gathered(n, detail::as_numbers(counts), {}, true), true) {}
    /// As above, with in-slot n of all ranks at recv_displs[n] in the output of its rank. Slots must not overlap.
    /// @param n            neighborhood
    /// @param counts       bytes of each rank, 0 or more
    /// @param recv_displs  bytes, one per in-slot of all ranks, 0 or more
    template <detail::integers Counts, detail::integers Displs>
    constexpr gathered(const neighborhood& n, const Counts& counts, const Displs& recv_displs)
        : slot_layout(
              detail::slot_table::gathered(n, detail::as_numbers(counts), detail::as_numbers(recv_displs), false),
              true) {}
    /// Layout of the packed blocks of `blocks`, one per rank.
    /// @param n       neighborhood
    /// @param blocks  sizes of the blocks; must be packed
    /// @param ranks   number of ranks
    constexpr gathered(const neighborhood& n, const block_layout& blocks, rank_t ranks)
        : slot_layout(n, blocks, ranks, true) {}
};

/// Slots of a neighbor_alltoall: every rank sends one block per out-slot.
class slot_layout::exchanged : public slot_layout {
  public:
    /// Layout of empty slots.
    constexpr exchanged() : exchanged(0) {}
    /// Layout of `block` bytes per slot.
    /// @param block  bytes, 0 or more
    template <std::integral Integer>
        requires(!std::same_as<Integer, bool>)
    constexpr exchanged(Integer block) : slot_layout(block, false) {}
    /// Layout in which out-slot n of all ranks has counts[n] bytes, packed. The count of an empty slot is its room.
    /// @param n       neighborhood
    /// @param counts  bytes of each out-slot of all ranks, 0 or more
    template <detail::integers Counts>
    constexpr exchanged(const neighborhood& n, const Counts& counts)
        : slot_layout(detail::slot_table::exchanged(n, detail::as_numbers(counts), {}, {}, true), false) {}
    /// As above, with out-slot n at send_displs[n] of inputs and in-slot n at recv_displs[n] of outputs. Slots of one
    /// buffer must not overlap.
    /// @param n            neighborhood
    /// @param counts       bytes of each out-slot of all ranks, 0 or more
    /// @param send_displs  bytes, one per out-slot of all ranks, 0 or more
    /// @param recv_displs  bytes, one per in-slot of all ranks, 0 or more
    template <detail::integers Out, detail::integers In>
    constexpr exchanged(const neighborhood& n, const Out& counts, const Out& send_displs, const In& recv_displs)
        : slot_layout(detail::slot_table::exchanged(n, detail::as_numbers(counts), detail::as_numbers(send_displs),
                                                    detail::as_numbers(recv_displs), false),
                      false) {}
    /// Layout of the packed blocks of `blocks`, one per out-slot of all ranks.
    /// @param n       neighborhood
    /// @param blocks  sizes of the blocks; must be packed
    constexpr exchanged(const neighborhood& n, const block_layout& blocks)
        : slot_layout(n, blocks, n.out_slots(), false) {}
};

}}  // namespace collsched::COLLSCHED_ABI
