#include "collsched/verify/detail/results.hpp"

#include <doctest/doctest.h>

#include <array>
#include <utility>
#include <vector>

using namespace collsched;
using namespace collsched::detail;

namespace {

using named = std::vector<std::pair<operand_id, byte_range>>;

named split(const origins& names, operand_id operand, byte_range bytes) {
    named parts;
    names.split(operand, bytes, [&](operand_id id, byte_range part) { parts.emplace_back(id, part); });
    return parts;
}

}  // namespace

TEST_CASE("origins: if all blocks are the result, they have one name, which names their owner") {
    const std::array<bytes_t, 4> counts{3, 0, 2, 4}, displs{20, 0, 10, 0};
    const contract gather{.collective = collective::allgather, .ranks = 4, .blocks = block_layout(counts, displs)};
    const origins names(gather, {});
    REQUIRE(names.joined());
    for (rank_t r = 0; r < 4; ++r) CHECK(names.operand(r) == 0);
    CHECK(names.offset(3, 2) == 7);
    for (rank_t r = 0; r < 4; ++r)
        for (bytes_t i = 0; i < counts[static_cast<std::size_t>(r)]; ++i)
            CHECK(split(names, names.operand(r), {names.offset(r, i), 1}) == named{{r, {i, 1}}});
    CHECK(split(names, names.operand(0), {1, 6}) == named{{0, {1, 2}}, {2, {0, 2}}, {3, {0, 2}}});
}

TEST_CASE("origins: otherwise each rank's bytes have their own name, also if an edge combines") {
    const contract gather{.collective = collective::gather, .ranks = 3, .blocks = 4};
    const edge combining[] = {{.src = 1, .dst = 0, .size = 4, .action = action::combine_after}};
    const contract exchange{.collective = collective::alltoall, .ranks = 3, .blocks = block_matrix(4)};
    for (const origins& names : {origins(gather, combining), origins(exchange, {})}) {
        CHECK(!names.joined());
        CHECK(names.operand(2) == 2);
        CHECK(names.offset(2, 3) == 3);
        CHECK(split(names, 2, {3, 1}) == named{{2, {3, 1}}});
    }
}
