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
#include "support/parameters.hpp"
#include "support/verified.hpp"

using namespace collsched;
using support::grid;

namespace {

using numbers = std::vector<bytes_t>;
using linear = neighbor_alltoall::linear;

static_assert(support::has_parameters<neighbor_alltoall::linear>());
static_assert(derived_algorithm<linear>);

/// A torus, with blocks of 4 bytes or of any sizes.
template <bool Counted, int... Dims>
constexpr linear torus() {
    constexpr std::array<int, sizeof...(Dims)> dims{Dims...}, around{(Dims > 0)...};
    const neighborhood n = neighborhood::cartesian(dims, around);
    linear made{.ranks = n.ranks(), .neighbors = n, .block = 4};
    if (!Counted) return made;
    owned_array<bytes_t> counts(n.out_slots());
    for (std::int64_t i = 0; i < counts.size(); ++i) counts[i] = i * 7 % 5;
    made.block = slot_layout::exchanged(n, counts);
    return made;
}
template <int... Dims>
constexpr bool torus_proved = proved<verify(torus<false, Dims...>())> && proved<verify(torus<true, Dims...>())>;

static_assert(torus_proved<1> && torus_proved<2> && torus_proved<7>);
static_assert(torus_proved<1, 1> && torus_proved<2, 1> && torus_proved<2, 2> && torus_proved<1, 3>);
static_assert(torus_proved<3, 3, 2> && torus_proved<2, 2, 2, 2>);

// 0 -> 1, 1, 0, 2;  1 -> 1, 1;  2 -> 0: pairs joined several times, and ranks with themselves.
static_assert([] {
    constexpr std::array<int, 3> degrees{4, 2, 1};
    constexpr std::array<int, 7> targets{1, 1, 0, 2, 1, 1, 0}, counts{3, 5, 2, 0, 1, 4, 5};
    const neighborhood n(degrees, targets);
    return verify(linear{.ranks = 3, .neighbors = n, .block = 6}).ok() &&
           verify(linear{.ranks = 3, .neighbors = n, .block = slot_layout::exchanged(n, counts)}).ok();
}());

/// The block that rank r has for its neighbor in dimension d, one way or the other.
std::int64_t tag(rank_t r, std::size_t d, rank_t way) {
    return r * 1000 + static_cast<std::int64_t>(d) * 10 + (way > 0 ? 1 : 0);
}

linear on(const neighborhood& n, rank_t ranks, const slot_layout::exchanged& block) {
    return {.ranks = ranks, .neighbors = n, .block = block};
}

}  // namespace

TEST_CASE(
    "neighbor_alltoall::linear: on a torus a block sent down arrives from above, also if both neighbors are one rank") {
    for (const grid& torus : support::small_tori()) {
        const rank_t p = torus.ranks();
        std::vector<std::vector<std::int64_t>> input(static_cast<std::size_t>(p)), wanted(input);
        for (rank_t r = 0; r < p; ++r)
            for (std::size_t d = 0; d < torus.dims.size(); ++d)
                for (const rank_t way : {-1, 1}) {
                    input[static_cast<std::size_t>(r)].push_back(tag(r, d, way));
                    wanted[static_cast<std::size_t>(r)].push_back(tag(torus.neighbor(r, d, way), d, -way));
                }
        const neighborhood n = neighborhood::cartesian(torus.dims, torus.periodic);
        CHECK(support::run_numbers(on(n, p, 8), input) == wanted);
        const slot_layout::exchanged counted(n, numbers(static_cast<std::size_t>(n.out_slots()), 8));
        CHECK(support::run_numbers(on(n, p, counted), input) == wanted);
    }
}

TEST_CASE("neighbor_alltoall::linear: the edges of a torus of 2 x 1 and of a line") {
    const neighborhood torus = neighborhood::cartesian(numbers{2, 1}, numbers{1, 1});
    CHECK(support::run_numbers(on(torus, 2, 8), {{1, 2, 3, 4}, {5, 6, 7, 8}}) ==
          std::vector<std::vector<std::int64_t>>{{6, 5, 4, 3}, {2, 1, 8, 7}});
    const neighborhood line = neighborhood::cartesian(numbers{3}, numbers{0});
    CHECK(support::run_numbers(on(line, 3, 8), {{1, 2}, {3, 4}, {5, 6}}) ==
          std::vector<std::vector<std::int64_t>>{{-1, 3}, {2, 5}, {4, -1}});
}

