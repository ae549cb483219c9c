#pragma once

#include <string>
#include <string_view>

#include "collsched/collective/algorithm_list.hpp"
#include "collsched/format/text.hpp"
#include "collsched/select/algorithm_association.hpp"
#include "collsched/verify/combination_trees.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Returns a tree as text, such as "((0 1) (2 3))".
/// @param trees  trees of a schedule
/// @param tree   number of one of them
inline std::string tree_text(const combination_trees& trees, std::int64_t tree) {
    std::string text;
    trees.spell(tree, [&](char c) { text += c; });
    return text;
}

/// Returns the canonical tree of the ranks 0 .. ranks-1 as text, such as "((0 1) 2)".
/// @param kind   a reduction
/// @param ranks  number of ranks, 1 or more
inline std::string canonical_tree_text(collective kind, rank_t ranks) {
    const auto write = [kind](const auto& self, rank_t first, rank_t n) -> std::string {
        if (n == 1) return fmt::format("{}", first);
        const rank_t split = canonical_split(kind, n);
        return fmt::format("({} {})", self(self, first, split), self(self, first + split, n - split));
    };
    return write(write, 0, ranks);
}

}  // namespace detail

/// Writes the class of a schedule and, where the next class fails, two bytes of the result with their trees, or one with
/// the canonical tree.
/// @param out    output iterator for the text
/// @param trees  trees of a schedule, which is correct
/// @return the iterator behind the text
template <std::output_iterator<char> Out>
Out write_association(Out out, const combination_trees& trees) {
    detail::pen put(std::move(out));
    const association_report report = trees.association();
    put(FMT_COMPILE("association: {}\n"), name_of(report.level));
    const auto line = [&](const association_report::result_byte& at) {
        put(FMT_COMPILE("  rank {}, byte {}: {}\n"), at.rank, at.byte, detail::tree_text(trees, trees.tree(at)));
    };
    if (report.has(association_class::canonical)) return put.done();
    line(report.first);
    if (report.level < association_class::position) line(report.second);
    else
        put(FMT_COMPILE("  canonical: {}\n"),
            detail::canonical_tree_text(trees.collective(), trees.result_ranks(report.first.rank)));
    return put.done();
}

}}  // namespace collsched::COLLSCHED_ABI
