// A schedule is a value: proved at compile time, listed rank by rank, executed on real bytes.

#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "collsched/collective.hpp"
#include "collsched/execute.hpp"
#include "collsched/verify.hpp"

using namespace collsched;

static_assert(proved<verify(allgather::ring{.ranks = 4, .block = 6})>);

int main() {
    const allgather::ring ring{.ranks = 4, .block = 6};
    for (const edge& e : program(ring, 2))
        std::printf("step %d: %d -> %d, %d bytes\n", int(e.step), int(e.src), int(e.dst), int(e.size));

    std::vector<std::string> mine{"every ", "rank  ", "has   ", "all.  "}, all(4, std::string(24, '?'));
    std::vector<rank_memory> memory;
    for (std::size_t r = 0; r < 4; ++r)
        memory.push_back({std::as_bytes(std::span(mine[r])), std::as_writable_bytes(std::span(all[r]))});
    if (!run_threads(ring, memory).done()) return 1;
    for (const std::string& text : all) std::printf("%s\n", text.c_str());
}
