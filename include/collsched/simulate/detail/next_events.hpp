#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "collsched/cost/concepts.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The next event of each number from 0, if it has one, ordered by time and then by number: a heap with the place
/// of each number. A change is O(log events), without allocation up to the largest previous size.
class next_events {
  public:
    /// Adds the next number, without an event.
    void add() { places_.push_back(none); }
    bool empty() const { return heap_.empty(); }
    /// Returns the time of the earliest event.
    /// @pre there is an event
    picoseconds time() const { return heap_.front().time; }
    /// Returns the number of the earliest event.
    /// @pre there is an event
    std::int64_t number() const { return heap_.front().number; }

    /// Sets the time of the event of a number.
    void set(std::int64_t number, picoseconds time) {
        std::size_t& place = places_[static_cast<std::size_t>(number)];
        if (place == none) {
            place = heap_.size();
            heap_.push_back({time, number});
        } else {
            heap_[place].time = time;
        }
        sift(place);
    }
    /// Removes the event of a number, if it has one.
    void remove(std::int64_t number) {
        const std::size_t place = std::exchange(places_[static_cast<std::size_t>(number)], none);
        if (place == none) return;
        const event last = heap_.back();
        heap_.pop_back();
        if (place == heap_.size()) return;
        put(place, last);
        sift(place);
    }

  private:
    static constexpr std::size_t none = ~std::size_t{0};
    static constexpr std::size_t children = 4;

    struct event {
        picoseconds time;
        std::int64_t number;

        bool operator<(const event& other) const {
            return time != other.time ? time < other.time : number < other.number;
        }
    };

    void put(std::size_t place, const event& put) {
        heap_[place] = put;
        places_[static_cast<std::size_t>(put.number)] = place;
    }
    /// Moves the event at `place` to its place by order, towards the root or away from it.
    void sift(std::size_t place) {
        const event moved = heap_[place];
        for (; place > 0 && moved < heap_[(place - 1) / children]; place = (place - 1) / children)
            put(place, heap_[(place - 1) / children]);
        for (;;) {
            const std::size_t first = place * children + 1, end = std::min(first + children, heap_.size());
            if (first >= heap_.size()) break;
            std::size_t least = first;
            for (std::size_t child = first + 1; child < end; ++child)
                if (heap_[child] < heap_[least]) least = child;
            if (!(heap_[least] < moved)) break;
            put(place, heap_[least]);
            place = least;
        }
        put(place, moved);
    }

    std::vector<event> heap_;
    std::vector<std::size_t> places_;  // of each number in heap_
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
