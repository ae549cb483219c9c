#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "collsched/combine.hpp"
#include "collsched/schedule/any_schedule.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "input.hpp"
#include "support/registry.hpp"

namespace fuzz {

using namespace collsched;

inline constexpr auto as_it_is = [](rank_t, buffer b) { return location{b, 0}; };
inline constexpr auto from_output = [](rank_t, buffer b) {
    return location{b == buffer::input ? buffer::output : b, 0};
};

/// Combines the library's algorithms into schedules that keep a contract, chosen by the bytes of an input.
class maker {
  public:
    explicit maker(source& from) : from_(from) {}

    contract any_contract() { return any_contract(1 + from_.below(7)); }
    contract any_contract(rank_t ranks) {
        contract made{.collective =
                          static_cast<collective>(from_.below(static_cast<std::int64_t>(collective::barrier) + 1))};
        made.ranks = ranks;
        if (is_rooted(made.collective)) made.root = from_.below(made.ranks);
        if (reduces(made.collective)) {
            made.commutative = from_.flag();
            made.element = 1 + from_.below(2);
        }
        if (made.collective == collective::alltoall) made.blocks = any_matrix(made.ranks);
        else if (moves_blocks(made.collective)) made.blocks = any_layout(made.ranks, made.element);
        else if (made.collective != collective::barrier) made.bytes = made.element * from_.below(12);
        return made;
    }

    permutation any_order(rank_t ranks) {
        std::vector<rank_t> order(static_cast<std::size_t>(ranks));
        for (rank_t r = 0; r < ranks; ++r) order[static_cast<std::size_t>(r)] = r;
        for (rank_t r = ranks - 1; r > 0; --r)
            std::swap(order[static_cast<std::size_t>(r)], order[static_cast<std::size_t>(from_.below(r + 1))]);
        return permutation(order);
    }

    rank_groups any_groups(rank_t ranks) {
        const rank_t labels = 1 + from_.below(ranks);
        std::vector<rank_t> label;
        for (rank_t r = 0; r < ranks; ++r) label.push_back(from_.below(labels));
        return rank_groups::by_label(ranks, labels, [&](rank_t r) { return label[static_cast<std::size_t>(r)]; });
    }

    /// A schedule that is correct with separate buffers.
    any_schedule right(const contract& whole, int depth) {
        if (depth == 0) return listed(whole);
        switch (from_.below(6)) {
            case 0: return listed(whole);
            case 1: return any_schedule(copy_input_first(right(whole, depth - 1)));
            case 2: return relabeled(whole, depth - 1);
            case 3: return in_pieces(whole, depth - 1);
            case 4: return backwards(whole, depth - 1);
            default: return of_parts(whole, depth - 1);
        }
    }

    /// An algorithm of the library, with any parameters that it takes.
    any_schedule listed(const contract& whole) {
        std::vector<algorithm_entry> able;
        for (const algorithm_entry& entry : compiled::registry())
            if (entry.info.collective == whole.collective) able.push_back(entry);
        shape wanted{.ranks = whole.ranks,
                     .root = whole.root,
                     .block = whole.layout(),
                     .matrix = whole.matrix(),
                     .bytes = whole.bytes,
                     .element = whole.element};
        if (from_.flag()) wanted.segment = whole.element * from_.below(5);
        if (from_.flag()) wanted.radix = from_.below(6);
        if (from_.flag()) wanted.group = from_.below(5);
        if (from_.flag()) wanted.window = from_.below(4);
        if (from_.flag()) wanted.aggregate = from_.below(4);
        if (from_.flag()) wanted.placement = topology::placement::cyclic(whole.ranks, 1 + from_.below(whole.ranks));
        const auto start = static_cast<std::size_t>(from_.below(std::ssize(able)));
        for (const bool plain : {false, true}) {
            if (plain) {
                wanted.segment = 0;
                wanted.radix = wanted.group = wanted.window = wanted.aggregate = shape::as_it_is;
            }
            for (std::size_t i = 0; i < able.size(); ++i) {
                const any_schedule s = able[(start + i) % able.size()].make(wanted);
                if (!s.check() && (whole.commutative || !s.contract().commutative)) return s;
            }
        }
        expect(false, std::string("no algorithm for a ") + name_of(whole.collective));
        std::abort();
    }

