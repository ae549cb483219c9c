#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "collsched/core/block_layout.hpp"
#include "collsched/core/detail/shared.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Counts and displacements of p * p blocks: the representation of an irregular block_matrix. O(p^2) memory.
struct matrix_table {
    owned_array<bytes_t> counts;        ///< [i * p + j]: bytes from i to j
    owned_array<bytes_t> send_displs;   ///< [i * p + j]: displacement in the input of i
    owned_array<bytes_t> recv_displs;   ///< [j * p + i]: displacement in the output of j
    owned_array<bytes_t> send_extents;  ///< [i]: bytes of the input of i
    owned_array<bytes_t> recv_extents;  ///< [j]: bytes of the output of j
    rank_t ranks = 0;
    bool packed = true;
    argument_error error;

    /// Packed in rank order in inputs and outputs. O(p^2).
    constexpr explicit matrix_table(std::span<const bytes_t> sizes) : counts(sizes) { place({}, {}); }
    /// With displacements. O(p^2 log p).
    constexpr matrix_table(std::span<const bytes_t> sizes, std::span<const bytes_t> sent,
                           std::span<const bytes_t> received)
        : counts(sizes) {
        if (std::ssize(sent) != counts.size())
            error = {"send_displs", std::ssize(sent), "as many displacements as counts"};
        else if (std::ssize(received) != counts.size())
            error = {"recv_displs", std::ssize(received), "as many displacements as counts"};
        else place(sent, received);
    }

    constexpr bool operator==(const matrix_table& other) const {
        return error == other.error && counts == other.counts && send_displs == other.send_displs &&
               recv_displs == other.recv_displs;
    }

  private:
    constexpr void place(std::span<const bytes_t> sent, std::span<const bytes_t> received) {
        rank_t root = 1;
        while (root * root < counts.size()) ++root;
        if (root * root != counts.size()) {
            error = {"counts", counts.size(), "p * p counts"};
            return;
        }
        ranks = root;
        send_displs = owned_array<bytes_t>(counts.size());
        recv_displs = owned_array<bytes_t>(counts.size());
        send_extents = owned_array<bytes_t>(ranks);
        recv_extents = owned_array<bytes_t>(ranks);
        owned_array<bytes_t> line(ranks);
        for (rank_t r = 0; r < ranks && !error; ++r) {
            for (rank_t j = 0; j < ranks; ++j) line[j] = counts[r * ranks + j];
            lay_out({"send_displs", r, r * ranks, 1}, line, sent, send_displs, send_extents);
            if (error) return;
            for (rank_t i = 0; i < ranks; ++i) line[i] = counts[i * ranks + r];
            lay_out({"recv_displs", r, r, ranks}, line, received, recv_displs, recv_extents);
        }
    }

    /// Send or receive side of a rank. Its n-th block has counts[first + n * stride] bytes.
    struct side {
        const char* displs;
        rank_t rank, first, stride;
    };
    constexpr void lay_out(const side& matrix_side, const owned_array<bytes_t>& line, std::span<const bytes_t> places,
                           owned_array<bytes_t>& displs, owned_array<bytes_t>& extents) {
        if (places.empty()) return keep(matrix_side, block_table(line), displs, extents);
        const auto displacements =
            places.subspan(static_cast<std::size_t>(matrix_side.rank * ranks), static_cast<std::size_t>(ranks));
        keep(matrix_side, block_table(line, displacements), displs, extents);
    }
    constexpr void keep(const side& matrix_side, const block_table& blocks, owned_array<bytes_t>& displs,
                        owned_array<bytes_t>& extents) {
        if (blocks.error) {
            error = blocks.error;
            const bool of_counts = detail::same_text(error.argument, "counts");
            error.index = of_counts ? matrix_side.first + error.index * matrix_side.stride
                                    : matrix_side.rank * ranks + error.index;
            if (!of_counts) error.argument = matrix_side.displs;
            return;
        }
        extents[matrix_side.rank] = blocks.extent;
        for (rank_t n = 0; n < ranks; ++n) {
            displs[matrix_side.rank * ranks + n] = blocks.displs[n];
            packed = packed && (blocks.counts[n] == 0 || blocks.displs[n] == blocks.prefix[n]);
        }
    }
};

}  // namespace detail

