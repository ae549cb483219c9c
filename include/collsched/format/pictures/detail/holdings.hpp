#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "collsched/format/detail/block_trace.hpp"
#include "collsched/format/pictures/detail/held_columns.hpp"
#include "collsched/schedule/detail/edge_steps.hpp"
#include "collsched/verify/detail/signal_reach.hpp"
#include "collsched/verify/detail/replay.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The part of a column that a rank holds.
struct holding {
    rank_t rank = 0;
    std::size_t column = 0;
    std::int64_t amount = 0;  ///< bytes held; in a reduction the largest number of operands combined in one place
    std::string whose{};      ///< in a reduction, the ranks whose operands are combined: "0-3", "0-3,6"
    bool operator==(const holding&) const = default;
};

/// The data that each rank holds before and after each step of a schedule, in all its buffers together, as the replay
/// reports it. In a barrier the columns are ranks, and a rank holds a column if it has received a signal from that
/// rank, directly or not. A schedule that violates a rule is replayed up to the step of the violation.
class holdings {
  public:
    static constexpr std::size_t most_columns = 256;

    holdings(const stored_schedule& s, binding binding, std::size_t most = most_columns)
        : s_(s), how_(binding), table_(held_columns(s.promise(), cuts(), most)) {}

    const held_table& table() const { return table_; }
    std::span<const held_column> columns() const { return table_.columns; }
    /// Returns the amount that makes a column complete.
    std::int64_t whole(std::size_t column) const {
        return reduces(s_.promise().collective) ? s_.ranks : columns()[column].bytes.size;
    }

    /// Returns whether the contract promises the rank a part of the column.
    bool promised(rank_t r, std::size_t column) const {
        const held_column& held = columns()[column];
        bool found = s_.promise().collective == collective::barrier;
        s_.promise().results(r, [&](const contract::result_range& part) {
            const bool owned = held.owner == held_column::all_ranks || held.owner == part.first;
            found = found || (owned && overlap({part.at, part.where.size}, held.bytes));
        });
        return found;
    }

    /// Calls f(step, std::span<const holding>): once with step -1 for the initial state, then with the changes of each
    /// step that has edges. Returns the first violation, if any.
    template <class F>
    verdict for_each_step(F f) const {
        replay state(s_, how_);
        signal_reach signals(s_.ranks);
        std::vector<std::vector<holding>> rows(static_cast<std::size_t>(s_.ranks));
        std::vector<holding> changed;
        const auto look_at = [&](rank_t r) {
            std::vector<holding> now =
                s_.promise().collective == collective::barrier ? signaled_by(signals, r) : held_by(state, r);
            std::vector<holding>& row = rows[static_cast<std::size_t>(r)];
            row.resize(now.size(), {.rank = r});
            for (std::size_t i = 0; i < now.size(); ++i)
                if (now[i].amount != row[i].amount || now[i].whose != row[i].whose) changed.push_back(now[i]);
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
        if (!cuts_payload(s_.promise())) return found;
        replay state(s_, how_);
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
        if (reduces(s_.promise().collective)) {
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
        holding.whose.clear();
        const auto out = std::back_inserter(holding.whose);
        operands.visit(id, [&](rank_t first, rank_t last) {
            fmt::format_to(out, FMT_COMPILE("{}{}"), holding.whose.empty() ? "" : ",", first);
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
    binding how_;
    held_table table_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
