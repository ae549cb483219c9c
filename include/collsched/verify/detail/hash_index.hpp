#pragma once

#include <cstddef>
#include <cstdint>

#include "collsched/core/owned_array.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Index of numbers by a hash of the values that they represent. O(1) per call with distributed hashes. Works during
/// constant evaluation.
class hash_index {
  public:
    /// Returns the number added with this hash for which equal(number) is true, or -1.
    template <class Equal>
    constexpr std::int64_t find(std::uint64_t hash, Equal equal) const {
        if (slots_.empty()) return -1;
        const slot* const slots = slots_.begin();
        for (std::uint64_t i = hash & mask_; slots[i].number >= 0; i = (i + 1) & mask_)
            if (slots[i].hash == hash && equal(slots[i].number)) return slots[i].number;
        return -1;
    }

    /// Adds a number, 0 or more.
    constexpr void add(std::uint64_t hash, std::int64_t number) {
        if (2 * ++count_ > slots_.size()) grow();
        place({hash, number});
    }

  private:
    struct slot {
        std::uint64_t hash;
        std::int64_t number = -1;
    };

    constexpr void place(const slot& entry) {
        slot* const slots = slots_.begin();
        std::uint64_t i = entry.hash & mask_;
        while (slots[i].number >= 0) i = (i + 1) & mask_;
        slots[i] = entry;
    }

    constexpr void grow() {
        const owned_array<slot> before = static_cast<owned_array<slot>&&>(slots_);
        slots_ = owned_array<slot>(before.empty() ? 16 : 2 * before.size());
        mask_ = static_cast<std::uint64_t>(slots_.size()) - 1;
        for (const slot& s : before)
            if (s.number >= 0) place(s);
    }

    owned_array<slot> slots_;  // a power of two, at most half of them used
    std::uint64_t mask_ = 0;
    std::int64_t count_ = 0;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