  private:
    block_layout any_layout(rank_t ranks, bytes_t element) {
        if (from_.flag()) return element * from_.below(5);
        std::vector<bytes_t> counts, displs(static_cast<std::size_t>(ranks));
        for (rank_t r = 0; r < ranks; ++r) counts.push_back(element * from_.below(4));
        if (from_.flag()) return block_layout(counts);
        const permutation order = any_order(ranks);
        bytes_t end = 0;
        for (rank_t v = 0; v < ranks; ++v) {
            const auto r = static_cast<std::size_t>(order.rank(v));
            displs[r] = end + element * from_.below(2);
            end = displs[r] + counts[r];
        }
        return {counts, displs};
    }
    block_matrix any_matrix(rank_t ranks) {
        if (from_.flag()) return from_.below(5);
        std::vector<bytes_t> counts;
        for (rank_t i = 0; i < ranks * ranks; ++i) counts.push_back(from_.below(4));
        return block_matrix(counts);
    }

    any_schedule relabeled(const contract& whole, int depth) {
        if (whole.collective == collective::scan || whole.collective == collective::exscan ||
            (reduces(whole.collective) && !whole.commutative))
            return right(whole, depth);
        const permutation order = any_order(whole.ranks);
        contract before = whole;
        if (is_rooted(whole.collective)) before.root = order.virtual_rank(whole.root);
        if (moves_blocks(whole.collective)) before.blocks = permuted(whole.layout(), whole.ranks, order);
        if (whole.collective == collective::alltoall) before.blocks = permuted(whole.matrix(), whole.ranks, order);
        return any_schedule(relabel(right(before, depth), order));
    }

    /// A pipeline of equal pieces, each with scratch of its own.
    any_schedule in_pieces(const contract& whole, int depth) {
        const rank_t pieces = 1 + from_.below(3);
        const bool cuts = whole.collective == collective::broadcast || whole.collective == collective::reduce ||
                          whole.collective == collective::allreduce || whole.collective == collective::scan ||
                          whole.collective == collective::exscan;
        if (!cuts || whole.bytes % (pieces * whole.element) != 0) return right(whole, depth);
        contract part = whole;
        part.bytes /= pieces;
        const any_schedule one = right(part, depth);
        bytes_t room = 0;
        for (rank_t r = 0; r < whole.ranks; ++r) room = std::max(room, one.scratch(r));
        const auto piece = [=](rank_t i) {
            const auto there = [=](rank_t, buffer b) {
                return location{b, i * (b == buffer::scratch ? room : part.bytes)};
            };
            return rename_buffers(one, there, whole);
        };
        const step_t period = 1 + from_.below(4);
        return any_schedule(segment(piece, pieces, period, 1 + from_.below(3)));
    }

    any_schedule backwards(const contract& whole, int depth) {
        contract forwards = whole;
        forwards.collective = detail::reverse_of(whole.collective);
        switch (whole.collective) {
            case collective::scatter:
            case collective::gather:
            case collective::barrier:
                // Bytes between blocks may be put aside, but never return.
                return any_schedule(reverse(right(forwards, whole.layout().has_gaps(whole.ranks) ? 0 : depth)));
            case collective::reduce:
            case collective::reduce_scatter: break;
            default: return of_parts(whole, depth);
        }
        if (!whole.commutative) return right(whole, depth);
        const any_schedule forth = listed(forwards);
        const auto made = reverse_combining(forth, true, whole.element);
        if (made.check() || receives_what_it_has(forth)) return right(whole, depth);
        return any_schedule(made);
    }

