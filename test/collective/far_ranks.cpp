#include <doctest/doctest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <new>
#include <string>
#include <string_view>

#include "collsched/schedule/edge_views.hpp"
#include "support/pages.hpp"
#include "support/registry.hpp"

using namespace collsched;

namespace {

constexpr rank_t ranks = rank_t{1} << 27;
constexpr std::int64_t room = std::int64_t{64} << 20;

/// Limits the memory of the process to `room` further bytes during its lifetime. Larger allocations throw bad_alloc.
class little_memory {
  public:
    little_memory() {
        ::getrlimit(RLIMIT_DATA, &before_);
        std::int64_t pages[6] = {};  // of /proc/self/statm: the last is data and stack
        std::ifstream statm("/proc/self/statm");
        for (std::int64_t& n : pages) statm >> n;
        rlimit little = before_;
        little.rlim_cur = static_cast<rlim_t>(pages[5] * ::sysconf(_SC_PAGESIZE) + room);
        REQUIRE(::setrlimit(RLIMIT_DATA, &little) == 0);
    }
    little_memory(const little_memory&) = delete;
    little_memory& operator=(const little_memory&) = delete;
    ~little_memory() { ::setrlimit(RLIMIT_DATA, &before_); }

  private:
    rlimit before_{};
};

/// Whether an algorithm's first edges take memory or time that grows with the ranks: a message consists of up to p/2
/// separate blocks, ranks are renumbered in a table, or groups are stored.
bool grows(const algorithm_entry& entry) {
    const std::string name = std::string(name_of(entry.info.collective)) + "/" + entry.info.name;
    constexpr std::string_view in_pieces[] = {"allgather/circulant-blocks",
                                              "allreduce/allgather-reduce",
                                              "allreduce/allgather-reduce-by-dimension",
                                              "allgather/interval-halving",
                                              "allreduce/swing",
                                              "alltoall/bruck",
                                              "alltoall/by-dimension",
                                              "reduce_scatter/butterfly",
                                              "reduce_scatter/circulant-blocks",
                                              "reduce_scatter/interval-halving",
                                              "reduce_scatter/recursive-doubling",
                                              "reduce_scatter/sparbit",
                                              "reduce_scatter/swing"};
    constexpr std::string_view numbered[] = {"gather/k-ary", "scatter/k-ary"};
    return std::ranges::count(in_pieces, name) + std::ranges::count(numbered, name) > 0 ||
           std::string_view(entry.info.name).ends_with("hierarchical");
}

}  // namespace

TEST_CASE("far ranks: one rank's program begins in little memory, for 2^27 ranks too") {
    int all = 0, seen = 0;
    for (const algorithm_entry& entry : compiled::registry()) {
        if (entry.takes(&shape::neighbors)) continue;
        ++all;
        if (grows(entry)) continue;
        CAPTURE(name_of(entry.info.collective));
        CAPTURE(entry.info.name);
        const little_memory limit;
        std::int64_t edges = 0;
        bool right = true;
        const auto walk = [&] {
            const any_schedule s = entry.make({.ranks = ranks, .block = 8, .bytes = 8 * ranks, .segment = ranks});
            REQUIRE(!s.check());
            const rank_t mine = ranks / 3;
            step_t last = 0;
            for (const edge& e : program(s, mine)) {
                right = right && (e.src == mine || e.dst == mine) && e.src >= 0 && e.src < ranks && e.dst >= 0 &&
                        e.dst < ranks && e.step >= last && e.step < s.steps() && e.size >= 0 && e.from_offset >= 0 &&
                        e.into_offset >= 0 && e.source().end() <= 8 * 2 * ranks && e.target().end() <= 8 * 2 * ranks;
                last = e.step;
                if (++edges == 1000) break;
            }
        };
        CHECK_NOTHROW(walk());
        CHECK(right);
        CHECK(edges > 0);
        ++seen;
    }
    const std::string part = "For " + std::to_string(seen) + " of " + std::to_string(all) + " algorithms";
    CHECK_MESSAGE(support::page_has("docs/features.md", part), part);
    CHECK_MESSAGE(support::page_has("docs/scale.md", part), part);
}

TEST_CASE("far ranks: a plan beyond the available memory is rejected") {
    const little_memory limit;
    CHECK_THROWS_AS(::operator delete(::operator new(static_cast<std::size_t>(4 * room))), std::bad_alloc);
}
