// Collectives over UCX, on real bytes, checked, with one process per rank, forked by the program:
// ucx_collectives [RANKS]                        default 4

#include "forked_ranks/few_collectives.hpp"
#include "forked_ranks/forked_ranks.hpp"
#include "ucx_transport.hpp"

using namespace examples;

int main(int argc, char** argv) {
    const rank_t ranks = argc > 1 ? read_number("RANKS", argv[1], 1, most_forked_ranks) : 4;
    const auto make = [](rank_t rank) { return ucx_transport(rank); };
    const auto address = [](ucx_transport& over) { return over.address(); };
    const auto run = [ranks](rank_t rank, ucx_transport& over) {
        return few_collectives(rank, ranks, over).run() ? 0 : 1;
    };
    return fork_connected(ranks, make, address, run) == 0 ? 0 : 1;
}
