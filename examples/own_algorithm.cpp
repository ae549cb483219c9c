// A user-defined algorithm: it defines peers and blocks, and the library derives everything else. In this allgather
// every rank sends to both neighbors: its own block first, then in each direction the block received in the step
// before; ceil((p-1)/2) rounds.

#include <cstdio>

#include "collsched/collective.hpp"
#include "collsched/schedule/metrics.hpp"
#include "collsched/verify.hpp"

using namespace collsched;

struct two_way_ring {
    rank_t ranks = 1;
    block_layout block = 0;

    static constexpr algorithm_info info{
        .collective = collective::allgather, .name = "two-way-ring", .rounds = "ceil((p-1)/2)", .source = "folklore"};

    constexpr step_t steps() const { return ranks / 2; }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        f(wrap(r + 1, ranks));
        if (both_ways(k)) f(wrap(r - 1, ranks));
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        f(wrap(r - 1, ranks));
        if (both_ways(k)) f(wrap(r + 1, ranks));
    }
    constexpr void message(rank_t src, rank_t dst, step_t k, auto f) const {
        const bool right = dst == wrap(src + 1, ranks);
        f(block_interval{wrap(right ? src - k : src + k, ranks), 1});
    }

    /// The parameters that distinguish two values: for fingerprints, and to make a value from a list of arguments.
    static constexpr void parameters(auto& self, auto f) {
        f("ranks", self.ranks);
        f("block", self.block);
    }

  private:
    /// For even p the last step has one block left, which is sent in one direction only.
    constexpr bool both_ways(step_t k) const { return 2 * (k + 1) < ranks; }
};

static_assert(proved<verify(two_way_ring{.ranks = 7, .block = 16})>);

int main() {
    for (rank_t p = 1; p <= 100; ++p)
        if (!verify(two_way_ring{.ranks = p, .block = 3}).ok()) return 1;
    const metrics_report ours = metrics(two_way_ring{.ranks = 16, .block = 1});
    const metrics_report ring = metrics(allgather::ring{.ranks = 16, .block = 1});
    std::printf("right for p = 1 .. 100; at p = 16 %d rounds instead of %d\n", int(ours.rounds), int(ring.rounds));
}
