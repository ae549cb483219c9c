#pragma once

#include "collsched/core/checked.hpp"
#include "collsched/schedule/detail/schedule_ref.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/schedule/lower_bounds.hpp"
#include "collsched/schedule/detail/memory_area.hpp"
#include "collsched/schedule/stored_schedule.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Counts of a schedule. A transfer is an edge between different ranks, signals included. A message is all transfers of
/// one step between one ordered pair of ranks. A round is a step with at least one message.
struct metrics_report {
    struct rank_account;  ///< resources of one rank; result of account()

    rank_t ranks = 0;                       ///< number of ranks p
    step_t steps = 0;                       ///< number of steps
    step_t rounds = 0;                      ///< number of steps with at least one message
    std::int64_t messages = 0;              ///< number of messages of all ranks
    std::int64_t transfers = 0;             ///< number of transfers of all ranks
    std::int64_t signals = 0;               ///< number of transfers without bytes
    std::int64_t distance = 0;              ///< sum of |src - dst| over all messages
    std::int64_t max_in_degree = 0;         ///< largest number of messages to one rank in one step
    std::int64_t max_out_degree = 0;        ///< largest number of messages from one rank in one step
    owned_array<bytes_t> bytes_sent,        ///< bytes that a rank sends to others; per rank, as are the next members
        bytes_received;                     ///< bytes that a rank receives from others
    owned_array<std::int64_t> copies;       ///< local copies and combines
    owned_array<bytes_t> copied_bytes;      ///< bytes of local copies and combines
    owned_array<std::int64_t> connections;  ///< other ranks that a rank sends to or receives from
    owned_array<bytes_t> scratch;           ///< bytes of scratch
    owned_array<bytes_t> staging;           ///< of a plan with the default limit; less where it folds copies
    contract::lower_bounds bounds;          ///< lower bounds of the contract

    /// Returns the largest number of bytes that any rank sends, or receives. bounds.bytes is its lower bound.
    constexpr bytes_t volume() const {
        bytes_t largest = 0;
        for (rank_t r = 0; r < ranks; ++r) {
            if (bytes_sent[r] > largest) largest = bytes_sent[r];
            if (bytes_received[r] > largest) largest = bytes_received[r];
        }
        return largest;
    }

    /// Returns the average logical communication distance, distance / messages; 0 without messages. Source: Chen et al.
    /// 2006, section 4.
    constexpr double alcd() const {
        return messages == 0 ? 0 : static_cast<double>(distance) / static_cast<double>(messages);
    }
};

namespace detail {

/// Counts the edges of a schedule, rank by rank.
class metrics_counter {
  public:
    constexpr explicit metrics_counter(const schedule_ref& s) : s_(s), busy_(s.steps()) {
        report_.ranks = s.ranks;
        report_.steps = s.steps();
        report_.bounds = bounds_of(s.contract());
        for (auto* sizes : {&report_.bytes_sent, &report_.bytes_received, &report_.copied_bytes, &report_.scratch,
                            &report_.staging, &report_.copies, &report_.connections})
            *sizes = owned_array<std::int64_t>(s.ranks);
    }

    /// Returns whether a count exceeded 64 bits; then the report is not valid.
    constexpr bool overflowed() const { return overflowed_; }

    constexpr metrics_report count() {
        for (rank_t r = 0; r < s_.ranks; ++r) {
            report_.scratch[r] = s_.scratch(r);
            peers_.clear();
            staging_places staging(s_.staging(r) > default_staging ? s_.staging(r) : default_staging);
            for (step_t k = s_.next(r, 0); k < s_.steps(); k = s_.next(r, k + 1)) count_cell(r, k, staging);
            report_.staging[r] = staging.bytes();
            report_.connections[r] = distinct(peers_, 0);
        }
        for (step_t k = 0; k < busy_.size(); ++k) report_.rounds += busy_[k] ? 1 : 0;
        return static_cast<metrics_report&&>(report_);
    }

  private:
    constexpr void count_cell(rank_t r, step_t k, staging_places& staging) {
        const std::size_t before = peers_.size();
        s_.sends(r, k, [&](const edge& e) {
            if (e.is_local()) {
                ++report_.copies[r];
                add(report_.copied_bytes[r], e.size);
                return;
            }
            ++report_.transfers;
            report_.signals += e.is_signal() ? 1 : 0;
            add(report_.bytes_sent[r], e.size);
            add(report_.bytes_received[e.dst], e.size);
            busy_[k] = true;
            peers_.push_back(e.dst);
        });
        const std::int64_t out = distinct(peers_, before);
        for (std::size_t i = before; i < peers_.size(); ++i)
            report_.distance += peers_[i] < r ? r - peers_[i] : peers_[i] - r;
        report_.messages += out;
        const std::size_t middle = peers_.size();
        bytes_t operands = 0;
        s_.receives(r, k, [&](const edge& e) {
            peers_.push_back(e.src);
            if (e.combines()) add(operands, e.size);
        });
        staging.place(operands);
        const std::int64_t in = distinct(peers_, middle);
        report_.max_out_degree = out > report_.max_out_degree ? out : report_.max_out_degree;
        report_.max_in_degree = in > report_.max_in_degree ? in : report_.max_in_degree;
    }

    constexpr void add(bytes_t& sum, bytes_t more) {
        const checked total = checked(sum) + more;
        overflowed_ = overflowed_ || !total.ok();
        sum = total.value();
    }

    /// Sorts list[first ..], removes duplicates and returns the number of the others.
    static constexpr std::int64_t distinct(std::vector<rank_t>& list, std::size_t first) {
        sort(list.data() + first, static_cast<std::int64_t>(list.size() - first),
             [](rank_t a, rank_t b) { return a < b; });
        std::size_t end = first;
        for (std::size_t i = first; i < list.size(); ++i)
            if (i == first || list[i] != list[i - 1]) list[end++] = list[i];
        list.resize(end);
        return static_cast<std::int64_t>(end - first);
    }

    schedule_ref s_;
    metrics_report report_;
    owned_array<bool> busy_;
    bool overflowed_ = false;
    std::vector<rank_t> peers_;
};

constexpr metrics_report count_metrics(const schedule_ref& s) {
    metrics_counter counter(s);
    metrics_report report = counter.count();
    const contract contract = s.contract();
    const bool exchange = contract.collective == collective::alltoall, blocks = has_blocks(contract.collective);
    const bytes_t first = exchange ? contract.matrix().count(0, 0)
                          : blocks ? contract.layout().count(0)
                                   : contract.bytes;
    if (counter.overflowed() && refuse_if({exchange && contract.matrix().irregular() ? "matrix"
                                           : blocks                                  ? "block"
                                                                                     : "bytes",
                                           first, "sizes of which no rank sends, receives or copies 2^63 bytes"}))
        return {};
    return report;
}

}  // namespace detail

/// Returns the counts of a schedule.
///
/// Failure: wrong parameters, and counts of 2^63 and more, throw bad_argument; without exceptions the report is empty.
/// Complexity: O(edges) time, O(ranks + steps) memory.
/// @param x  schedule or algorithm
template <schedulable X>
constexpr metrics_report metrics(const X& x) {
    const auto& s = lower(x);
    if (refuse_if(s.check())) return {};
    return detail::schedule_ref::visit(s, [](const detail::schedule_ref& any) { return detail::count_metrics(any); });
}

}}  // namespace collsched::COLLSCHED_ABI