    /// Whether a rank receives a byte of its output twice, or one of its input.
    static bool receives_what_it_has(const any_schedule& s) {
        const contract whole = s.contract();
        std::vector<std::vector<bool>> has;
        for (rank_t r = 0; r < s.ranks; ++r) {
            std::vector<bool>& own = has.emplace_back(static_cast<std::size_t>(whole.output_bytes(r)));
            const byte_range brought = whole.collective == collective::allgather
                                           ? byte_range{whole.layout().displ(r), whole.layout().count(r)}
                                           : byte_range{0, r == whole.root ? whole.bytes : 0};
            std::fill_n(own.begin() + brought.offset, brought.size, true);
        }
        for (const edge& e : edges(s)) {
            if (e.is_local()) continue;
            std::vector<bool>& there = has[static_cast<std::size_t>(e.dst)];
            for (bytes_t i = e.into_offset; i < e.target().end(); ++i) {
                if (there[static_cast<std::size_t>(i)]) return true;
                there[static_cast<std::size_t>(i)] = true;
            }
        }
        return false;
    }

    any_schedule of_parts(const contract& whole, int depth) {
        switch (whole.collective) {
            case collective::broadcast:
                return from_.flag() ? scattered_and_gathered(whole, depth) : in_two_levels(whole, depth);
            case collective::allreduce:
                return from_.flag() ? reduced_in_parts(whole, depth) : reduced_and_sent(whole, depth);
            case collective::allgather:
            case collective::gather:
            case collective::scatter: return packed(whole, depth);
            case collective::reduce: return reduced_and_gathered(whole, depth);
            case collective::reduce_scatter: return reduced_and_scattered(whole, depth);
            case collective::scan: return of_those_before(whole, depth);
            case collective::barrier: return reached_by_leaders(whole, depth);
            default: return right(whole, depth);
        }
    }

    contract part_of(const contract& whole, collective what) {
        contract part = whole;
        part.collective = what;
        part.bytes = 0;
        part.blocks = {};
        if (!reduces(what)) part.element = 1, part.commutative = false;
        if (!is_rooted(what)) part.root = 0;
        return part;
    }
    contract part_of(const contract& whole, collective what, const block_layout& blocks) {
        contract part = part_of(whole, what);
        part.blocks = blocks;
        return part;
    }
    contract part_of(const contract& whole, collective what, bytes_t bytes) {
        contract part = part_of(whole, what);
        part.bytes = bytes;
        return part;
    }

    /// One part after the other, each placed in the whole.
    template <class First, class Second>
    any_schedule both(const contract& whole, int depth, const contract& a, const First& at, const contract& b,
                      const Second& then_at) {
        const any_schedule first = right(a, depth), second = right(b, depth);
        return any_schedule(then(rename_buffers(first, at, whole), rename_buffers(second, then_at, whole)));
    }

    static auto in_own_part(buffer which, const block_layout& parts) {
        return
            [=](rank_t r, buffer b) { return b == which ? location{buffer::output, parts.displ(r)} : location{b, 0}; };
    }
    any_schedule scattered_and_gathered(const contract& whole, int depth) {
        const block_layout parts = block_layout::partition(whole.bytes, whole.ranks);
        return both(whole, depth, part_of(whole, collective::scatter, parts), in_own_part(buffer::output, parts),
                    part_of(whole, collective::allgather, parts), in_own_part(buffer::input, parts));
    }
    any_schedule reduced_in_parts(const contract& whole, int depth) {
        const block_layout parts = block_layout::partition(whole.bytes, whole.ranks, whole.element);
        return both(whole, depth, part_of(whole, collective::reduce_scatter, parts), in_own_part(buffer::output, parts),
                    part_of(whole, collective::allgather, parts), in_own_part(buffer::input, parts));
    }
    any_schedule reduced_and_sent(const contract& whole, int depth) {
        contract a = part_of(whole, collective::reduce, whole.bytes),
                 b = part_of(whole, collective::broadcast, whole.bytes);
        a.root = b.root = from_.below(whole.ranks);
        return both(whole, depth, a, as_it_is, b, from_output);
    }

