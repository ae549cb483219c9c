// The part of a runtime that embeds one algorithm and the engine: an allreduce on threads, by the headers that it
// names. test/house/compile_budget.py measures its compilation.

#include <cstring>
#include <vector>

#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/execute/threads.hpp"

using namespace collsched;

int main() {
    constexpr rank_t ranks = 4;
    const allreduce::ring schedule{.ranks = ranks, .bytes = 64, .element = 8};
    std::vector<std::vector<std::byte>> own(ranks, std::vector<std::byte>(64, std::byte{1})), sums = own;
    std::vector<rank_memory> memory;
    for (std::size_t r = 0; r < own.size(); ++r) memory.push_back({own[r], sums[r]});
    const auto add = [](void*, std::byte* into, const std::byte* incoming, bytes_t size, action) {
        for (bytes_t at = 0; at < size; at += 8) {
            std::int64_t a = 0, b = 0;
            std::memcpy(&a, into + at, 8), std::memcpy(&b, incoming + at, 8);
            a += b;
            std::memcpy(into + at, &a, 8);
        }
    };
    return run_threads(schedule, memory, binding::separate, {.combine = add, .commutative = true}).done() ? 0 : 1;
}
