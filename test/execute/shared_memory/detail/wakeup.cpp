#include "collsched/execute/shared_memory/detail/wakeup.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace collsched;
using detail::waker_set;

TEST_CASE("waker_set: each rank that was added comes out once, and bits beyond the ranks do not") {
    for (const rank_t ranks : {1, 64, 65, 130}) {
        std::vector<std::atomic<std::uint64_t>> words(waker_set::words(ranks));
        CHECK(words.size() == static_cast<std::size_t>(ranks == 1 || ranks == 64 ? 1 : ranks == 65 ? 2 : 3));
        const waker_set bits(words.data(), ranks);
        const auto taken = [&] {
            std::vector<rank_t> all;
            bits.take([&](rank_t rank) { all.push_back(rank); });
            return all;
        };
        CHECK(taken().empty());
        for (const rank_t rank : {ranks - 1, rank_t{0}, ranks - 1}) bits.add(rank);
        CHECK(taken() == (ranks == 1 ? std::vector<rank_t>{0} : std::vector<rank_t>{0, ranks - 1}));
        CHECK(taken().empty());
        words.back() = ~std::uint64_t{0};  // as a process may write that is no correct rank
        std::vector<rank_t> last;
        for (rank_t rank = (ranks - 1) / 64 * 64; rank < ranks; ++rank) last.push_back(rank);
        CHECK(taken() == last);
    }
}
