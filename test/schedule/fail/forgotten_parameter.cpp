// expect: static assertion failed.*parameters\(self, f\) must call f\(name, self.member\) for every data member
// A data member that parameters() leaves out: two values that differ in it would have equal fingerprints.

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/verify.hpp"

using namespace collsched;

struct rooted_ring {
    rank_t ranks = 1;
    bytes_t block = 0;
    rank_t first = 0;

    static constexpr algorithm_info info = allgather::ring::info;
    constexpr allgather::ring ring() const { return {.ranks = ranks, .block = block}; }
    constexpr step_t steps() const { return ring().steps(); }
    constexpr void targets(rank_t r, step_t k, auto f) const { ring().targets(r, k, f); }
    constexpr void sources(rank_t r, step_t k, auto f) const { ring().sources(r, k, f); }
    constexpr void message(rank_t src, rank_t dst, step_t k, auto f) const { ring().message(src, dst, k, f); }
    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks);
        f("block", self.block);
    }
};

int main() { return static_cast<int>(lower(rooted_ring{}).steps()); }
