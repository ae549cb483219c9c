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

/// A column of the table of held data: a block, or a piece of the message that is broadcast or combined.
struct held_column {
    static constexpr rank_t all_ranks = -1;

    rank_t owner = 0;    ///< the rank that contributes the bytes; all_ranks if every rank contributes an operand
    byte_range bytes{};  ///< range within that rank's input
    rank_t block = 0;    ///< number of the block, or its destination if blocks have no number
    bool piece = false;  ///< whether the column is a piece of a payload rather than a block of the contract

    /// The sort key of a column: owner, then position.
    std::tuple<rank_t, bytes_t, bytes_t, rank_t> place() const { return {owner, bytes.offset, bytes.size, block}; }
    bool operator==(const held_column&) const = default;
};

/// The columns of a contract and how they were derived.
struct held_table {
    std::vector<held_column> columns;  ///< ascending by place()
    bool merged = false;               ///< a column is all input of one rank: too many blocks
    std::size_t of = 0;                ///< number of columns before sampling; `columns` is an evenly spaced sample
};

/// Returns whether the payload is one message or operand, which schedules may cut anywhere. Its columns are pieces.
constexpr bool cuts_payload(const contract& c) {
    return reduces(c.collective) || c.collective == collective::broadcast;
}

/// Returns the parts that make up the results of the contract, each part once. Each rank contributes one word to a
/// barrier.
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

/// Returns the pieces of the columns, cut at the ascending offsets `cuts`.
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

/// Returns one column per owner, from its first byte to its last.
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

/// Returns at most `most` columns for a contract: its blocks, or the pieces that the ascending `cuts` make of its
/// payload. If there are more blocks, they are merged by source rank. If there are more pieces, an evenly spaced sample
/// is taken.
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

/// Returns the name of a column: "3"; "0>3" for the block from rank 0 to rank 3; "[0,4)" for bytes of a broadcast or
/// combined message; "3[0,4)" for bytes of block 3.
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
