// Collectives over UCX, on real bytes, checked, with one process a rank, forked by the program itself:
//   ucx_allgather [RANKS]

#include <cstdio>
#include <cstdlib>
#include <string>

#include "examples/tcp/few_collectives.hpp"
#include "examples/tcp/forked_ranks.hpp"
#include "ucx_transport.hpp"

using namespace examples;

int main(int argc, char** argv) {
    const rank_t ranks = argc > 1 ? std::atoll(argv[1]) : 4;
    if (ranks < 1) return 1;
    notice_board board(ranks);
    return fork_ranks(ranks, [&](rank_t rank) {
        ucx_transport over(rank);
        board.put(rank, over.address());
        const completion met = over.connect(board.all(ranks), std::chrono::seconds(60));
        if (met.error != 0) {
            std::fprintf(stderr, "rank %d: error %d with rank %d\n", static_cast<int>(rank), met.error,
                         static_cast<int>(met.peer));
            return 1;
        }
        return few_collectives(rank, ranks, over).run() ? 0 : 1;
    });
}
