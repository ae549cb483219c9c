#pragma once

#include <cstddef>
#include <vector>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A priority queue of events, the earliest first by <; equal events in any order. O(log size) per push and take,
/// without allocation up to the largest previous size.
///
/// take() leaves a hole for the next push(). Most events cause another one, so a pair of calls sifts through the heap
/// once.
template <class Event>
class event_queue {
  public:
    bool empty() const { return heap_.size() == (is_open_ ? 1 : 0); }

    void push(const Event& event) {
        if (is_open_) {
            is_open_ = false;
            return sink(event);
        }
        std::size_t hole = heap_.size();
        heap_.push_back(event);
        for (; hole > 0 && event < heap_[(hole - 1) / 2]; hole = (hole - 1) / 2) heap_[hole] = heap_[(hole - 1) / 2];
        heap_[hole] = event;
    }
    /// Returns the earliest event.
    /// @pre the queue is not empty
    const Event& next() {
        close();
        return heap_.front();
    }
    /// Removes and returns the earliest event.
    /// @pre the queue is not empty
    Event take() {
        close();
        is_open_ = true;
        return heap_.front();
    }

  private:
    void close() {
        if (!is_open_) return;
        is_open_ = false;
        const Event last = heap_.back();
        heap_.pop_back();
        if (!heap_.empty()) sink(last);
    }
    /// Sifts an event down from the free root. The comparison of children is unpredictable, so the code avoids a
    /// branch.
    void sink(const Event& event) {
        Event* const heap = heap_.data();
        const std::size_t size = heap_.size();
        std::size_t hole = 0, child = 1;
        for (; child + 1 < size; child = 2 * hole + 1) {
            child += static_cast<std::size_t>(heap[child + 1] < heap[child]);
            if (!(heap[child] < event)) break;
            heap[hole] = heap[child];
            hole = child;
        }
        if (child + 1 == size && heap[child] < event) {
            heap[hole] = heap[child];
            hole = child;
        }
        heap[hole] = event;
    }

    std::vector<Event> heap_;
    bool is_open_ = false;  ///< the root has been taken
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