TEST_CASE("neighbor_alltoall::linear: in a graph the n-th block for a rank is the n-th received from there") {
    // 0 -> 1, 0, 1;  1 -> 0, 1.  0 receives from 1, 0;  1 receives from 0, 1, 0.
    const neighborhood n(numbers{3, 2}, numbers{1, 0, 1, 0, 1}, numbers{2, 3}, numbers{1, 0, 0, 1, 0});
    CHECK(support::run_numbers(on(n, 2, 8), {{1, 2, 3}, {4, 5}}) ==
          std::vector<std::vector<std::int64_t>>{{4, 2}, {1, 5, 3}});
}

TEST_CASE("neighbor_alltoall::linear: correct for any neighborhood, each block once, numbers equal their formulas") {
    for (rank_t p = 1; p <= support::most(64); p += p < 20 ? 1 : 11)
        for (const auto& [name, n] : support::neighborhoods(p)) {
            CAPTURE(p);
            CAPTURE(name);
            numbers counts;
            for (std::int64_t i = 0; i < n.out_slots(); ++i) counts.push_back((i * i + 3) % 7 * 3);
            const slot_layout::exchanged sizes(n, counts);
            for (const slot_layout::exchanged& block : {slot_layout::exchanged(0), slot_layout::exchanged(5), sizes}) {
                const linear x = on(n, p, block);
                REQUIRE(!check(x));
                REQUIRE(support::verified(x).ok());
                support::check_slot_counts(x, n, [&](rank_t r, rank_t i) { return block.sent(n, r, i).size; });
                if (p < 20) support::check_bytes(x);
            }
        }
}

TEST_CASE("neighbor_alltoall::linear: blocks arrive at their displacements, and no other byte changes") {
    for (rank_t p = 1; p <= 12; ++p)
        for (const auto& [name, n] : support::neighborhoods(p)) {
            CAPTURE(name);
            support::random_source random(7);
            numbers counts, send_displs, recv_displs;
            for (rank_t r = 0; r < p; ++r) {
                bytes_t end = 1;
                for (rank_t i = n.out_degree(r); i-- > 0;) {
                    counts.push_back(random.below(4) * 3);
                    send_displs.push_back(end);
                    end += counts.back() + random.below(3);
                }
            }
            for (rank_t r = 0; r < p; ++r) {
                bytes_t end = 200;
                for (rank_t j = 0; j < n.in_degree(r); ++j) {
                    const rank_t src = n.source(r, j);
                    const bytes_t size =
                        src < 0 ? 0 : counts[static_cast<std::size_t>(n.out_slot(src, n.departure(r, j)))];
                    recv_displs.push_back(end -= size + random.below(3));
                }
            }
            const linear x = on(n, p, slot_layout::exchanged(n, counts, send_displs, recv_displs));
            REQUIRE(!check(x));
            REQUIRE(support::verified(x).ok());
            support::check_bytes(x);
        }
}

TEST_CASE("neighbor_alltoall::linear: one rank's share is its own slots, in a neighborhood of any size") {
    const rank_t side = 150;
    const neighborhood n = neighborhood::cartesian(numbers{side, side}, numbers{1, 0});
    const auto s = lower(on(n, side * side, 8));
    int edges = 0;
    for (const edge& e : program(s, side * 7 + 5)) edges += e.size == 8 && e.step == 0 ? 1 : 0;
    CHECK(edges == 8);
    CHECK(s.next(3, 0) == 0);
    CHECK(s.next(3, 1) == 1);
    CHECK(support::verified(s).ok());
}

TEST_CASE("neighbor_alltoall::linear: parameters are checked, and each changes the fingerprint") {
    const neighborhood n(numbers{1, 1}, numbers{1, 0}), other(numbers{1, 1}, numbers{0, 1});
    const auto complaint = [](const linear& x) { return std::string(check(x) ? check(x).argument : ""); };
    CHECK(complaint(on(n, 2, 4)) == "");
    CHECK(complaint(on(n, 0, 4)) == "ranks");
    CHECK(complaint(on(n, 3, 4)) == "neighbors");
    CHECK(complaint(on(n, 2, -4)) == "block");
    CHECK(complaint(on(n, 2, slot_layout::exchanged(n, numbers{1}))) == "counts");
    CHECK(complaint(on(other, 2, slot_layout::exchanged(n, numbers{1, 2}))) == "counts");
    CHECK(complaint(linear{.ranks = 1000, .block = 3}) == "");
    CHECK(fingerprint(on(n, 2, 4)) != fingerprint(on(n, 2, 5)));
    CHECK(fingerprint(on(n, 2, 4)) != fingerprint(on(other, 2, 4)));
    CHECK(fingerprint(on(n, 2, 4)) != fingerprint(on(n, 2, slot_layout::exchanged(n, numbers{4, 4}))));
}
