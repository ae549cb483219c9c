#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The channels and epochs of the executions that this rank has cancelled, the last 64 of them: nobody will receive their
/// messages.
class cancelled_starts {
  public:
    static constexpr std::size_t most = 64;

    bool empty() const { return added_ == 0; }
    bool has(std::uint64_t channel, std::uint64_t epoch) const {
        const auto end = kept_.begin() + static_cast<std::ptrdiff_t>(std::min(added_, most));
        return std::find(kept_.begin(), end, start{channel, epoch}) != end;
    }
    /// @pre not has(channel, epoch)
    void add(std::uint64_t channel, std::uint64_t epoch) { kept_[added_++ % most] = {channel, epoch}; }

  private:
    struct start {
        std::uint64_t channel, epoch;
        bool operator==(const start&) const = default;
    };
    std::array<start, most> kept_{};
    std::size_t added_ = 0;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
