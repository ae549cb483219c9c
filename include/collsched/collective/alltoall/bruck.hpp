#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "collsched/core/block_matrix.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/digits.hpp"
#include "collsched/schedule/fingerprint.hpp"
#include "collsched/schedule/parameters.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace alltoall {

/// Complete exchange in which a block is forwarded by the digits of its distance in base k = radix, lowest first: in
/// step i rank r sends, for every digit d = 1 .. k-1, all blocks whose distance has d at position i to r + d * k^i.
///
/// Rounds ceil(log_k p), with at most k-1 messages per rank in each. Every rank sends and receives as many blocks as
/// the numbers 1 .. p-1 have nonzero digits: about p (k-1)/k log_k p. A block is sent from its place in `input` and
/// finally received at its place in `output`. In between it is stored in scratch, alternately in one of the two slots
/// of its distance: at most 2 blocks for each distance with two or more nonzero digits, in total less than 2^63 bytes.
/// Only the own block is copied. Time O(p log p) per rank and step.
/// Source: Bruck, Ho, Kipnis, Upfal, Weathersby 1997.
struct bruck {
    rank_t ranks = 1;
    block_matrix block = 0;
    std::int64_t radix = 2;

    static constexpr algorithm_info info{
        .collective = collective::alltoall, .name = "bruck", .rounds = "ceil(log_k p)", .source = "Bruck et al. 1997"};

    class by_digits;
    constexpr by_digits view() const;
    constexpr argument_error check() const {
        if (radix < 2) return {"radix", radix, "2 or more"};
        return block.irregular() ? check_sum() : check_largest();
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("radix", self.radix);
    }
    bool operator==(const bruck&) const = default;

  private:
    /// Scratch contains at most two blocks of each distance.
    constexpr argument_error check_largest() const {
        bytes_t largest = 0;
        for (rank_t j = 0; j < (block.uniform() ? 1 : ranks); ++j)
            if (largest < block.count(0, j)) largest = block.count(0, j);
        if ((checked(2) * ranks * largest).ok()) return {};
        return {"block", largest, "2 * ranks * block below 2^63 bytes"};
    }
    /// Scratch contains no block twice at a time.
    constexpr argument_error check_sum() const {
        checked all = 0;
        for (rank_t i = 0; i < ranks; ++i) all = all + block.sent(i, ranks);
        if (all.ok()) return {};
        return {"block", block.sent(0, ranks), "bytes that all ranks send together below 2^63"};
    }
};

/// The schedule. The block of a distance with h nonzero digits makes h hops. After n hops, 0 < n < h, it is in slot
/// (n-1) mod 2 of that distance.
class bruck::by_digits {
  public:
    rank_t ranks;

    /// Constructs the schedule. check() reports wrong parameters.
    ///
    /// @param algorithm  the parameters
    constexpr explicit by_digits(const bruck& algorithm)
        : ranks(algorithm.ranks),
          algorithm_(algorithm),
          rounds_(check() ? 0 : ceil_log(algorithm.radix, algorithm.ranks)) {}

    constexpr step_t steps() const { return ranks == 1 ? 1 : rounds_; }
    constexpr step_t next(rank_t, step_t k) const { return k < steps() ? k : steps(); }

    constexpr void sends(rank_t r, step_t k, auto f) const {
        if (k == 0 && algorithm_.block.count(r, r) > 0)
            f(edge{.src = r,
                   .dst = r,
                   .from_offset = algorithm_.block.send_displ(r, r),
                   .into_offset = algorithm_.block.recv_displ(r, r),
                   .size = algorithm_.block.count(r, r)});
        hops(k, [&](rank_t distance, digit of) { message(r, wrap(r + distance, ranks), k, of, f); });
    }
    constexpr void receives(rank_t r, step_t k, auto f) const {
        hops(k, [&](rank_t distance, digit of) { message(wrap(r - distance, ranks), r, k, of, f); });
    }

    constexpr bytes_t scratch(rank_t r) const {
        places all(*this, r);
        while (all.distance() < ranks) all.advance();
        return all.end();
    }
    constexpr bytes_t staging(rank_t) const { return 0; }
    constexpr collsched::pacing pacing() const { return {}; }
    constexpr collsched::contract contract() const { return contract_of(algorithm_); }
    constexpr argument_error check() const { return check_parameters(algorithm_); }
    constexpr std::uint64_t fingerprint() const { return collsched::detail::describe(algorithm_); }