    /// A buffer goes to scratch, the part's own scratch after its `size(rank)` bytes.
    template <class Size>
    static auto through_scratch(buffer which, const Size& size) {
        return [=](rank_t r, buffer b) {
            if (b == which) return location{buffer::scratch, 0};
            return location{b, b == buffer::scratch ? size(r) : 0};
        };
    }
    any_schedule reduced_and_gathered(const contract& whole, int depth) {
        const block_layout parts = block_layout::partition(whole.bytes, whole.ranks, whole.element);
        const auto size = [=](rank_t r) { return parts.count(r); };
        return both(whole, depth, part_of(whole, collective::reduce_scatter, parts),
                    through_scratch(buffer::output, size), part_of(whole, collective::gather, parts),
                    through_scratch(buffer::input, size));
    }
    any_schedule reduced_and_scattered(const contract& whole, int depth) {
        if (whole.layout().has_gaps(whole.ranks)) return right(whole, depth);
        const bytes_t all = whole.layout().extent(whole.ranks);
        const auto size = [=](rank_t) { return all; };
        contract a = part_of(whole, collective::reduce, all), b = part_of(whole, collective::scatter, whole.layout());
        a.root = b.root = from_.below(whole.ranks);
        return both(whole, depth, a, through_scratch(buffer::output, size), b, through_scratch(buffer::input, size));
    }

    /// For the part there are no gaps between blocks.
    any_schedule packed(const contract& whole, int depth) {
        std::vector<bytes_t> counts;
        for (rank_t r = 0; r < whole.ranks; ++r) counts.push_back(whole.layout().count(r));
        const buffer spread = whole.collective == collective::scatter ? buffer::input : buffer::output;
        const auto there = [=](rank_t r, buffer b) -> region {
            if (b == spread && (whole.collective == collective::allgather || r == whole.root))
                return {{b, 0}, whole.layout(), whole.ranks};
            return {{b, 0}};
        };
        contract part = whole;
        part.blocks = block_layout(counts);
        return any_schedule(rename_buffers(right(part, depth), there, whole));
    }

    /// The operands of all lower ranks, then the rank's own.
    any_schedule of_those_before(const contract& whole, int depth) {
        contract before = whole;
        before.collective = collective::exscan;
        const auto in_scratch = through_scratch(buffer::output, [m = whole.bytes](rank_t) { return m; });
        const auto own = [m = whole.bytes](rank_t, auto f) { f(edge{.size = m}); };
        const auto prefix = [m = whole.bytes](rank_t r, auto f) {
            if (r > 0) f(edge{.size = m, .from = buffer::scratch, .action = action::combine_before});
        };
        return any_schedule(then(rename_buffers(right(before, depth), in_scratch, whole),
                                 then(local_step(own, whole), local_step(prefix, whole))));
    }

    auto in_each(const contract& whole, const rank_groups& groups, const detail::leader_group<rank_groups>& leaders,
                 int depth) {
        std::vector<any_schedule> parts;
        for (rank_t g = 0; g < groups.groups(); ++g) {
            contract part = whole;
            part.ranks = groups.size(g);
            part.root = is_rooted(part.collective) ? groups.index(leaders.leader(g)) : 0;
            parts.push_back(right(part, depth));
        }
        return [parts](rank_t g) { return parts[static_cast<std::size_t>(g)]; };
    }
    any_schedule in_two_levels(const contract& whole, int depth) {
        const rank_groups groups = any_groups(whole.ranks);
        const auto leaders = leaders_of(groups, whole.root);
        contract among = whole;
        among.ranks = groups.groups(), among.root = groups.group(whole.root);
        const any_schedule across = right(among, depth);
        const auto known = [root = whole.root](rank_t r, buffer b) {
            return location{b == buffer::input && r != root ? buffer::output : b, 0};
        };
        const auto within = in_each(whole, groups, leaders, depth);
        return any_schedule(then(run_in_groups(
                                     leaders, [across](rank_t) { return across; }, as_it_is, whole),
                                 run_in_groups(groups, within, known, whole)));
    }
    any_schedule reached_by_leaders(const contract& whole, int depth) {
        const rank_groups groups = any_groups(whole.ranks);
        const auto leaders = leaders_of(groups);
        contract among = whole;
        among.ranks = groups.groups();
        const any_schedule across = right(among, depth);
        const auto within = in_each(whole, groups, leaders, depth);
        return any_schedule(then(run_in_groups(groups, within, as_it_is, whole),
                                 then(run_in_groups(
                                          leaders, [across](rank_t) { return across; }, as_it_is, whole),
                                      run_in_groups(groups, within, as_it_is, whole))));
    }

    source& from_;
};

}  // namespace fuzz
