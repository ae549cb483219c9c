#pragma once

#include "collsched/core/owned_array.hpp"
#include "collsched/core/permutation.hpp"
#include "collsched/schedule/detail/schedule_adaptor.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns the matrix whose block from v to w is the block from order.rank(v) to order.rank(w) of `matrix`, with its
/// displacements. O(ranks^2 log ranks).
/// @param matrix  matrix for `ranks` ranks
/// @param ranks   number of ranks
/// @param order   permutation of the ranks
template <class Permutation>
constexpr block_matrix permuted(const block_matrix& matrix, rank_t ranks, const Permutation& order) {
    owned_array<bytes_t> counts(ranks * ranks), send_displs(ranks * ranks), recv_displs(ranks * ranks);
    for (rank_t v = 0; v < ranks; ++v)
        for (rank_t w = 0; w < ranks; ++w) {
            const rank_t i = order.rank(v), j = order.rank(w);
            counts[v * ranks + w] = matrix.count(i, j);
            send_displs[v * ranks + w] = matrix.send_displ(i, j);
            recv_displs[w * ranks + v] = matrix.recv_displ(i, j);
        }
    return {counts, send_displs, recv_displs};
}

/// Returns the neighborhood in which rank v has the slots of rank order.rank(v), with renamed neighbors. O(ranks +
/// slots).
/// @param n      a neighborhood
/// @param order  permutation of its ranks
template <class Permutation>
constexpr neighborhood permuted(const neighborhood& n, const Permutation& order) {
    if (n.ranks() == 0) return n;
    owned_array<rank_t> out_degrees(n.ranks()), in_degrees(n.ranks());
    owned_array<rank_t> targets(n.out_slots()), slots(n.out_slots()), sources(n.in_slots());
    const auto renamed = [&](rank_t r) { return r < 0 ? r : order.virtual_rank(r); };
    std::int64_t out = 0, in = 0;
    for (rank_t v = 0; v < n.ranks(); ++v) {
        const rank_t r = order.rank(v);
        out_degrees[v] = n.out_degree(r), in_degrees[v] = n.in_degree(r);
        for (rank_t i = 0; i < out_degrees[v]; ++i, ++out)
            targets[out] = renamed(n.target(r, i)), slots[out] = n.arrival(r, i);
        for (rank_t j = 0; j < in_degrees[v]; ++j, ++in) sources[in] = renamed(n.source(r, j));
    }
    return {out_degrees, targets, in_degrees, sources, slots};
}

/// Returns the slots of `layout` for permuted(n, order). O(ranks + slots log degree).
/// @param layout  slots of n
/// @param n       a neighborhood
/// @param ranks   number of ranks
/// @param order   permutation of the ranks
template <class Permutation>
constexpr slot_layout permuted(const slot_layout& layout, const neighborhood& n, rank_t ranks,
                               const Permutation& order) {
    if (!layout.irregular()) return layout;
    owned_array<bytes_t> of_ranks(ranks), of_slots(n.out_slots()), sent(n.out_slots()), received(n.in_slots());
    std::int64_t out = 0, in = 0;
    for (rank_t v = 0; v < ranks; ++v) {
        const rank_t r = order.rank(v);
        of_ranks[v] = layout.input_bytes(n, r);
        for (rank_t i = 0; i < n.out_degree(r); ++i, ++out) {
            const byte_range block = layout.sent(n, r, i);
            of_slots[out] = block.size, sent[out] = block.offset;
        }
        for (rank_t j = 0; j < n.in_degree(r); ++j, ++in) received[in] = layout.recv_displ(n, r, j);
    }
    const neighborhood named = permuted(n, order);
    if (layout.is_gathered()) {
        if (layout.packed()) return slot_layout::gathered(named, of_ranks);
        return slot_layout::gathered(named, of_ranks, received);
    }
    if (layout.packed()) return slot_layout::exchanged(named, of_slots);
    return slot_layout::exchanged(named, of_slots, sent, received);
}

