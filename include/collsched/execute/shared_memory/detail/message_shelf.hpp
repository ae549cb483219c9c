#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/rank.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Memory of fixed size for small messages that wait for their receives: 32 places for each rank. Only places that are
/// used are touched.
class message_shelf {
  public:
    static constexpr int places = 32;

    /// @param ranks  number of senders @param longest  bytes of the longest message
    message_shelf(rank_t ranks, bytes_t longest)
        : longest_(longest),
          taken_(static_cast<std::size_t>(ranks)),
          memory_(new std::byte[taken_.size() * places * static_cast<std::size_t>(longest)]) {}

    /// Copies a message to a free place. Returns its address there, or null without effect: there is no place, or the
    /// message is too long.
    const std::byte* put(rank_t from, const std::byte* bytes, bytes_t size) {
        std::uint32_t& taken = taken_[static_cast<std::size_t>(from)];
        const int place = std::countr_one(taken);
        if (place >= places || size > longest_) return nullptr;
        taken |= std::uint32_t{1} << place;
        std::memcpy(address(from, place), bytes, static_cast<std::size_t>(size));
        return address(from, place);
    }
    /// Frees the place of a message. @param at  result of put()
    void clear(rank_t from, const std::byte* at) {
        const std::ptrdiff_t place = (at - address(from, 0)) / longest_;
        taken_[static_cast<std::size_t>(from)] &= ~(std::uint32_t{1} << place);
    }

  private:
    std::byte* address(rank_t from, int place) const { return memory_.get() + (from * places + place) * longest_; }

    bytes_t longest_;
    std::vector<std::uint32_t> taken_;  // places of each sender, a bit each
    std::unique_ptr<std::byte[]> memory_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
