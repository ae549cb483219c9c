#pragma once

#include <span>

#include "collsched/core/detail/block_table.hpp"
#include "collsched/core/neighborhood.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

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

}}}  // namespace collsched::COLLSCHED_ABI::detail