  private:
    /// The digit `value` at the position whose weight is `weight`.
    struct digit {
        rank_t weight, value;
        constexpr bool in(rank_t distance, std::int64_t base) const { return distance / weight % base == value; }
    };

    /// Calls f(distance of the hop, digit) for every message of a step.
    constexpr void hops(step_t k, auto f) const {
        const rank_t weight = power(algorithm_.radix, k);
        digit_distances(algorithm_.radix, k, ranks,
                        [&](rank_t distance) { f(distance, digit{weight, distance / weight}); });
    }

    /// Iterates over the distances 1 .. p-1 on one rank, and over the ranges of their blocks in its scratch.
    class places {
      public:
        constexpr places(const by_digits& s, rank_t r) : s_(s), rank_(r) { measure(); }

        constexpr rank_t distance() const { return distance_; }
        constexpr bytes_t end() const { return start_; }
        constexpr void advance() {
            start_ += room_[0] + room_[1];
            ++distance_;
            measure();
        }

        /// The location and size of the block of this distance after all hops over digits below `weight`.
        struct place {
            buffer memory;   ///< input, output or scratch
            bytes_t offset;  ///< in bytes
            bytes_t size;    ///< in bytes
        };
        constexpr place after(rank_t weight) const {
            const rank_t done = distance_ % weight, from = wrap(rank_ - done, s_.ranks);
            const rank_t to = wrap(from + distance_, s_.ranks);
            const block_matrix& blocks = s_.algorithm_.block;
            const bytes_t size = blocks.count(from, to);
            if (done == 0) return {buffer::input, blocks.send_displ(from, to), size};
            if (done == distance_) return {buffer::output, blocks.recv_displ(from, to), size};
            return {buffer::scratch, start_ + (s_.digits(done) % 2 == 0 ? room_[0] : 0), size};
        }

      private:
        /// Computes the largest size of the blocks that occupy each of the two slots.
        constexpr void measure() {
            room_[0] = room_[1] = 0;
            if (distance_ >= s_.ranks) return;
            if (!std::is_constant_evaluated() && s_.algorithm_.block.uniform()) {
                const int stops = s_.digits(distance_) - 1;
                room_[0] = stops > 0 ? s_.algorithm_.block.count(0, 0) : 0;
                room_[1] = stops > 1 ? room_[0] : 0;
                return;
            }
            int hops = 0;
            for (rank_t weight = 1; distance_ / weight >= s_.algorithm_.radix;) {
                const rank_t current_digit = distance_ / weight % s_.algorithm_.radix;
                weight *= s_.algorithm_.radix;
                if (current_digit == 0) continue;
                const bytes_t size = after_hops(weight);
                bytes_t& room = room_[hops++ % 2];
                if (room < size) room = size;
            }
        }
        constexpr bytes_t after_hops(rank_t weight) const {
            const rank_t from = wrap(rank_ - distance_ % weight, s_.ranks);
            return s_.algorithm_.block.count(from, wrap(from + distance_, s_.ranks));
        }

        const by_digits& s_;
        rank_t rank_;
        rank_t distance_ = 1;
        bytes_t start_ = 0;
        bytes_t room_[2] = {0, 0};
    };

    /// Returns the number of nonzero digits of a distance.
    constexpr int digits(rank_t distance) const {
        if (algorithm_.radix == 2 && !std::is_constant_evaluated())
            return std::popcount(static_cast<std::uint64_t>(distance));
        int n = 0;
        for (; distance > 0; distance /= algorithm_.radix) n += distance % algorithm_.radix != 0 ? 1 : 0;
        return n;
    }

    constexpr void message(rank_t src, rank_t dst, step_t k, digit of, auto& f) const {
        places source(*this, src), target(*this, dst);
        for (; source.distance() < ranks; source.advance(), target.advance()) {
            if (!of.in(source.distance(), algorithm_.radix)) continue;
            const auto from = source.after(of.weight);
            const auto into =
                target.after(of.weight > source.distance() / algorithm_.radix ? ranks : of.weight * algorithm_.radix);
            if (from.size > 0)
                f(edge{.step = k,
                       .src = src,
                       .dst = dst,
                       .from_offset = from.offset,
                       .into_offset = into.offset,
                       .size = from.size,
                       .from = from.memory,
                       .into = into.memory});
        }
    }

    bruck algorithm_;
    step_t rounds_;
};

constexpr bruck::by_digits bruck::view() const { return by_digits(*this); }

}}}  // namespace collsched::COLLSCHED_ABI::alltoall
