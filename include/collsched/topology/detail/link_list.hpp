#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/argument_error.hpp"
#include "collsched/core/checked.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/cable.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Most links of a network that a function builds: half a gigabyte.
inline constexpr std::int64_t most_network_links = std::int64_t{1} << 24;

/// An error if a parameter is below its least value, or if a network is too large for memory.
class shape_check {
  public:
    /// Requires `value` to be in least .. 2^24.
    constexpr shape_check& at_least(const char* argument, std::int64_t value, std::int64_t least,
                                    const char* expected) {
        if (!error_ && (value < least || value > most_network_links)) error_ = {argument, value, expected};
        return *this;
    }
    /// Requires at most 2^24 links. `value` is the parameter that the error names.
    constexpr shape_check& links(const char* argument, std::int64_t value, checked count) {
        if (!error_ && (!count.ok() || count.value() > most_network_links))
            error_ = {argument, value, "at most 2^24 links"};
        return *this;
    }
    /// Requires rates that a network accepts.
    constexpr shape_check& rates(const topology::cable& of, std::int64_t index = -1) {
        if (!error_ && of.bandwidth < 1) error_ = {"bandwidth", of.bandwidth, "1 byte per second or more", index};
        if (!error_ && of.latency < 0) error_ = {"latency", of.latency, "0 picoseconds or more", index};
        return *this;
    }
    constexpr argument_error error() const { return error_; }

  private:
    argument_error error_;
};

/// The links of a network, of which there are at most a given number.
class link_list {
  public:
    constexpr explicit link_list(std::int64_t most) : links_(most) {}

    /// Adds one direction.
    constexpr void link(rank_t from, rank_t to, const topology::cable& of) {
        links_[size_++] = {from, to, of.bandwidth, of.latency};
    }
    /// Adds both directions.
    constexpr void both(rank_t a, rank_t b, const topology::cable& of) {
        link(a, b, of);
        link(b, a, of);
    }
    constexpr topology::network build(rank_t ranks, rank_t switches) const {
        return topology::network(
            ranks, switches, std::span<const topology::network::link>(links_).first(static_cast<std::size_t>(size_)));
    }

  private:
    owned_array<topology::network::link> links_;
    std::int64_t size_ = 0;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
