#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "collsched/execute/rank_memory.hpp"

namespace support {

using namespace collsched;

/// The memory of one rank, filled so that every byte of every rank's input is told from its neighbours, and the check that
/// a run left in output what the contract says, and not a byte more.
class real_bytes {
  public:
    real_bytes(const contract& promise, rank_t rank, binding how = binding::separate) : promise_(promise), rank_(rank) {
        const buffer_alias alias = promise.alias(rank, how);
        const bytes_t in = promise.input_bytes(rank), out = promise.output_bytes(rank);
        const bool inside = alias.any();
        if (inside) {
            const bytes_t host = alias.host == buffer::input ? in : out;
            host_.assign(static_cast<std::size_t>(host), untouched);
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

    /// Empty if all is right, else what is wrong first. Only for collectives that copy.
    std::string wrong() const {
        std::vector<bool> told(static_cast<std::size_t>(promise_.output_bytes(rank_)));
        std::string fault;
        promise_.results(rank_, [&](const result_range& part) {
            for (bytes_t i = 0; i < part.where.size; ++i) {
                const bytes_t at = part.where.offset + i;
                told[static_cast<std::size_t>(at)] = true;
                if (fault.empty() && output_[at] != brought(part.first, part.at + i))
                    fault = "wrong byte " + std::to_string(at);
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

    contract promise_;
    rank_t rank_;
    int round_ = 0;
    std::vector<std::byte> host_;
    std::byte* input_ = nullptr;
    std::byte* output_ = nullptr;
};

}  // namespace support
