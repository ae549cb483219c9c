// Collectives over TCP, on real bytes, checked. One process a rank, on any machines:
//   tcp_allgather RANK HOST:PORT HOST:PORT...      the same list on all ranks, rank r listens at the r-th
//   tcp_allgather RANKS                            so many processes on this machine, forked by the program itself

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "few_collectives.hpp"
#include "forked_ranks.hpp"
#include "tcp_transport.hpp"

using namespace examples;

namespace {

int run(rank_t rank, tcp_transport& over, const std::vector<std::string>& addresses) {
    const completion met = over.connect(addresses, std::chrono::seconds(60));
    if (met.error != 0) {
        std::fprintf(stderr, "rank %d: error %d with rank %d\n", static_cast<int>(rank), met.error,
                     static_cast<int>(met.peer));
        return 1;
    }
    return few_collectives(rank, std::ssize(addresses), over).run() ? 0 : 1;
}

int run_forked(rank_t ranks) {
    notice_board board(ranks);
    return fork_ranks(ranks, [&](rank_t rank) {
        tcp_transport over(rank, "127.0.0.1:0");
        board.put(rank, "127.0.0.1:" + std::to_string(over.port()));
        return run(rank, over, board.all(ranks));
    });
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    const rank_t first = words.empty() ? 4 : std::atoll(words[0].c_str());
    if (words.size() < 2) return first > 0 ? run_forked(first) : 1;
    const std::vector<std::string> addresses(words.begin() + 1, words.end());
    if (first < 0 || first >= std::ssize(addresses)) return 1;
    tcp_transport over(first, addresses[static_cast<std::size_t>(first)]);
    return run(first, over, addresses);
}
