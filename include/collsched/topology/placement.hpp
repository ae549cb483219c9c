#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/error.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/core/shared.hpp"

namespace collsched::inline v0_1::topology {

/// Which computer each rank runs on. Several ranks may share a computer. A wrong placement is told by check().
class placement {
  public:
    constexpr placement() = default;

    /// Neighbouring ranks together: of p ranks on n computers the first p mod n computers hold one more than the
    /// others.
    static constexpr placement block(rank_t ranks, rank_t computers) {
        if (ranks < 1 || computers < 1) return {owned_array<rank_t>(ranks), computers};
        const rank_t share = ranks / computers, more = ranks % computers;
        owned_array<rank_t> seats(ranks);
        for (rank_t r = 0; r < ranks; ++r)
            seats[r] = r < more * (share + 1) ? r / (share + 1) : more + (r - more * (share + 1)) / share;
        return {static_cast<owned_array<rank_t>&&>(seats), computers};
    }
    /// Dealt out like cards: rank r on computer r mod n.
    static constexpr placement cyclic(rank_t ranks, rank_t computers) {
        owned_array<rank_t> seats(ranks);
        for (rank_t r = 0; r < ranks && computers > 0; ++r) seats[r] = r % computers;
        return {static_cast<owned_array<rank_t>&&>(seats), computers};
    }
    /// Rank r on where[r].
    static constexpr placement list(std::span<const rank_t> where, rank_t computers) {
        return {owned_array<rank_t>(where), computers};
    }

    /// Of ranks in the places of these: rank r where rank above.computer(r) is here. Wrong if that is none.
    constexpr placement under(const placement& above) const {
        if (above.ranks() == 0) return above;
        owned_array<rank_t> seats(above.ranks());
        for (rank_t r = 0; r < seats.size(); ++r)
            seats[r] = above.computer(r) < ranks() ? computer(above.computer(r)) : -1;
        return {static_cast<owned_array<rank_t>&&>(seats), computers_};
    }

    constexpr rank_t ranks() const { return computer_ ? computer_->size() : 0; }
    constexpr rank_t computers() const { return computers_; }
    constexpr rank_t computer(rank_t r) const { return (*computer_)[r]; }
    /// How many ranks each computer holds. O(ranks + computers).
    constexpr owned_array<rank_t> residents() const {
        owned_array<rank_t> counts(computers_);
        for (rank_t r = 0; r < ranks(); ++r) ++counts[computer(r)];
        return counts;
    }

    constexpr error check() const { return wrong_; }
    /// f(number) for the numbers that tell this placement from others.
    template <class F>
    constexpr void describe(F f) const {
        f(ranks());
        for (rank_t r = 0; r < ranks(); ++r) f(computer(r));
    }
    bool operator==(const placement&) const = default;

  private:
    constexpr placement(owned_array<rank_t> seats, rank_t computers) : computers_(computers) {
        if (seats.empty()) wrong_ = {"ranks", 0, "1 or more"};
        else if (computers < 1) wrong_ = {"computers", computers, "1 or more"};
        for (rank_t r = 0; r < seats.size() && !wrong_; ++r)
            if (seats[r] < 0 || seats[r] >= computers)
                wrong_ = {"placement", seats[r], "a computer, 0 to computers-1", r};
        if (!wrong_) computer_ = shared<owned_array<rank_t>>(static_cast<owned_array<rank_t>&&>(seats));
    }

    rank_t computers_ = 0;
    shared<owned_array<rank_t>> computer_;
    error wrong_;
};

}  // namespace collsched::inline v0_1::topology
