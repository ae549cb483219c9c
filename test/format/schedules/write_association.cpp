#include "collsched/format/schedules/write_association.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <string>

#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/collective/scan/along_chain.hpp"
#include "support/registry.hpp"

using namespace collsched;

namespace {

template <class X>
std::string written(const X& x) {
    std::string text;
    write_association(std::back_inserter(text), combination_trees(x));
    return text;
}

}  // namespace

TEST_CASE("write_association: the class, and the trees by which the next one fails") {
    CHECK(written(allreduce::recursive_doubling{.ranks = 4, .bytes = 4}) == "association: canonical\n");
    CHECK(written(allreduce::recursive_doubling{.ranks = 6, .bytes = 4}) ==
          "association: position\n"
          "  rank 0, byte 0: (((0 1) (2 3)) (4 5))\n"
          "  canonical: (((0 1) 2) ((3 4) 5))\n");
    CHECK(written(allreduce::ring{.ranks = 3, .bytes = 6}) ==
          "association: rank\n"
          "  rank 0, byte 0: (0 (1 2))\n"
          "  rank 0, byte 2: ((0 2) 1)\n");
    CHECK(written(exscan::linear{.ranks = 6, .bytes = 4}) ==
          "association: position\n"
          "  rank 4, byte 0: (((0 1) 2) 3)\n"
          "  canonical: ((0 1) (2 3))\n");
}

TEST_CASE("canonical_tree_text: halves, and for scans powers of two") {
    CHECK(detail::canonical_tree_text(collective::allreduce, 1) == "0");
    CHECK(detail::canonical_tree_text(collective::reduce, 5) == "(((0 1) 2) (3 4))");
    CHECK(detail::canonical_tree_text(collective::reduce_scatter, 7) == "(((0 1) (2 3)) ((4 5) 6))");
    CHECK(detail::canonical_tree_text(collective::scan, 5) == "(((0 1) (2 3)) 4)");
    CHECK(detail::canonical_tree_text(collective::exscan, 7) == "(((0 1) (2 3)) ((4 5) 6))");
}
