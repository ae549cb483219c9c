#pragma once

#include "collsched/combine/rank_groups.hpp"
#include "collsched/combine/region.hpp"
#include "collsched/core/block_matrix.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace alltoall::detail {

/// The locations of the blocks of a complete exchange through leaders. A row contains the blocks that a rank sends, a
/// column those that it receives. Targets and sources are ordered group by group. O(ranks^2) memory, shared by all
/// copies.
class blocks_through_leaders {
  public:
    constexpr blocks_through_leaders(const block_matrix& matrix, const rank_groups& groups)
        : groups_(groups), group_matrix_(sums(matrix, groups)), held_(layouts(matrix, groups)) {}

    /// Returns the bytes from each group to each.
    constexpr const block_matrix& group_matrix() const { return group_matrix_; }
    /// Returns the layout of the blocks that the members of a group send; columns() the layout of those that they
    /// receive.
    constexpr const block_layout& rows(rank_t g) const { return held_->rows[g]; }
    constexpr const block_layout& columns(rank_t g) const { return held_->columns[g]; }

    /// Returns the region in `input` that rank r sends; column() the region in `output` that it receives.
    constexpr region row(rank_t r) const { return {{buffer::input, 0}, held_->row[r], groups_.ranks()}; }
    constexpr region column(rank_t r) const { return {{buffer::output, 0}, held_->column[r], groups_.ranks()}; }
    /// Returns all rows of group g, consecutive from `start` on, as one message per target group.
    constexpr region by_target(rank_t g, location start) const {
        return {start, held_->by_target[g], groups_.groups() * groups_.size(g)};
    }
    /// Returns all columns of group g, consecutive from `start` on, as one message per source group.
    constexpr region by_source(rank_t g, location start) const {
        return {start, held_->by_source[g], groups_.ranks() * groups_.size(g)};
    }
    constexpr bytes_t sent(rank_t g) const { return rows(g).prefix(groups_.size(g)); }
    constexpr bytes_t received(rank_t g) const { return columns(g).prefix(groups_.size(g)); }

  private:
    struct tables {
        owned_array<block_layout> row, column;                          // per rank
        owned_array<block_layout> rows, columns, by_target, by_source;  // per group
        bool operator==(const tables&) const = default;
    };
    using sizes = owned_array<bytes_t>;
    static constexpr block_layout packed(const sizes& counts) { return block_layout(std::span<const bytes_t>(counts)); }
    static constexpr block_layout placed(const sizes& counts, const sizes& displs) {
        return {std::span<const bytes_t>(counts), std::span<const bytes_t>(displs)};
    }

    static constexpr block_matrix sums(const block_matrix& matrix, const rank_groups& groups) {
        sizes all(groups.groups() * groups.groups());
        for (rank_t i = 0; i < groups.ranks(); ++i)
            for (rank_t j = 0; j < groups.ranks(); ++j)
                all[groups.group(i) * groups.groups() + groups.group(j)] += matrix.count(i, j);
        return block_matrix(std::span<const bytes_t>(all));
    }

    static constexpr collsched::detail::shared<tables> layouts(const block_matrix& matrix, const rank_groups& groups) {
        const rank_t p = groups.ranks(), n = groups.groups();
        tables result{owned_array<block_layout>(p), owned_array<block_layout>(p), owned_array<block_layout>(n),
                      owned_array<block_layout>(n), owned_array<block_layout>(n), owned_array<block_layout>(n)};
        for (rank_t r = 0; r < p; ++r) {
            sizes out(p), out_at(p), in(p), in_at(p);
            for (rank_t v = 0; v < p; ++v) {
                const rank_t other = groups.rank(v);
                out[v] = matrix.count(r, other), out_at[v] = matrix.send_displ(r, other);
                in[v] = matrix.count(other, r), in_at[v] = matrix.recv_displ(other, r);
            }
            result.row[r] = placed(out, out_at);
            result.column[r] = placed(in, in_at);
        }
        for (rank_t g = 0; g < n; ++g) of_group(result, groups, g);
        return collsched::detail::shared(static_cast<tables&&>(result));
    }

    static constexpr void of_group(tables& result, const rank_groups& groups, rank_t g) {
        const rank_t p = groups.ranks(), n = groups.groups(), size = groups.size(g);
        sizes row_sums(size), column_sums(size);
        for (rank_t i = 0; i < size; ++i) {
            row_sums[i] = result.row[groups.member(g, i)].prefix(p);
            column_sums[i] = result.column[groups.member(g, i)].prefix(p);
        }
        result.rows[g] = packed(row_sums);
        result.columns[g] = packed(column_sums);
        sizes out(n * size), out_at(n * size), in(p * size), in_at(p * size);
        for (rank_t i = 0; i < size; ++i) {
            const block_layout& row = result.row[groups.member(g, i)];
            const block_layout& column = result.column[groups.member(g, i)];
            for (rank_t h = 0; h < n; ++h) {
                const rank_t first = groups.first(h);
                out[h * size + i] = row.prefix(first + groups.size(h)) - row.prefix(first);
                out_at[h * size + i] = result.rows[g].prefix(i) + row.prefix(first);
            }
            for (rank_t v = 0; v < p; ++v) {
                in[v * size + i] = column.count(v);
                in_at[v * size + i] = result.columns[g].prefix(i) + column.prefix(v);
            }
        }
        result.by_target[g] = placed(out, out_at);
        result.by_source[g] = placed(in, in_at);
    }

    rank_groups groups_;
    block_matrix group_matrix_;
    collsched::detail::shared<tables> held_;
};

}}}  // namespace collsched::COLLSCHED_ABI::alltoall::detail
