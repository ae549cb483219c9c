#include "collsched/collective/with_contract.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/collective/allgather/recursive_multiplying.hpp"
#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/combine/reverse.hpp"
#include "collsched/tree/k_nomial.hpp"

using namespace collsched;

namespace {

using allgather::recursive_multiplying;
using tree_broadcast = broadcast::over_tree<trees::k_nomial>;

template <class A>
std::string own_names(const A& a) {
    std::string names;
    own_parameters<A>(a, [&](const char* name, const auto&) { names += name, names += ' '; });
    return names;
}

}  // namespace

static_assert(with_contract(recursive_multiplying{.radix = 5}, {.ranks = 7, .blocks = 3}) ==
              recursive_multiplying{.ranks = 7, .block = 3, .radix = 5});
static_assert(with_contract(tree_broadcast{.segment = 4, .tree = {3}},
                            {.ranks = 7, .root = 2, .bytes = 24, .element = 2}) ==
              tree_broadcast{.ranks = 7, .root = 2, .bytes = 24, .element = 2, .segment = 4, .tree = {3}});

TEST_CASE("with_contract: ranks, root, blocks, bytes and element are the contract's, other parameters stay") {
    const reversed<tree_broadcast> reduce{.of = {.segment = 4}};
    const contract wanted{.collective = collective::reduce, .ranks = 9, .root = 8, .bytes = 24, .element = 4};
    CHECK(with_contract(reduce, wanted) ==
          reversed<tree_broadcast>{.ranks = 9, .root = 8, .bytes = 24, .element = 4, .of = {.segment = 4}});
    CHECK(with_contract(reversed<reversed<recursive_multiplying>>{.of = {.of = {.radix = 4}}},
                        {.ranks = 5, .blocks = 2}) ==
          reversed<reversed<recursive_multiplying>>{.ranks = 5, .block = 2, .of = {.of = {.radix = 4}}});
}

TEST_CASE(
    "with_contract: a complete exchange takes the contract's matrix, every other collective of blocks its layout") {
    const bytes_t counts[] = {0, 1, 2, 3};
    const contract wanted{.ranks = 2, .blocks = block_matrix(counts)};
    const auto x = with_contract(alltoall::pairwise{.window = 7}, wanted);
    CHECK(x == alltoall::pairwise{.ranks = 2, .block = block_matrix(counts), .window = 7});
    CHECK(lower(x).contract().matrix() == wanted.matrix());
    CHECK(with_contract(recursive_multiplying{}, {.ranks = 2, .blocks = 9}).block == block_layout(9));
}

TEST_CASE("with_contract: parameters outside the contract stay") {
    CHECK(own_names(recursive_multiplying{}) == "radix ");
    CHECK(own_names(alltoall::pairwise{}) == "window ");
    CHECK(own_names(tree_broadcast{}) == "segment radix ");
    CHECK(own_names(reversed<tree_broadcast>{}) == "segment radix ");
}
