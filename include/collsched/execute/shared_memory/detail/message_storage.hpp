#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Which of up to 256 slots are taken, a bit each. The lowest that is free is taken next, so that few are ever used.
class slot_set {
  public:
    /// @param count  1 .. 256
    explicit slot_set(int count) : count_(count) {}

    int count() const { return count_; }
    /// Returns how many are taken.
    int used_count() const { return used_count_; }
    /// Takes the lowest free slot. @return -1: there is none
    int take() {
        if (used_count_ == count_) return -1;
        std::size_t word = 0;
        while (words_[word] == ~std::uint64_t{0}) ++word;
        const int bit = std::countr_one(words_[word]);
        words_[word] |= std::uint64_t{1} << bit;
        ++used_count_;
        return static_cast<int>(64 * word) + bit;
    }
    /// @pre the slot is taken
    void free(int slot) {
        words_[static_cast<std::size_t>(slot) / 64] &= ~(std::uint64_t{1} << slot % 64);
        --used_count_;
    }

  private:
    int count_, used_count_ = 0;
    std::array<std::uint64_t, 4> words_{};
};

/// Memory of fixed size for small messages of a rank that wait for their receives. Only slots that are used are touched.
class message_storage {
  public:
    /// @param longest  bytes of the longest message
    /// @param count    number of messages, a result of most_small()
    message_storage(bytes_t longest, int count)
        : longest_(static_cast<std::size_t>(longest)),
          slots_(count),
          memory_(new std::byte[static_cast<std::size_t>(count) * longest_]) {}

    /// Copies a message to a free slot. Returns its address there, or null without effect: there is no slot, or the
    /// message is too long.
    const std::byte* put(const std::byte* bytes, bytes_t size) {
        if (static_cast<std::size_t>(size) > longest_) return nullptr;
        const int slot = slots_.take();
        if (slot < 0) return nullptr;
        std::byte* const at = memory_.get() + static_cast<std::size_t>(slot) * longest_;
        std::memcpy(at, bytes, static_cast<std::size_t>(size));
        return at;
    }
    /// Frees the slot of a message. @param at  result of put()
    void clear(const std::byte* at) {
        slots_.free(static_cast<int>(static_cast<std::size_t>(at - memory_.get()) / longest_));
    }
    /// Returns whether a quarter of the slots is taken, or half, or three quarters.
    bool is_filling() const { return slots_.used_count() > 0 && slots_.used_count() % (slots_.count() / 4) == 0; }

  private:
    std::size_t longest_;
    slot_set slots_;
    std::unique_ptr<std::byte[]> memory_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
