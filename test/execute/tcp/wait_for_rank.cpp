// Rank 0 waits for a message that rank 1 never sends, for the test of nodes that vanish:
//   wait_for_rank KEY_FILE SILENCE RANK HOST:PORT HOST:PORT
// Both print "connected". Rank 0 prints the error of its receive after at most 60 seconds.

#include <string>
#include <vector>

#include "forked_ranks/forked_ranks.hpp"
#include "collsched/execute/tcp/transport.hpp"

using namespace collsched;
using namespace examples;

int main(int argc, char** argv) {
    if (argc != 6)
        return std::fputs("arguments: got others, expected KEY_FILE SILENCE RANK HOST:PORT HOST:PORT\n", stderr), 2;
    tcp_transport::options options{.silence = std::chrono::seconds(read_number("SILENCE", argv[2], 0, 1000))};
    if (const std::string problem = options.key.read(argv[1]); !problem.empty())
        return std::fprintf(stderr, "KEY_FILE: %s\n", problem.c_str()), 2;
    const rank_t rank = read_number("RANK", argv[3], 0, 1);
    const std::vector<std::string> addresses{argv[4], argv[5]};
    tcp_transport over(rank, addresses[static_cast<std::size_t>(rank)], options);
    if (!connected(rank, over, addresses)) return 1;
    std::puts("connected");
    std::fflush(stdout);
    int owner = 0;
    if (rank == 0 && over.post_recv({.peer = 1, .request = {&owner, 0}}, {}) != 0) return 1;
    const completion end = over.wait_any(std::chrono::seconds(60));
    std::puts(end.empty() ? "no error" : tcp_transport::errors::text(end.error));
}
