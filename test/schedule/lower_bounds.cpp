#include "collsched/schedule/lower_bounds.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace collsched;

TEST_CASE("lower bounds follow from the contract alone") {
    const std::vector<bytes_t> lonely{0, 0, 5, 0};
    CHECK(bounds_of({.what = collective::allgather, .ranks = 5, .blocks = 3}) == lower_bounds{3, 12});
    CHECK(bounds_of({.what = collective::allgather, .ranks = 4, .blocks = block_layout(lonely)}) == lower_bounds{2, 5});
    CHECK(bounds_of({.what = collective::allgather, .ranks = 5, .blocks = 0}) == lower_bounds{0, 0});
    CHECK(bounds_of({.what = collective::allgather, .ranks = 1, .blocks = 3}) == lower_bounds{0, 0});
    CHECK(bounds_of({.what = collective::gather, .ranks = 4, .root = 2, .blocks = block_layout(lonely)}) ==
          lower_bounds{0, 0});
    CHECK(bounds_of({.what = collective::gather, .ranks = 4, .root = 0, .blocks = block_layout(lonely)}) ==
          lower_bounds{1, 5});
    CHECK(bounds_of({.what = collective::scatter, .ranks = 9, .blocks = 2}) == lower_bounds{4, 16});
    CHECK(bounds_of({.what = collective::barrier, .ranks = 9}) == lower_bounds{4, 0});
    CHECK(bounds_of({.what = collective::broadcast, .ranks = 8, .bytes = 7}) == lower_bounds{3, 7});
    CHECK(bounds_of({.what = collective::alltoall, .ranks = 4, .matrix = 2}) == lower_bounds{2, 6});
    const block_matrix hot(std::vector<bytes_t>{9, 0, 5,  //
                                                0, 9, 7,  //
                                                1, 0, 9});
    CHECK(bounds_of({.what = collective::alltoall, .ranks = 3, .matrix = hot}) == lower_bounds{2, 12});
    const block_matrix kept(std::vector<bytes_t>{9, 0, 0, 9});
    CHECK(bounds_of({.what = collective::alltoall, .ranks = 2, .matrix = kept}) == lower_bounds{0, 0});
}

TEST_CASE("lower bounds of neighborhoods: other ranks count once, and so does a block that all get") {
    // 0 -> 1, 1, 2, 0;  1 -> 0;  3 hears nothing and says nothing.
    const neighborhood n(std::vector<rank_t>{4, 1, 0, 0}, std::vector<rank_t>{1, 1, 2, 0, 0});
    const auto gathered = [&](const gathered_slots& slots) {
        return bounds_of({.what = collective::neighbor_allgather, .ranks = 4, .neighbors = n, .slots = slots});
    };
    const auto exchanged = [&](const exchanged_slots& slots) {
        return bounds_of({.what = collective::neighbor_alltoall, .ranks = 4, .neighbors = n, .slots = slots});
    };
    CHECK(gathered(5) == lower_bounds{2, 5});
    CHECK(gathered(0) == lower_bounds{0, 0});
    CHECK(gathered(gathered_slots(n, std::vector<bytes_t>{0, 7, 0, 100})) == lower_bounds{1, 7});
    CHECK(exchanged(5) == lower_bounds{2, 15});
    CHECK(exchanged(exchanged_slots(n, std::vector<bytes_t>{3, 4, 0, 50, 9})) == lower_bounds{1, 9});
    CHECK(exchanged(exchanged_slots(n, std::vector<bytes_t>{0, 0, 0, 50, 0})) == lower_bounds{0, 0});
    const neighborhood torus = neighborhood::cartesian(std::vector<int>{3, 3, 2}, std::vector<int>{1, 1, 1});
    const contract halo{
        .what = collective::neighbor_alltoall, .ranks = 18, .neighbors = torus, .slots = exchanged_slots(2)};
    CHECK(bounds_of(halo) == lower_bounds{3, 12});  // five others, six slots
}

TEST_CASE("lower bounds of an allreduce: 2 m (p-1)/p, rounded up") {
    const auto bytes = [](bytes_t m, rank_t p) {
        return bounds_of({.what = collective::allreduce, .ranks = p, .bytes = m}).bytes;
    };
    for (rank_t p = 1; p <= 40; ++p)
        for (bytes_t m = 0; m <= 200; ++m) CHECK(bytes(m, p) == (2 * m * (p - 1) + p - 1) / p);
    CHECK(bytes(INT64_MAX, 2) == INT64_MAX);
    CHECK(bytes(INT64_MAX, 3) == INT64_MAX);
    CHECK(bytes(bytes_t{1} << 61, rank_t{1} << 61) == (bytes_t{1} << 62) - 2);
    CHECK(bounds_of({.what = collective::allreduce, .ranks = 9, .bytes = 1}) == lower_bounds{4, 2});
    CHECK(bounds_of({.what = collective::allreduce, .ranks = 9}) == lower_bounds{0, 0});
    CHECK(bounds_of({.what = collective::scan, .ranks = 9, .bytes = 5}) == lower_bounds{4, 5});
    CHECK(bounds_of({.what = collective::exscan, .ranks = 8, .bytes = 5}) == lower_bounds{3, 5});
}
