#include "collsched/format/pictures/detail/holdings.hpp"

#include <doctest/doctest.h>

#include "collsched/core/block_matrix.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

std::vector<std::string> names(const contract& c, const std::vector<bytes_t>& cuts = {}, std::size_t most = 256) {
    std::vector<std::string> found;
    for (const held_column& one : held_columns(c, cuts, most).columns) found.push_back(column_name(c, one));
    return found;
}

using texts = std::vector<std::string>;

}  // namespace

TEST_CASE("held_columns: columns are the blocks that are not empty") {
    const std::vector<bytes_t> counts{3, 0, 2};
    const block_layout blocks{std::span<const bytes_t>(counts)};
    CHECK(names({.collective = collective::allgather, .ranks = 3, .blocks = blocks}) == texts{"0", "2"});
    CHECK(names({.collective = collective::gather, .ranks = 3, .blocks = blocks}) == texts{"0", "2"});
    CHECK(names({.collective = collective::scatter, .ranks = 3, .root = 1, .blocks = blocks}) == texts{"0", "2"});
    CHECK(names({.collective = collective::barrier, .ranks = 2}) == texts{"0", "1"});
    CHECK(names({.collective = collective::alltoall, .ranks = 2, .blocks = block_matrix(4)}) ==
          texts{"0>0", "0>1", "1>0", "1>1"});
    CHECK(names({.collective = collective::broadcast, .ranks = 2, .bytes = 0}).empty());
}

TEST_CASE("held_columns: messages and operands are cut, blocks that are only moved are not") {
    CHECK(names({.collective = collective::broadcast, .ranks = 3, .bytes = 6}, {0, 2, 6}) == texts{"[0,2)", "[2,6)"});
    CHECK(names({.collective = collective::scan, .ranks = 3, .bytes = 6}, {0, 4, 6, 9}) == texts{"[0,4)", "[4,6)"});
    CHECK(names({.collective = collective::allreduce, .ranks = 3, .bytes = 6}) == texts{"[0,6)"});
    CHECK(names({.collective = collective::reduce_scatter, .ranks = 2, .blocks = 4}, {0, 2, 4}) ==
          texts{"0[0,2)", "0[2,4)", "1"});
    CHECK(names({.collective = collective::allgather, .ranks = 2, .blocks = 4}, {2}) == texts{"0", "1"});
}

TEST_CASE("held_columns: too many blocks are merged by owner, too many pieces are sampled") {
    const contract exchange{.collective = collective::alltoall, .ranks = 4, .blocks = block_matrix(3)};
    CHECK_FALSE(held_columns(exchange, {}, 16).merged);
    const held_table merged = held_columns(exchange, {}, 15);
    CHECK(merged.merged);
    CHECK(merged.of == 4);
    REQUIRE(merged.columns.size() == 4);
    CHECK(merged.columns[2] == held_column{.owner = 2, .bytes = {0, 12}, .block = 2});

    const std::vector<bytes_t> cuts{1, 2, 3, 4, 5, 6, 7};
    const contract whole{.collective = collective::allreduce, .ranks = 4, .bytes = 8};
    const held_table sample = held_columns(whole, cuts, 4);
    CHECK(sample.of == 8);
    CHECK_FALSE(sample.merged);
    CHECK(names(whole, cuts, 4) == texts{"[0,1)", "[2,3)", "[4,5)", "[6,7)"});
}
