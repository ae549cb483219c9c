#include "collsched/collective/detail/grid.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "collsched/core/detail/nested_parts.hpp"

using namespace collsched;
using collsched::detail::grid;

namespace {

std::vector<grid::dimension> dimensions(const grid& of) {
    std::vector<grid::dimension> found;
    of.visit([&](const grid::dimension& d) { found.push_back(d); });
    return found;
}

}  // namespace

TEST_CASE("grid: rows, planes, and the rest in the last dimension") {
    using list = std::vector<grid::dimension>;
    CHECK(dimensions({.ranks = 24, .group = 4, .radix = 3}) == list{{1, 4}, {4, 3}, {12, 2}});
    CHECK(dimensions({.ranks = 24, .group = 4, .radix = 4}) == list{{1, 4}, {4, 6}});
    CHECK(dimensions({.ranks = 24, .group = 1, .radix = 8}) == list{{1, 8}, {8, 3}});
    CHECK(dimensions({.ranks = 24, .group = 1, .radix = 13}) == list{{1, 24}});
    CHECK(dimensions({.ranks = 24, .group = 100, .radix = 8}) == list{{1, 24}});
    CHECK(dimensions({.ranks = 1, .group = 8, .radix = 8}).empty());
}

TEST_CASE("grid: sizes that do not divide the ranks are reported") {
    CHECK(std::string(grid{.ranks = 10, .group = 4}.check().text().c_str()) ==
          "ranks: got 10, expected a product of the sizes of the dimensions");
    CHECK(grid{.ranks = 28, .group = 4, .radix = 3}.check().argument == std::string("ranks"));
    CHECK(grid{.ranks = 8, .group = 0}.check().argument == std::string("group"));
    CHECK(grid{.ranks = 8, .group = 2, .radix = 1}.check().argument == std::string("radix"));
    CHECK(!grid{.ranks = 24, .group = 4, .radix = 3}.check());
}

TEST_CASE("grid: the lines of a dimension have each rank once, in the parts of nested_parts") {
    for (rank_t p = 1; p <= 100; ++p)
        for (const rank_t group : {1, 2, 3, 4, 200})
            for (const std::int64_t radix : {2, 3, 5}) {
                const grid g{.ranks = p, .group = group, .radix = radix};
                if (g.check()) continue;
                CAPTURE(p);
                CAPTURE(group);
                const collsched::detail::nested_parts parts(p, group, radix);
                rank_t product = 1;
                for (const grid::dimension& d : dimensions(g)) {
                    CHECK(d.stride == product);
                    product *= d.size;
                    for (rank_t r = 0; r < p; ++r) {
                        CHECK(d.at(r, d.place(r)) == r);
                        CHECK(d.first(r) == d.at(r, 0) - r % d.stride);
                        step_t level = 0;
                        while (parts.at(r, level).size < product) ++level;
                        CHECK(parts.at(r, level).size == product);
                        CHECK(parts.at(r, level).first == d.first(r));
                    }
                }
                CHECK(product == p);
            }
}
