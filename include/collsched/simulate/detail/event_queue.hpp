#pragma once

#include <cstddef>
#include <vector>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// What is to happen, the earliest first, by <; equal events in any order. O(log size) for each push and take, and no
/// allocation once it was as long.
///
/// take() leaves a hole for the next push(), since most events bring about another: one way through the heap, not two.
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
    /// The earliest; there is one.
    const Event& next() {
        close();
        return heap_.front();
    }
    /// The same, and it goes.
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
    /// From the root, which is free, to where it belongs. Nobody could foresee which of two children is the smaller: no
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