namespace detail {

template <schedule S, class Permutation>
class relabeled_schedule : public schedule_adaptor<relabeled_schedule<S, Permutation>, S> {
    using adaptor = schedule_adaptor<relabeled_schedule, S>;
    using adaptor::base;

  public:
    using adaptor::ranks;

    constexpr relabeled_schedule(const S& s, const Permutation& order, const collsched::contract& contract)
        : adaptor(s),
          order_(order),
          contract_(contract),
          puts_lower_first_(reduces(contract.collective) && !contract.commutative && s.contract().commutative) {}

    constexpr rank_t base_rank(rank_t r) const { return order_.virtual_rank(r); }
    constexpr void adapt(edge e, auto& f) const {
        e.src = order_.rank(e.src);
        e.dst = order_.rank(e.dst);
        if (puts_lower_first_ && e.combines() && !e.is_local())
            e.action = e.src > e.dst ? action::combine_after : action::combine_before;
        f(static_cast<const edge&>(e));
    }
    constexpr collsched::contract contract() const { return contract_; }
    constexpr argument_error check() const {
        if (argument_error error = base().check()) return error;
        if (argument_error error = order_.check(ranks)) return error;
        if (contract_.ranks != ranks) return {"ranks", contract_.ranks, "as many ranks as the schedule has"};
        if (contract_.collective == collective::scan || contract_.collective == collective::exscan)
            return {"collective", static_cast<std::int64_t>(contract_.collective), "one that treats ranks alike"};
        return check_contract(contract_);
    }
    /// O(ranks).
    constexpr std::uint64_t fingerprint() const {
        description_hash order;
        for (rank_t v = 0; v < ranks; ++v) order(order_.rank(v));
        return fingerprint_of("relabelled", base().fingerprint(), contract_, order.value());
    }

  private:
    Permutation order_;
    collsched::contract contract_;
    bool puts_lower_first_;
};

}  // namespace detail

/// x with other ranks: rank order.rank(v) does what rank v of x does. Rounds, messages and bytes are those of x. Where
/// `contract` keeps the order of operands and x does not, the operand of the lower of the two ranks of
/// a message comes first.
///
/// @param x         schedule or algorithm
/// @param order     rank(v), its inverse virtual_rank(r), and check(ranks)
/// @param contract  the contract of the result
/// @return a schedule. check() fails where `order` is no permutation of the ranks of x, and for a scan or exscan, which
///         depends on the order of ranks.
template <schedulable X, class Permutation>
constexpr auto relabel(const X& x, const Permutation& order, const contract& contract) {
    return detail::relabeled_schedule<detail::schedule_of<X>, Permutation>(lower(x), order, contract);
}

/// Returns x with other ranks and the resulting contract: root, blocks, matrix and neighbors remain with their ranks,
/// with their displacements. A reduction becomes commutative, since the order of operands changes.
///
/// Complexity: O(ranks) if x moves blocks, O(ranks^2 log ranks) for an alltoall with a matrix.
/// @param x      schedule or algorithm
/// @param order  permutation of its ranks
/// @return a schedule. check() fails where `order` is no permutation of the ranks of x, and for a scan or exscan.
template <schedulable X>
constexpr auto relabel(const X& x, const permutation& order) {
    contract contract = lower(x).contract();
    if (!order.check(contract.ranks) && !check(x)) {
        if (is_rooted(contract.collective)) contract.root = order.rank(contract.root);
        if (moves_blocks(contract.collective))
            contract.blocks = permuted(contract.layout(), contract.ranks, order.inverse());
        if (contract.collective == collective::alltoall)
            contract.blocks = permuted(contract.matrix(), contract.ranks, order.inverse());
        if (has_neighbors(contract.collective))
            contract.blocks = {permuted(contract.neighbors(), order.inverse()),
                               permuted(contract.slots(), contract.neighbors(), contract.ranks, order.inverse())};
        contract.commutative = contract.commutative || reduces(contract.collective);
    }
    return relabel(x, order, contract);
}

}}  // namespace collsched::COLLSCHED_ABI
