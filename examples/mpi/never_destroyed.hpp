#pragma once

#include <atomic>

namespace collsched::preload {

/// An object for the whole process, made when first used and never destroyed: libraries of the program may call MPI
/// before the static objects of this library are made, and after they are destroyed. Several threads may use it first.
template <class T>
class never_destroyed {
  public:
    constexpr never_destroyed() = default;
    never_destroyed(const never_destroyed&) = delete;
    never_destroyed& operator=(const never_destroyed&) = delete;

    T& operator*() {
        T* one = made_.load(std::memory_order_acquire);
        return one != nullptr ? *one : make();
    }
    T* operator->() { return &**this; }

  private:
    T& make() {
        T* const mine = new T();
        T* other = nullptr;
        if (made_.compare_exchange_strong(other, mine)) return *mine;
        delete mine;
        return *other;
    }

    std::atomic<T*> made_ = nullptr;
};

}  // namespace collsched::preload
