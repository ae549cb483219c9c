#pragma once

#include <cstdint>

#include "collsched/core/block_matrix.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/detail/nested_parts.hpp"
#include "collsched/schedule/fingerprint.hpp"
#include "collsched/schedule/parameters.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace alltoall {

/// Complete exchange along one dimension of a mesh of ranks after the other, the mesh of allgather::by_dimension: a
/// block first goes to the rank of its row that is at the place of its target, then along the column, and so on. In each
/// step a rank sends to the rank that is one place further all blocks that go on from there, and its own ones.
///
/// Rounds: the sum of n-1 over the dimensions, with n ranks or rows in them. If rows are equal, every rank sends and
/// receives p (n-1)/n blocks per dimension, in as many messages as rounds. A block is sent from its place in `input` and
/// finally received at its place in `output`. In between it is in scratch, which has a place for every block that the
/// rank passes on. Only the own block is copied.
/// Source: folklore; the algorithms for meshes of SimGrid's MPI.
struct by_dimension {
    rank_t ranks = 1;
    block_matrix block = 0;
    rank_t group = 8;        ///< smallest number of ranks per row, 1 or more; a number above p counts as p
    std::int64_t radix = 8;  ///< rows per plane, 2 or more

    static constexpr algorithm_info info{.collective = collective::alltoall,
                                         .name = "by-dimension",
                                         .rounds = "sum of n-1 over the dimensions",
                                         .source = "folklore"};

    class through_mesh;
    constexpr through_mesh view() const;
    constexpr argument_error check() const {
        if (group < 1) return {"group", group, "1 or more"};
        if (radix < 2) return {"radix", radix, "2 or more"};
        // Scratch contains no block twice.
        checked all = 0;
        for (rank_t i = 0; i < (block.irregular() ? ranks : 1); ++i) all = all + block.sent(i, ranks);
        if ((block.irregular() ? all : all * ranks).ok()) return {};
        return {"block", block.sent(0, ranks), "bytes that all ranks send together below 2^63"};
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("group", self.group);
        f("radix", self.radix);
    }
    bool operator==(const by_dimension&) const = default;
};

/// The schedule. Scratch of rank r has the blocks that it receives in dimension 0, in dimension 1, and so on, up to the
/// last but one. Those of one dimension are in the order of the ranks that it passes them on to, then of their sources.
class by_dimension::through_mesh {
  public:
    rank_t ranks;

    /// Constructs the schedule. check() reports wrong parameters.
    ///
    /// @param algorithm  the parameters
    constexpr explicit through_mesh(const by_dimension& algorithm)
        : ranks(algorithm.ranks),
          algorithm_(algorithm),
          mesh_(check() ? collsched::detail::nested_parts(1, 1, 2)
                        : collsched::detail::nested_parts(ranks, algorithm.group, algorithm.radix)) {}

    constexpr step_t steps() const { return ranks == 1 ? 1 : mesh_.first_step(mesh_.levels()); }
    constexpr step_t next(rank_t, step_t k) const { return k < steps() ? k : steps(); }

    constexpr void sends(rank_t r, step_t k, auto f) const {
        if (k == 0 && blocks().count(r, r) > 0)
            f(edge{.src = r,
                   .dst = r,
                   .from_offset = blocks().send_displ(r, r),
                   .into_offset = blocks().recv_displ(r, r),
                   .size = blocks().count(r, r)});
        if (ranks > 1) mesh_.targets(r, k, [&](rank_t dst) { message(r, dst, k, f); });
    }
    constexpr void receives(rank_t r, step_t k, auto f) const {
        if (ranks > 1) mesh_.sources(r, k, [&](rank_t src) { message(src, r, k, f); });
    }

    constexpr bytes_t scratch(rank_t r) const { return start(r, mesh_.levels() - 1); }
    constexpr bytes_t staging(rank_t) const { return 0; }
    constexpr collsched::pacing pacing() const { return {}; }
    constexpr collsched::contract contract() const { return contract_of(algorithm_); }
    constexpr argument_error check() const { return check_parameters(algorithm_); }
    constexpr std::uint64_t fingerprint() const { return collsched::detail::describe(algorithm_); }

  private:
    using part = collsched::detail::nested_parts::part;

