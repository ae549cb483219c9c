#pragma once

#include <cstddef>
#include <cstring>
#include <memory>

#include "collsched/core/byte_range.hpp"
#include "collsched/execute/shared_memory/detail/places.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Memory of fixed size for small messages of a rank that wait for their receives. Only places that are used are touched.
class message_shelf {
  public:
    /// @param longest  bytes of the longest message
    /// @param most     number of messages, a result of most_small()
    message_shelf(bytes_t longest, int most)
        : longest_(static_cast<std::size_t>(longest)),
          taken_(most),
          memory_(new std::byte[static_cast<std::size_t>(most) * longest_]) {}

    /// Copies a message to a free place. Returns its address there, or null without effect: there is no place, or the
    /// message is too long.
    const std::byte* put(const std::byte* bytes, bytes_t size) {
        if (static_cast<std::size_t>(size) > longest_) return nullptr;
        const int place = taken_.take();
        if (place < 0) return nullptr;
        std::byte* const at = memory_.get() + static_cast<std::size_t>(place) * longest_;
        std::memcpy(at, bytes, static_cast<std::size_t>(size));
        return at;
    }
    /// Frees the place of a message. @param at  result of put()
    void clear(const std::byte* at) {
        taken_.free(static_cast<int>(static_cast<std::size_t>(at - memory_.get()) / longest_));
    }
    /// Returns whether a quarter of the places is taken, or half, or three quarters.
    bool is_filling() const { return taken_.taken() > 0 && taken_.taken() % (taken_.count() / 4) == 0; }

  private:
    std::size_t longest_;
    places taken_;
    std::unique_ptr<std::byte[]> memory_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
