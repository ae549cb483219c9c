#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "collsched/core/byte_range.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Memory of fixed size for 32 small messages of a rank that wait for their receives. Only places that are used are
/// touched.
class message_shelf {
  public:
    static constexpr int places = 32;

    /// @param longest  bytes of the longest message
    explicit message_shelf(bytes_t longest)
        : longest_(longest), memory_(new std::byte[static_cast<std::size_t>(places * longest)]) {}

    /// Copies a message to a free place. Returns its address there, or null without effect: there is no place, or the
    /// message is too long.
    const std::byte* put(const std::byte* bytes, bytes_t size) {
        const int place = std::countr_one(taken_);
        if (place >= places || size > longest_) return nullptr;
        taken_ |= std::uint32_t{1} << place;
        std::byte* const at = memory_.get() + place * longest_;
        std::memcpy(at, bytes, static_cast<std::size_t>(size));
        return at;
    }
    /// Frees the place of a message. @param at  result of put()
    void clear(const std::byte* at) { taken_ &= ~(std::uint32_t{1} << (at - memory_.get()) / longest_); }

  private:
    bytes_t longest_;
    std::uint32_t taken_ = 0;  // places, a bit each
    std::unique_ptr<std::byte[]> memory_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
