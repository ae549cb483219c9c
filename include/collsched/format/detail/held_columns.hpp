#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "collsched/schedule/contract.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A column of "who holds what": a block, or a piece of what is broadcast or combined.
struct held_column {
    static constexpr rank_t all_ranks = -1;

    rank_t owner = 0;    ///< whose input it is a part of; all_ranks: a part of every rank's operand
    byte_range bytes{};  ///< of that input
    rank_t block = 0;    ///< its number, where blocks have one; else whom it is for
    bool piece = false;  ///< not a block of the contract, but a part of something cut

    /// Columns in order: by owner, then by place.
    std::tuple<rank_t, bytes_t, bytes_t, rank_t> place() const { return {owner, bytes.offset, bytes.size, block}; }
    bool operator==(const held_column&) const = default;
};

/// The columns of a contract, and how they came about.
struct held_table {
    std::vector<held_column> columns;  ///< ascending by place()
    bool merged = false;               ///< a column is all that one rank brings: its blocks are too many
    std::size_t of = 0;                ///< how many there are, of which `columns` is a sample, evenly spaced
};

/// Is it one message, or an operand, which schedules may cut as they like? Then columns are its pieces.
constexpr bool cuts_payload(const contract& c) {
    return reduces(c.collective) || c.collective == collective::broadcast;
}

/// What the contract's results are made of, each part once. Before a barrier every rank brings its word.
inline std::vector<held_column> result_columns(const contract& c) {
    std::vector<held_column> found;
    for (rank_t r = 0; r < c.ranks; ++r) {
        if (c.collective == collective::barrier) found.push_back({.owner = r, .bytes = {0, 1}, .block = r});
        c.results(r, [&](const contract::result_range& part) {
            const bool for_rank = c.collective == collective::alltoall ||
                                  c.collective == collective::neighbor_alltoall ||
                                  c.collective == collective::scatter || c.collective == collective::reduce_scatter;
            found.push_back({.owner = reduces(c.collective) ? held_column::all_ranks : part.first,
                             .bytes = {part.at, part.where.size},
                             .block = for_rank ? r : part.first});
        });
    }
    const auto before = [](const held_column& a, const held_column& b) { return a.place() < b.place(); };
    std::sort(found.begin(), found.end(), before);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

/// Each column in the pieces that the ascending `cuts` make of it.
inline std::vector<held_column> cut_columns(std::span<const held_column> whole, std::span<const bytes_t> cuts) {
    std::vector<held_column> pieces;
    for (const held_column& column : whole) {
        bytes_t begin = column.bytes.offset;
        const auto add = [&](bytes_t end) {
            held_column piece = column;
            piece.bytes = {begin, end - begin};
            piece.piece = piece.bytes != column.bytes;
            pieces.push_back(piece);
            begin = end;
        };
        for (auto cut = std::upper_bound(cuts.begin(), cuts.end(), begin); cut != cuts.end(); ++cut) {
            if (*cut >= column.bytes.end()) break;
            add(*cut);
        }
        add(column.bytes.end());
    }
    return pieces;
}

/// One column for each owner, from its first byte to its last.
inline std::vector<held_column> merge_owners(std::span<const held_column> columns) {
    std::vector<held_column> merged;
    for (const held_column& column : columns) {
        if (merged.empty() || merged.back().owner != column.owner) {
            merged.push_back({.owner = column.owner, .bytes = column.bytes, .block = column.owner});
            continue;
        }
        byte_range& bytes = merged.back().bytes;
        bytes.size = std::max(bytes.end(), column.bytes.end()) - bytes.offset;
    }
    return merged;
}

/// The columns for a contract: its blocks, or the pieces that `cuts` (ascending) make of its payload. At most `most`:
/// blocks beyond are merged by the rank that they come from; pieces beyond are left out, evenly.
inline held_table held_columns(const contract& c, std::span<const bytes_t> cuts, std::size_t most) {
    held_table table{detail::result_columns(c)};
    std::vector<held_column>& columns = table.columns;
    if (cuts_payload(c)) columns = detail::cut_columns(columns, cuts);
    if (columns.size() > most && !cuts_payload(c)) {
        std::vector<held_column> merged = detail::merge_owners(columns);
        table.merged = merged.size() < columns.size();
        columns = std::move(merged);
    }
    table.of = columns.size();
    if (columns.size() <= most) return table;
    std::vector<held_column> sample;
    for (std::size_t i = 0; i < most; ++i) sample.push_back(columns[i * columns.size() / most]);
    columns = std::move(sample);
    return table;
}

/// What a column is called: "3", "0>3" from 0 to 3, "[0,4)" bytes of what is broadcast or combined, "3[0,4)" of block 3.
inline std::string column_name(const contract& c, const held_column& column) {
    const bool numbered = !cuts_payload(c) || c.collective == collective::reduce_scatter;
    const bool exchanged = c.collective == collective::alltoall || c.collective == collective::neighbor_alltoall;
    std::string range = fmt::format(FMT_COMPILE("[{},{})"), column.bytes.offset, column.bytes.end());
    if (!numbered) return range;
    if (exchanged && !column.piece) return fmt::format(FMT_COMPILE("{}>{}"), column.owner, column.block);
    const std::string name = fmt::format(FMT_COMPILE("{}"), column.block);
    return column.piece ? name + range : name;
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
