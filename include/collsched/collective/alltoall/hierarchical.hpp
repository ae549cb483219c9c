#pragma once

#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/collective/gather/over_tree.hpp"
#include "collsched/collective/levels.hpp"
#include "collsched/collective/scatter/over_tree.hpp"
#include "collsched/combine/rank_groups.hpp"
#include "collsched/combine/region.hpp"
#include "collsched/core/block_matrix.hpp"
#include "collsched/tree/binomial.hpp"

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

namespace collsched { inline namespace COLLSCHED_ABI { namespace alltoall {

/// A gather of all blocks of a node to its leader, an exchange of the nodes' blocks among the leaders, and a scatter on
/// every node. Supports any placement, nodes with different numbers of ranks, and any matrix. One message with many
/// contiguous ranges per pair of nodes replaces one message per pair of ranks.
///
/// Rounds: those of Gather and Scatter for the largest number of ranks on a node, plus those of Outer among nodes. With
/// equal blocks, n ranks on each node and the default parts, a rank sends at most (n-1) p + n (p-n) blocks. Scratch of
/// a leader: all bytes that its node sends and receives, in addition to that of the parts. O(p^2) memory.
/// Source: Traeff, Rougier 2014; Open MPI and MVAPICH on multi-core nodes.
template <described Outer = pairwise, described Gather = gather::over_tree<trees::binomial>,
          described Scatter = scatter::over_tree<trees::binomial>>
struct hierarchical {
    rank_t ranks = 1;
    block_matrix block{};
    topology::placement placement{};
    Outer outer{};
    Gather inner_gather{};
    Scatter inner_scatter{};

    static constexpr algorithm_info info{.collective = collective::alltoall,
                                         .name = "hierarchical",
                                         .rounds = "inter-node rounds + 2 x intra-node rounds of the largest node",
                                         .source = "Traeff, Rougier 2014",
                                         .window = Outer::info.window};

    constexpr auto view() const {
        const argument_error error = check_parameters(*this);
        const collsched::detail::two_levels two(contract_of(*this), groups_of(placement, error ? 1 : ranks));
        const rank_groups& groups = two.groups;
        const detail::blocks_through_leaders blocks(collsched::detail::sound(error, block), groups);
        const auto collect = two.parts(inner_gather, [blocks](rank_t g) {
            return contract{.collective = collective::gather, .blocks = blocks.rows(g)};
        });
        const auto outer_part = two.led(outer, {.collective = collective::alltoall, .blocks = blocks.group_matrix()});
        const auto spread = two.parts(inner_scatter, [blocks](rank_t g) {
            return contract{.collective = collective::scatter, .blocks = blocks.columns(g)};
        });
        // Scratch of a leader: the bytes that its node sends, those that it receives, and the scratch of the parts.
        const bool single_rank = ranks == 1;
        const auto inner_scratch = [blocks, groups](rank_t r) -> region {
            const rank_t g = groups.group(r);
            return {{buffer::scratch, groups.index(r) > 0 ? 0 : blocks.sent(g) + blocks.received(g)}};
        };
        const auto to_leader = [blocks, inner_scratch, single_rank](rank_t r, buffer b) -> region {
            if (b == buffer::scratch) return inner_scratch(r);
            if (b == buffer::input) return blocks.row(r);
            if (single_rank) return blocks.column(r);
            return {{buffer::scratch, 0}};
        };
        const auto between = [blocks, groups, inner_scratch, single_rank](rank_t r, buffer b) -> region {
            if (single_rank) return blocks.column(r);
            const rank_t g = groups.group(r);
            if (b == buffer::input) return blocks.by_target(g, {buffer::scratch, 0});
            if (b == buffer::output) return blocks.by_source(g, {buffer::scratch, blocks.sent(g)});
            return inner_scratch(r);
        };
        const auto to_all = [blocks, groups, inner_scratch, single_rank](rank_t r, buffer b) -> region {
            if (b == buffer::scratch) return inner_scratch(r);
            if (single_rank || b == buffer::output) return blocks.column(r);
            return {{buffer::scratch, blocks.sent(groups.group(r))}};
        };
        return then(two.within(collect, to_leader), two.across(outer_part, between), two.within(spread, to_all));
    }
    constexpr argument_error check() const {
        if (argument_error error = check_levels(*this)) return error;
        checked all = 0;
        for (rank_t r = 0; r < ranks; ++r) all = all + block.sent(r, ranks);
        if ((all * 3).ok()) return {};
        return {"block", block.sent(0, ranks), "3 times the bytes that all ranks send together below 2^63"};
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("placement", self.placement);
    }
    static constexpr void parts(auto& self, auto f) { f(self.outer), f(self.inner_gather), f(self.inner_scatter); }
    bool operator==(const hierarchical&) const = default;
};

}}}  // namespace collsched::COLLSCHED_ABI::alltoall
