#include "collsched/collective/neighbor_linear.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "collsched/verify/verify.hpp"
#include "support/brief.hpp"
#include "support/layouts.hpp"
#include "support/neighbor_runs.hpp"
#include "support/neighborhoods.hpp"
#include "support/verified.hpp"

using namespace collsched;
using support::grid;

namespace {

using numbers = std::vector<bytes_t>;
using linear = neighbor_allgather::linear;

static_assert(derived_algorithm<linear>);

/// A torus, with blocks of 4 bytes or of any sizes.
template <bool Counted, int... Dims>
constexpr linear torus() {
    constexpr std::array<int, sizeof...(Dims)> dims{Dims...}, around{(Dims > 0)...};
    const neighborhood n = neighborhood::cartesian(dims, around);
    linear made{.ranks = n.ranks(), .neighbors = n, .block = 4};
    if (!Counted) return made;
    owned_array<bytes_t> counts(n.ranks());
    for (std::int64_t i = 0; i < counts.size(); ++i) counts[i] = i * 7 % 5;
    made.block = slot_layout::gathered(n, counts);
    return made;
}
template <int... Dims>
constexpr bool torus_proved = proved<verify(torus<false, Dims...>())> && proved<verify(torus<true, Dims...>())>;

static_assert(torus_proved<1> && torus_proved<2> && torus_proved<7>);
static_assert(torus_proved<1, 1> && torus_proved<2, 1> && torus_proved<2, 2> && torus_proved<1, 3>);
static_assert(torus_proved<3, 3, 2> && torus_proved<2, 2, 2, 2>);

linear on(const neighborhood& n, rank_t ranks, const slot_layout::gathered& block) {
    return {.ranks = ranks, .neighbors = n, .block = block};
}

}  // namespace

TEST_CASE("neighbor_allgather::linear: on a torus every slot has the block of the neighbor on its side") {
    for (const grid& torus : support::small_tori()) {
        const rank_t p = torus.ranks();
        std::vector<std::vector<std::int64_t>> input, wanted(static_cast<std::size_t>(p));
        for (rank_t r = 0; r < p; ++r) {
            input.push_back({100 + r});
            for (std::size_t d = 0; d < torus.dims.size(); ++d)
                for (const rank_t way : {-1, 1})
                    wanted[static_cast<std::size_t>(r)].push_back(100 + torus.neighbor(r, d, way));
        }
        const neighborhood n = neighborhood::cartesian(torus.dims, torus.periodic);
        CHECK(support::run_numbers(on(n, p, 8), input) == wanted);
        const slot_layout::gathered counted(n, numbers(static_cast<std::size_t>(p), 8));
        CHECK(support::run_numbers(on(n, p, counted), input) == wanted);
    }
}

TEST_CASE("neighbor_allgather::linear: on a line the ends keep the slot of the neighbor that they lack") {
    const neighborhood line = neighborhood::cartesian(numbers{3}, numbers{0});
    CHECK(support::run_numbers(on(line, 3, 8), {{1}, {2}, {3}}) ==
          std::vector<std::vector<std::int64_t>>{{-1, 2}, {1, 3}, {2, -1}});
}

TEST_CASE("neighbor_allgather::linear: in a graph blocks are in the order of the sources, once per slot") {
    // 0 -> 1, 0, 1;  1 -> 0.  0 receives from 1, 0;  1 receives from 0, 0.
    const neighborhood n(numbers{3, 1}, numbers{1, 0, 1, 0}, numbers{2, 2}, numbers{1, 0, 0, 0});
    CHECK(support::run_numbers(on(n, 2, 8), {{7}, {8}}) == std::vector<std::vector<std::int64_t>>{{8, 7}, {7, 7}});
    const slot_layout::gathered uneven(n, numbers{16, 8});
    CHECK(support::run_numbers(on(n, 2, uneven), {{6, 7}, {8}}) ==
          std::vector<std::vector<std::int64_t>>{{8, 6, 7}, {6, 7, 6, 7}});
}

TEST_CASE(
    "neighbor_allgather::linear: correct for any neighborhood, one block per slot, numbers equal their formulas") {
    for (rank_t p = 1; p <= support::most(64); p += p < 20 ? 1 : 11)
        for (const auto& [name, n] : support::neighborhoods(p)) {
            CAPTURE(p);
            CAPTURE(name);
            numbers counts;
            for (rank_t r = 0; r < p; ++r) counts.push_back((r * r + 3) % 7 * 3);
            const slot_layout::gathered sizes(n, counts);
            for (const slot_layout::gathered& block : {slot_layout::gathered(0), slot_layout::gathered(5), sizes}) {
                const linear x = on(n, p, block);
                REQUIRE(!check(x));
                REQUIRE(support::verified(x).ok());
                support::check_slot_counts(x, n, [&](rank_t r, rank_t) { return block.input_bytes(n, r); });
                if (p < 20) support::check_bytes(x);
            }
        }
}

TEST_CASE("neighbor_allgather::linear: blocks arrive at their displacements, and no other byte changes") {
    for (rank_t p = 1; p <= 12; ++p)
        for (const auto& [name, n] : support::neighborhoods(p)) {
            CAPTURE(name);
            support::random_source random(7);
            numbers counts, recv_displs;
            for (rank_t r = 0; r < p; ++r) counts.push_back(random.below(4) * 3);
            for (rank_t r = 0; r < p; ++r) {
                bytes_t end = 1000;
                for (rank_t j = 0; j < n.in_degree(r); ++j) {
                    const rank_t src = n.source(r, j);
                    recv_displs.push_back(end -=
                                          (src < 0 ? 0 : counts[static_cast<std::size_t>(src)]) + random.below(3));
                }
            }
            const linear x = on(n, p, slot_layout::gathered(n, counts, recv_displs));
            REQUIRE(!check(x));
            REQUIRE(support::verified(x).ok());
            support::check_bytes(x);
        }
}

TEST_CASE("neighbor_allgather::linear: parameters are checked, and each changes the fingerprint") {
    const neighborhood n(numbers{1, 1}, numbers{1, 0}), other(numbers{1, 1}, numbers{0, 1});
    const auto complaint = [](const linear& x) { return std::string(check(x) ? check(x).argument : ""); };
    CHECK(complaint(on(n, 2, 4)) == "");
    CHECK(complaint(on(n, -1, 4)) == "ranks");
    CHECK(complaint(on(n, 1, 4)) == "neighbors");
    CHECK(complaint(on(n, 2, -4)) == "block");
    CHECK(complaint(on(n, 2, slot_layout::gathered(n, numbers{1}))) == "counts");
    CHECK(complaint(on(other, 2, slot_layout::gathered(n, numbers{1, 2}))) == "counts");
    CHECK(fingerprint(on(n, 2, 4)) != fingerprint(on(n, 2, 5)));
    CHECK(fingerprint(on(n, 2, 4)) != fingerprint(on(other, 2, 4)));
    CHECK(fingerprint(on(n, 2, 4)) != fingerprint(neighbor_alltoall::linear{.ranks = 2, .neighbors = n, .block = 4}));
}
