#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "collsched/execute/rank_memory.hpp"

namespace support {

using namespace collsched;

/// x op y where operands may come in any order: their sum.
inline std::byte add(std::byte x, std::byte y) {
    return static_cast<std::byte>(static_cast<unsigned>(x) + static_cast<unsigned>(y));
}

/// x op y where the order counts: the composition of the maps n -> a n + b over 16 numbers, a in the upper and b in the lower
/// half of a byte. Associative, and not commutative.
inline std::byte compose(std::byte x, std::byte y) {
    const auto a = static_cast<unsigned>(x) >> 4, b = static_cast<unsigned>(x) & 15;
    const auto c = static_cast<unsigned>(y) >> 4, d = static_cast<unsigned>(y) & 15;
    return static_cast<std::byte>((a * c & 15) << 4 | ((a * d + b) & 15));
}

/// The hardest operation that a contract allows.
inline reduction operation(const contract& promise) {
    const auto combine = []<std::byte (*Op)(std::byte, std::byte)>() {
        return [](void*, std::byte* into, const std::byte* incoming, bytes_t size, action what) {
            for (bytes_t i = 0; i < size; ++i)
                into[i] = what == action::combine_before ? Op(incoming[i], into[i]) : Op(into[i], incoming[i]);
        };
    };
    if (promise.commutative) return {combine.operator()<add>(), nullptr};
    return {combine.operator()<compose>(), nullptr};
}

/// The memory of one rank, filled so that every byte of every rank's input is told from its neighbours, and the check that
/// a run left in output what the contract says, and not a byte more.
class real_bytes {
  public:
    real_bytes(const contract& promise, rank_t rank, binding how = binding::separate) : promise_(promise), rank_(rank) {
        const buffer_alias alias = promise.alias(rank, how);
        const bytes_t in = promise.input_bytes(rank), out = promise.output_bytes(rank);
        const bool inside = alias.any();
        if (inside) {
            host_.assign(static_cast<std::size_t>(promise.reach(rank, alias.host, alias)), untouched);
            input_ = host_.data() + (alias.guest == buffer::input ? alias.offset : 0);
            output_ = host_.data() + (alias.guest == buffer::output ? alias.offset : 0);
        } else {
            host_.assign(static_cast<std::size_t>(in + out), untouched);
            input_ = host_.data();
            output_ = host_.data() + in;
        }
        refill(0);
    }

    rank_memory memory() const {
        return {{input_, static_cast<std::size_t>(promise_.input_bytes(rank_))},
                {output_, static_cast<std::size_t>(promise_.output_bytes(rank_))}};
    }

    /// Fresh bytes in input, `round` telling one filling from another; output is wiped (but for what input lies in).
    void refill(int round) {
        round_ = round;
        for (std::byte& b : host_) b = untouched;
        for (bytes_t i = 0; i < promise_.input_bytes(rank_); ++i) input_[i] = brought(rank_, i);
    }

    /// Empty if all is right, else what is wrong first.
    std::string wrong() const {
        std::vector<bool> told(static_cast<std::size_t>(promise_.output_bytes(rank_)));
        std::string fault;
        promise_.results(rank_, [&](const result_range& part) {
            for (bytes_t i = 0; i < part.where.size; ++i) {
                const bytes_t at = part.where.offset + i;
                told[static_cast<std::size_t>(at)] = true;
                if (fault.empty() && output_[at] != expected(part, i)) fault = "wrong byte " + std::to_string(at);
            }
        });
        for (std::size_t i = 0; i < told.size(); ++i)
            if (fault.empty() && !told[i] && output_[i] != untouched) fault = "touched byte " + std::to_string(i);
        if (!fault.empty()) fault += " of rank " + std::to_string(rank_);
        return fault;
    }

  private:
    static constexpr std::byte untouched{0xa5};

    std::byte brought(rank_t rank, bytes_t offset) const {
        return static_cast<std::byte>((rank * 131 + offset * 7 + offset / 256 * 3 + round_ * 17 + 1) & 0xff);
    }

    std::byte expected(const result_range& part, bytes_t i) const {
        std::byte result = brought(part.first, part.at + i);
        for (rank_t r = part.first + 1; r < part.last; ++r) {
            const std::byte next = brought(r, part.at + i);
            result = promise_.commutative ? add(result, next) : compose(result, next);
        }
        return result;
    }

    contract promise_;
    rank_t rank_;
    int round_ = 0;
    std::vector<std::byte> host_;
    std::byte* input_ = nullptr;
    std::byte* output_ = nullptr;
};

}  // namespace support