/// Maps each ordered pair of ranks of a complete exchange to its bytes and to their displacements in the sender's input
/// and the receiver's output.
///
/// Regular matrices take O(1) memory: all ranks send equal counts to rank j, given by a block_layout. Irregular ones
/// take O(p^2): a matrix of counts, with displacements or packed in rank order. Zero counts and gaps are allowed. A
/// copy costs O(1). check(p) reports wrong arguments; then no other method may be called.
class block_matrix {
  public:
    /// Matrix of empty blocks, for any number of ranks.
    constexpr block_matrix() = default;

    /// Matrix of `block` bytes from every rank to every rank.
    /// @param block  bytes, 0 or more
    template <std::integral Integer>
        requires(!std::same_as<Integer, bool>)
    constexpr block_matrix(Integer block) : column_(block) {}
    /// Matrix in which every rank sends block j of `column` to rank j: at the displacement of the layout in inputs,
    /// packed in outputs.
    /// @param column  bytes and displacements of the blocks that each rank sends
    constexpr block_matrix(const block_layout& column) : column_(column) {}

    /// Matrix of counts[i * p + j] bytes from rank i to rank j, packed in rank order in inputs and outputs. O(p^2).
    /// @param counts  p * p sizes in bytes, 0 or more
    constexpr explicit block_matrix(std::span<const bytes_t> counts) : table_(detail::matrix_table(counts)) {}
    /// As above, at send_displs[i * p + j] of the input of i and at recv_displs[j * p + i] of the output of j. Blocks
    /// of one buffer must not overlap. O(p^2 log p).
    /// @param counts       p * p sizes in bytes, 0 or more
    /// @param send_displs  p * p displacements in bytes, 0 or more
    /// @param recv_displs  p * p displacements in bytes, 0 or more
    constexpr block_matrix(std::span<const bytes_t> counts, std::span<const bytes_t> send_displs,
                           std::span<const bytes_t> recv_displs)
        : table_(detail::matrix_table(counts, send_displs, recv_displs)) {}
    /// As above, for counts and displacements in bytes of another integer type, such as the int arrays of MPI programs.
    /// @param counts  p * p sizes in bytes, 0 or more
    template <detail::integer_array Counts>
    constexpr explicit block_matrix(const Counts& counts)
        : block_matrix(std::span<const bytes_t>(detail::widened(counts))) {}
    /// Matrix with displacements, for arrays of another integer type. O(p^2 log p).
    /// @param counts       p * p sizes in bytes, 0 or more
    /// @param send_displs  p * p displacements in bytes, 0 or more
    /// @param recv_displs  p * p displacements in bytes, 0 or more
    template <detail::integer_array Counts, detail::integer_array Displs>
    constexpr block_matrix(const Counts& counts, const Displs& send_displs, const Displs& recv_displs)
        : block_matrix(std::span<const bytes_t>(detail::widened(counts)),
                       std::span<const bytes_t>(detail::widened(send_displs)),
                       std::span<const bytes_t>(detail::widened(recv_displs))) {}

    /// Returns the first error for use with `ranks` ranks, or no error. O(1), or O(ranks) for an irregular layout per
    /// column.
    /// @param ranks  number of ranks, 1 or more
    /// @return the first wrong argument of construction, or a number of ranks or a size that does not fit
    constexpr argument_error check(rank_t ranks) const {
        if (irregular()) {
            if (table_->error) return table_->error;
            if (table_->ranks != ranks) return {"counts", table_->counts.size(), "as many counts as pairs of ranks"};
            return {};
        }
        if (argument_error error = column_.check(ranks)) return error;
        const rank_t different = column_.irregular() ? ranks : 1;
        for (rank_t j = 0; j < different; ++j)
            if (!(checked(column_.count(j)) * ranks).ok())
                return {"block", column_.count(j), "ranks * block below 2^63 bytes"};
        return {};
    }

    /// Returns whether counts differ between senders: the matrix stores p * p counts.
    constexpr bool irregular() const { return static_cast<bool>(table_); }
    /// Returns the number of ranks of an irregular matrix; 0 for a regular one, which fits any number. O(1).
    /// @return number of ranks, or 0
    constexpr rank_t ranks() const { return irregular() ? table_->ranks : 0; }
    /// Returns whether the matrix is regular and all blocks are equal. O(1).
    constexpr bool uniform() const { return !irregular() && column_.uniform(); }

