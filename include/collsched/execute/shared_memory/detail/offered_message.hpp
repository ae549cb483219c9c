#pragma once

#include <atomic>
#include <cstdint>

#include "collsched/execute/shared_memory/detail/chunked_copy.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// State of a large message that its receiver finds at remote_message::guard.
struct offered_message {
    static constexpr std::uint64_t claimed = std::uint64_t{1} << 63;

    std::atomic<std::uint64_t> id = 0;  ///< as long as the memory of the message may be read
    chunked_copy shared;                ///< within a process: the sender may copy a part

    /// Within a process: keeps the other end from using or giving back the memory until release(). False if it has done
    /// so, or the message is another one.
    bool claim(std::uint64_t expected) { return id.compare_exchange_strong(expected, expected | claimed); }
    void release() { id.store(unclaimed_id(), std::memory_order_release); }
    std::uint64_t unclaimed_id() const { return id.load(std::memory_order_relaxed) & ~claimed; }
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
