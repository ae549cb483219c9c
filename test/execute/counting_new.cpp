// Counts in support::allocations the allocations by the tests of this layer.

#include <cstddef>
#include <cstdlib>
#include <new>

#include "support/allocations.hpp"

namespace {

void* counted(std::size_t size, std::size_t alignment) {
    ++support::allocations;
    const std::size_t whole = (size + alignment - 1) / alignment * alignment;
    void* memory = alignment <= alignof(std::max_align_t)
                       ? std::malloc(size == 0 ? 1 : size)
                       : std::aligned_alloc(alignment, whole == 0 ? alignment : whole);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

// Not inlined: the compiler would pair the free() in it with the built-in new.
[[gnu::noinline]] void* operator new(std::size_t size) { return counted(size, 1); }
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
    return counted(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
