#pragma once

#include <cstdint>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/detail/gap_array.hpp"
#include "collsched/core/owned_array.hpp"
#include "collsched/core/detail/sort.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// How an edge uses bytes of a buffer. One bit each.
enum class byte_use : std::uint8_t {
    read = 1,
    read_by_combine = 2,  ///< within a rank
    copied = 4,
    combined = 8,
};

/// Whether edges of a step meet where they must not: a copy what another edge writes or reads, or a combine what a combine
/// within the rank reads. O(uses), and their sort where a place has many. A place is a buffer of a rank.
class step_conflicts {
  public:
    constexpr explicit step_conflicts(std::int64_t places) : places_(places) {}

    /// A step begins.
    constexpr void clear() {
        ++step_;
        uses_.clear();
        crowded_.clear();
        found_ = false;
    }

    /// An edge uses the bytes [begin, end), at least one, of a place. Its own two ranges do not overlap.
    constexpr void add(std::int64_t place, byte_use access, bytes_t begin, bytes_t end) {
        taken& accesses = places_[place];
        if (accesses.step != step_) accesses = {step_, -1, 0};
        if (accesses.count < few) {
            for (std::int64_t i = accesses.last; i >= 0; i = uses_[i].before)
                if (uses_[i].end > begin && uses_[i].begin < end && clash(uses_[i].access, access)) found_ = true;
        } else if (accesses.count == few) {
            crowded_.push_back(place);
            ++accesses.count;
        }
        if (accesses.last >= 0 && uses_[accesses.last].access == access && uses_[accesses.last].end == begin) {
            uses_[accesses.last].end = end;
            return;
        }
        uses_.push_back({begin, end, accesses.last, access});
        accesses.last = uses_.size() - 1;
        ++accesses.count;
    }

    /// Did any?
    constexpr bool any() {
        for (std::int64_t i = 0; i < crowded_.size() && !found_; ++i) found_ = sweep(places_[crowded_[i]].last);
        return found_;
    }

  private:
    static constexpr std::int64_t few = 4;  // so many uses of a place are compared each with each

    struct use {
        bytes_t begin = 0, end = 0;
        std::int64_t before = -1;  // the use of the same place before this one
        byte_use access = byte_use::read;
    };
    struct taken {
        std::int64_t step = 0, last = -1, count = 0;
    };

    static constexpr bool clash(byte_use a, byte_use b) {
        const int both = static_cast<int>(a) | static_cast<int>(b);
        return (both & static_cast<int>(byte_use::copied)) != 0 ||
               both == (static_cast<int>(byte_use::combined) | static_cast<int>(byte_use::read_by_combine));
    }

    /// Do uses of one place, of which `last` is the last, meet?
    constexpr bool sweep(std::int64_t last) {
        sorted_.clear();
        for (; last >= 0; last = uses_[last].before) sorted_.push_back(uses_[last]);
        const auto all = sorted_.joined();
        sort(all.data(), sorted_.size(), [](const use& a, const use& b) { return a.begin < b.begin; });
        bytes_t ends[9] = {};  // of those that began so far, for each use
        for (const use& u : all) {
            for (const byte_use other :
                 {byte_use::read, byte_use::read_by_combine, byte_use::copied, byte_use::combined})
                if (ends[static_cast<int>(other)] > u.begin && clash(other, u.access)) return true;
            if (ends[static_cast<int>(u.access)] < u.end) ends[static_cast<int>(u.access)] = u.end;
        }
        return false;
    }

    owned_array<taken> places_;
    gap_array<use> uses_, sorted_;
    gap_array<std::int64_t> crowded_;  // places with more than a few uses
    std::int64_t step_ = 0;
    bool found_ = false;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