    constexpr const block_matrix& blocks() const { return algorithm_.block; }

    /// Returns the bytes to rank j from the ranks of `origins` below `end` that are not in `hole`.
    constexpr bytes_t bytes(part origins, part hole, rank_t end, rank_t j) const {
        bytes_t sum = 0;
        if (!blocks().irregular()) {
            const rank_t inside = end < hole.first ? 0 : end < hole.first + hole.size ? end - hole.first : hole.size;
            return (end - origins.first - inside) * blocks().count(0, j);
        }
        for (rank_t i = origins.first; i < end; ++i) sum += hole.contains(i) ? 0 : blocks().count(i, j);
        return sum;
    }
    /// Returns the bytes to rank j that rank r receives in a dimension, from ranks below `end`.
    constexpr bytes_t received(rank_t r, step_t level, rank_t j, rank_t end) const {
        return bytes(mesh_.at(r, level + 1), mesh_.at(r, level), end, j);
    }
    constexpr bytes_t received(rank_t r, step_t level, rank_t j) const {
        const part origins = mesh_.at(r, level + 1);
        return received(r, level, j, origins.first + origins.size);
    }

    /// Returns the offset in scratch of r of the blocks that it receives in a dimension; the size of scratch for the
    /// last one.
    constexpr bytes_t start(rank_t r, step_t level) const {
        bytes_t offset = 0;
        for (step_t lower = 0; lower < level; ++lower)
            mesh_.reached(r, lower + 1, [&](rank_t j) { offset += j == r ? 0 : received(r, lower, j); });
        return offset;
    }
    /// Returns the offset in scratch of r of the blocks to rank j that it receives in a dimension.
    constexpr bytes_t start(rank_t r, step_t level, rank_t j) const {
        bytes_t offset = start(r, level);
        bool found = false;
        mesh_.reached(r, level + 1, [&](rank_t other) {
            found = found || other == j;
            if (!found && other != r) offset += received(r, level, other);
        });
        return offset;
    }

    /// Calls f(edge) for the own blocks of src, and for those that it received in lower dimensions.
    constexpr void message(rank_t src, rank_t dst, step_t k, auto& f) const {
        const step_t level = mesh_.level_of(k);
        const part own_part{src, 1};
        edge frame{.step = k, .src = src, .dst = dst};
        pass_on(frame, level, own_part, part{src, 0}, [&](rank_t i, rank_t j) { return blocks().send_displ(i, j); }, f);
        frame.from = buffer::scratch;
        for (step_t lower = 0; lower < level; ++lower) {
            bytes_t offset = start(src, lower, dst);
            pass_on(
                frame, level, mesh_.at(src, lower + 1), mesh_.at(src, lower),
                [&](rank_t i, rank_t j) {
                    const bytes_t place = offset;
                    offset += blocks().count(i, j);
                    return place;
                },
                f);
        }
    }
    /// Calls f(edge) for every block that is sent from a rank of `origins` which is not in `hole`. `place` returns its
    /// offset at the source of the message.
    constexpr void pass_on(edge frame, step_t level, part origins, part hole, auto place, auto& f) const {
        const rank_t dst = frame.dst;
        bytes_t row = level + 1 < mesh_.levels() ? start(dst, level) : 0;
        mesh_.reached(dst, level + 1, [&](rank_t j) {
            frame.into = j == dst ? buffer::output : buffer::scratch;
            bytes_t offset = row + (j == dst ? 0 : received(dst, level, j, origins.first));
            for (rank_t i = origins.first; i < origins.first + origins.size; ++i) {
                frame.size = blocks().count(i, j);
                if (!hole.contains(i)) {
                    frame.from_offset = place(i, j);
                    frame.into_offset = j == dst ? blocks().recv_displ(i, j) : offset;
                    if (frame.size > 0) f(static_cast<const edge&>(frame));
                }
                offset += frame.size;
            }
            if (j != dst) row += received(dst, level, j);
        });
    }

    by_dimension algorithm_;
    collsched::detail::nested_parts mesh_;
};

constexpr by_dimension::through_mesh by_dimension::view() const { return through_mesh(*this); }

}}}  // namespace collsched::COLLSCHED_ABI::alltoall
