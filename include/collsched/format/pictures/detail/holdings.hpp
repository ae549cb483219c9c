#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "collsched/format/detail/block_trace.hpp"
#include "collsched/schedule/contract.hpp"
#include "collsched/schedule/detail/edge_steps.hpp"
#include "collsched/verify/detail/replay.hpp"
#include "collsched/verify/verify.hpp"

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
inline std::vector<held_column> cut_columns(std::span<const held_column> columns, std::span<const bytes_t> cuts) {
    std::vector<held_column> pieces;
    for (const held_column& column : columns) {
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

/// The part of a column that a rank holds.
struct holding {
    rank_t rank = 0;
    std::size_t column = 0;
    std::int64_t amount = 0;     ///< bytes held; in a reduction the largest number of operands combined in one place
    std::string contributors{};  ///< in a reduction, the ranks whose operands are combined: "0-3", "0-3,6"
    bool operator==(const holding&) const = default;
};

/// The data that each rank holds before and after each step of a schedule, in all its buffers together, as the replay
/// reports it. In a barrier the columns are ranks, and a rank holds a column if it has received a signal from that
/// rank, directly or not. A schedule that violates a rule is replayed up to the step of the violation.
class holdings {
  public:
    static constexpr std::size_t most_columns = 256;

    holdings(const stored_schedule& s, binding binding, std::size_t most = most_columns)
        : s_(s), binding_(binding), table_(held_columns(s.contract(), cuts(), most)) {}

    const held_table& table() const { return table_; }
    std::span<const held_column> columns() const { return table_.columns; }
    /// Returns the amount that makes a column complete.
    std::int64_t full_amount(std::size_t column) const {
        return reduces(s_.contract().collective) ? s_.ranks : columns()[column].bytes.size;
    }

    /// Returns whether the contract promises the rank a part of the column.
    bool promised(rank_t r, std::size_t column) const {
        const held_column& held = columns()[column];
        bool found = s_.contract().collective == collective::barrier;
        s_.contract().results(r, [&](const contract::result_range& part) {
            const bool owned = held.owner == held_column::all_ranks || held.owner == part.first;
            found = found || (owned && overlap({part.at, part.where.size}, held.bytes));
        });
        return found;
    }

    /// Calls f(step, std::span<const holding>): once with step -1 for the initial state, then with the changes of each
    /// step that has edges. Returns the first violation, if any.
    template <class F>
    verdict for_each_step(F f) const {
        replay state(s_, binding_);
        signal_reach signals(s_.ranks);
        std::vector<std::vector<holding>> rows(static_cast<std::size_t>(s_.ranks));
        std::vector<holding> changed;
        const auto look_at = [&](rank_t r) {
            std::vector<holding> now =
                s_.contract().collective == collective::barrier ? signaled_by(signals, r) : held_by(state, r);
            std::vector<holding>& row = rows[static_cast<std::size_t>(r)];
            row.resize(now.size(), {.rank = r});
            for (std::size_t i = 0; i < now.size(); ++i)
                if (now[i].amount != row[i].amount || now[i].contributors != row[i].contributors)
                    changed.push_back(now[i]);
            row = std::move(now);
        };
        for (rank_t r = 0; r < s_.ranks; ++r) look_at(r);
        f(step_t{-1}, std::span<const holding>(changed));
        return steps(state, [&](std::span<const edge> edges) {
            signals.step(edges);
            changed.clear();
            for (const rank_t r : targets(edges)) look_at(r);
            f(edges.front().step, std::span<const holding>(changed));
        });
    }

  private:
    /// Replays the schedule and calls f(edges) after each step. Returns the first violation, if any.
    template <class F>
    verdict steps(replay& state, F f) const {
        verdict fault{};
        collsched::detail::for_each_step(s_.edges(), [&](std::span<const edge> edges) {
            if (fault.ok()) fault = state.step(edges);
            if (fault.ok()) f(edges);
        });
        return fault;
    }

    static std::vector<rank_t> targets(std::span<const edge> edges) {
        std::vector<rank_t> found;
        for (const edge& e : edges) found.push_back(e.dst);
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }

    /// Returns the offsets at which parts of a payload with different histories meet.
    std::vector<bytes_t> cuts() const {
        std::vector<bytes_t> found;
        if (!cuts_payload(s_.contract())) return found;
        replay state(s_, binding_);
        steps(state, [&](std::span<const edge> edges) {
            for (const rank_t r : targets(edges))
                state.visit_held(r, [&](operand_id, byte_range part) {
                    found.push_back(part.offset);
                    found.push_back(part.end());
                });
            std::sort(found.begin(), found.end());
            found.erase(std::unique(found.begin(), found.end()), found.end());
        });
        return found;
    }

    std::vector<holding> nothing(rank_t r) const {
        std::vector<holding> row(columns().size());
        for (std::size_t i = 0; i < row.size(); ++i) row[i] = {.rank = r, .column = i};
        return row;
    }

    std::vector<holding> signaled_by(const signal_reach& signals, rank_t r) const {
        std::vector<holding> row = nothing(r);
        for (holding& holding : row) holding.amount = signals.has(r, columns()[holding.column].owner) ? 1 : 0;
        return row;
    }

    std::vector<holding> held_by(replay& state, rank_t r) const {
        std::vector<holding> row = nothing(r);
        if (reduces(s_.contract().collective)) {
            state.visit_held(r, [&](operand_id id, byte_range part) {
                for (holding& holding : row)
                    if (overlap(columns()[holding.column].bytes, part)) keep_larger(holding, state.operands(), id);
            });
            return row;
        }
        std::vector<std::pair<std::size_t, byte_range>> parts;
        state.visit_held(r, [&](operand_id id, byte_range part) {
            const auto first =
                std::lower_bound(columns().begin(), columns().end(), id,
                                 [](const held_column& column, rank_t owner) { return column.owner < owner; });
            for (auto entry = first; entry != columns().end() && entry->owner == id; ++entry) {
                const bytes_t from = std::max(entry->bytes.offset, part.offset);
                const bytes_t to = std::min(entry->bytes.end(), part.end());
                if (from < to)
                    parts.push_back({static_cast<std::size_t>(entry - columns().begin()), {from, to - from}});
            }
        });
        add_up(parts, row);
        return row;
    }

    static void keep_larger(holding& holding, const operand_table& operands, operand_id id) {
        rank_t combined = 0;
        operands.visit(id, [&](rank_t first, rank_t last) { combined += last - first; });
        if (combined <= holding.amount) return;
        holding.amount = combined;
        holding.contributors.clear();
        const auto out = std::back_inserter(holding.contributors);
        operands.visit(id, [&](rank_t first, rank_t last) {
            fmt::format_to(out, FMT_COMPILE("{}{}"), holding.contributors.empty() ? "" : ",", first);
            if (last - first > 1) fmt::format_to(out, FMT_COMPILE("-{}"), last - 1);
        });
    }

    /// Adds up the bytes of a row. Bytes held twice count once.
    static void add_up(std::vector<std::pair<std::size_t, byte_range>>& parts, std::vector<holding>& row) {
        std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
            return a.first != b.first ? a.first < b.first : a.second.offset < b.second.offset;
        });
        bytes_t reached = 0;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const auto& [column, bytes] = parts[i];
            if (i == 0 || parts[i - 1].first != column) reached = bytes.offset;
            row[column].amount += std::max<bytes_t>(0, bytes.end() - std::max(reached, bytes.offset));
            reached = std::max(reached, bytes.end());
        }
    }

    const stored_schedule& s_;
    binding binding_;
    held_table table_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