    /// Returns whether the blocks are in rank order without gaps in inputs and outputs. May return false for a packed
    /// layout with explicit displacements. O(1).
    constexpr bool packed() const { return irregular() ? table_->packed : !column_.irregular(); }

    /// Returns the bytes from rank i to rank j. O(1).
    /// @param i  source, 0 .. p-1
    /// @param j  target, 0 .. p-1
    /// @return bytes, 0 or more
    constexpr bytes_t count(rank_t i, rank_t j) const {
        return irregular() ? table_->counts[i * table_->ranks + j] : column_.count(j);
    }
    /// Returns a bound from which on no rank receives bytes: `ranks` for irregular matrices. O(1).
    /// @param ranks  number of ranks p
    /// @return a rank, 0 .. p
    constexpr rank_t filled_end(rank_t ranks) const { return irregular() ? ranks : column_.filled_end(ranks); }
    /// Returns the displacement of the bytes from i to j in the input of i. O(1).
    /// @param i  source, 0 .. p-1
    /// @param j  target, 0 .. p-1
    /// @return bytes, 0 or more
    constexpr bytes_t send_displ(rank_t i, rank_t j) const {
        return irregular() ? table_->send_displs[i * table_->ranks + j] : column_.displ(j);
    }
    /// Returns the displacement of the bytes from i to j in the output of j. O(1).
    /// @param i  source, 0 .. p-1
    /// @param j  target, 0 .. p-1
    /// @return bytes, 0 or more
    constexpr bytes_t recv_displ(rank_t i, rank_t j) const {
        return irregular() ? table_->recv_displs[j * table_->ranks + i] : i * column_.count(j);
    }
    /// Returns the bytes of the input of rank i: max(displacement + count). O(1).
    /// @param i      source, 0 .. p-1
    /// @param ranks  number of ranks p
    /// @return bytes, gaps included
    constexpr bytes_t send_extent(rank_t i, rank_t ranks) const {
        return irregular() ? table_->send_extents[i] : column_.extent(ranks);
    }
    /// Returns the bytes of the output of rank j: max(displacement + count). O(1).
    /// @param j      target, 0 .. p-1
    /// @param ranks  number of ranks p
    /// @return bytes, gaps included
    constexpr bytes_t recv_extent(rank_t j, rank_t ranks) const {
        return irregular() ? table_->recv_extents[j] : ranks * column_.count(j);
    }
    /// Returns the bytes that rank i sends to all ranks, itself included. O(1); O(ranks) if irregular.
    /// @param i      source, 0 .. p-1
    /// @param ranks  number of ranks p
    /// @return bytes, without gaps
    constexpr bytes_t sent(rank_t i, rank_t ranks) const {
        if (!irregular()) return column_.prefix(ranks);
        bytes_t sum = 0;
        for (rank_t j = 0; j < ranks; ++j) sum += count(i, j);
        return sum;
    }
    /// Returns the bytes that rank j receives from all ranks, itself included. O(1); O(ranks) if irregular.
    /// @param j      target, 0 .. p-1
    /// @param ranks  number of ranks p
    /// @return bytes, without gaps
    constexpr bytes_t received(rank_t j, rank_t ranks) const {
        if (!irregular()) return ranks * column_.count(j);
        bytes_t sum = 0;
        for (rank_t i = 0; i < ranks; ++i) sum += count(i, j);
        return sum;
    }
    /// Returns the layout of the input that all ranks share.
    /// @pre not irregular()
    /// @return a layout that is valid as long as this matrix
    constexpr const block_layout& column() const { return column_; }

    /// Calls f(number) for the numbers that determine this matrix. Used for fingerprints.
    /// @param f  callable, f(std::int64_t)
    constexpr void describe(auto f) const {
        column_.describe(f);
        const rank_t p = ranks();
        f(p);
        for (rank_t k = 0; k < p * p; ++k) f(table_->counts[k]), f(table_->send_displs[k]), f(table_->recv_displs[k]);
    }

    /// Compares counts and displacements. Regular and irregular matrices are never equal. O(p^2) for irregular
    /// matrices.
    /// @return whether both map every pair of ranks to the same bytes and are stored alike
    bool operator==(const block_matrix&) const = default;

  private:
    block_layout column_;
    detail::shared<detail::matrix_table> table_;
};

}}  // namespace collsched::COLLSCHED_ABI
