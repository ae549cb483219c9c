#include "collsched/combine/segment.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/answers.hpp"
#include "support/bounded.hpp"
#include "support/composed.hpp"
#include "support/small_schedules.hpp"
#include "support/verified.hpp"

using namespace collsched;
using support::as_it_is;
using support::all_edges;
using support::moves;
using support::reduced_and_sent;

namespace {

/// Piece i of a broadcast over a tree.
template <class Tree>
struct broadcast_piece {
    rank_t ranks, root;
    bytes_t bytes;
    rank_t pieces;

    constexpr auto operator()(rank_t i) const {
        const block_layout cut = block_layout::partition(bytes, pieces);
        const contract whole{.collective = collective::broadcast, .ranks = ranks, .root = root, .bytes = bytes};
        const auto there = [at = cut.displ(i)](rank_t, buffer b) { return location{b, at}; };
        return rename_buffers(broadcast::over_tree<Tree>{.ranks = ranks, .root = root, .bytes = cut.count(i)}, there,
                              whole);
    }
};

/// A generator of equal pieces, whose kinds() lists one of them.
struct all_alike {
    constexpr auto operator()(rank_t) const { return allgather::ring{.ranks = 3, .block = 1}; }
    constexpr void kinds(auto f) const { f(0); }
};

}  // namespace

TEST_CASE("segment: one piece is the whole, and a pipelined tree is the segments of its plain broadcast") {
    for (const rank_t p : {1, 2, 3, 8, 13})
        for (const rank_t root : {rank_t{0}, p - 1})
            for (const rank_t pieces : {1, 2, 5}) {
                CAPTURE(p);
                CAPTURE(pieces);
                const auto law = [&]<class Tree>(Tree tree) {
                    const step_t period = p == 1 ? 1 : tree.most_sends(p);
                    const auto cut = segment(broadcast_piece<Tree>{p, root, 60, pieces}, pieces, period);
                    const broadcast::over_tree<Tree> closed{
                        .ranks = p, .root = root, .bytes = 60, .segment = 60 / pieces, .tree = tree};
                    CHECK(moves(cut) == moves(closed));
                    CHECK(support::verified(cut).ok());
                    CHECK(support::verified(cut, binding::in_place).ok());
                    if (pieces == 1) CHECK(all_edges(cut) == all_edges(broadcast_piece<Tree>{p, root, 60, 1}(0)));
                    CHECK(cut.steps() == (p == 1 ? 1 : tree.steps(p)) + (pieces - 1) * period);
                };
                law(trees::chain{});
                law(trees::binomial{});
                law(trees::k_ary{});
                law(trees::in_order_binary{});
            }
}

TEST_CASE("segment: own parts are pieces too, on several lanes") {
    const auto make = [](rank_t i) {
        const contract whole{.collective = collective::allreduce, .ranks = 6, .bytes = 40};
        const auto there = [i](rank_t, buffer b) { return location{b, 10 * i}; };
        return rename_buffers(reduced_and_sent(6, 10), there, whole);
    };
    for (const rank_t lanes : {1, 2, 3, 4, 9})
        for (const step_t period : {1, 2, 5, 100}) {
            CAPTURE(lanes);
            CAPTURE(period);
            const auto s = segment(make, 4, period, lanes);
            CHECK(!check(s));
            CHECK(support::verified(s).ok());
            CHECK(s.steps() == make(0).steps() + (4 - 1) / lanes * period);
            CHECK(support::measured(s).messages <= 4 * support::measured(make(0)).messages);
            std::vector<edge> expected;
            for (rank_t i = 0; i < 4; ++i)
                for (edge e : edges(make(i))) {
                    e.step += i / lanes * period;
                    expected.push_back(e);
                }
            std::sort(expected.begin(), expected.end(), precedes);
            CHECK(all_edges(s) == expected);
        }
    CHECK(std::string(check(segment(make, 4, 0)).argument) == "period");
    const auto at_once = segment(make, 4, INT64_MAX, INT64_MAX);
    CHECK(!check(at_once));
    CHECK(all_edges(at_once) == all_edges(segment(make, 4, 1, 4)));
    for (rank_t r = 0; r < 6; ++r) CHECK(at_once.busy(r) == segment(make, 4, 1, 4).busy(r));
}

namespace {

/// Piece i sends from rank 0 to rank 1 in steps 1 and 3, or 4 on odd lanes; rank 2 has no edges.
auto listed_piece(rank_t lanes) {
    return [lanes](rank_t i) {
        const rank_t lane = i % lanes;
        const bytes_t m = i + 1;
        return support::bounded(support::by_hand(
            {.collective = collective::broadcast, .ranks = 3, .bytes = 60}, 5 + lane,
            {edge{.step = 1, .src = 0, .dst = 1, .size = m}, edge{.step = lane % 2 + 3, .src = 0, .dst = 1, .size = m}},
            5 * i % 7, 10 * m));
    };
}

}  // namespace

TEST_CASE("segment: next() and busy() are exact, and calls of a piece are within its steps") {
    for (const rank_t pieces : {1, 2, 5})
        for (rank_t lanes = 1; lanes <= 3; ++lanes)
            for (const step_t period : {1, 2, 9}) {
                CAPTURE(pieces);
                CAPTURE(lanes);
                CAPTURE(period);
                const auto make = listed_piece(lanes);
                const auto s = segment(make, pieces, period, lanes);
                REQUIRE(!check(s));
                CHECK(support::loose_answer(s) == "");
                CHECK(support::broken_answer(s) == "");
                std::vector<edge> expected;
                for (rank_t i = 0; i < pieces; ++i)
                    for (const edge& e : all_edges(make(i).stored))
                        expected.push_back(detail::delayed(e, i / lanes * period));
                std::sort(expected.begin(), expected.end(), precedes);
                CHECK(all_edges(s) == expected);
                bytes_t room = 0;
                for (rank_t i = 0; i < pieces; ++i) room = std::max(room, make(i).scratch(0));
                CHECK(s.scratch(0) == room);
            }
}

TEST_CASE("segment: staging is that of the largest pieces under way of every lane") {
    // The pieces of lane 0 take 3 steps, 10 to 50 bytes of staging; those of lane 1 take 4 steps, 20 and 40 bytes.
    const auto staging = [](step_t period) { return segment(listed_piece(2), 5, period, 2).staging(0); };
    CHECK(staging(9) == 50 + 40);
    CHECK(staging(4) == 50 + 40);
    CHECK(staging(3) == 50 + 2 * 40);
    CHECK(staging(2) == 2 * 50 + 2 * 40);
    CHECK(staging(1) == 3 * 50 + 2 * 40);
    CHECK(segment(listed_piece(1), 5, 1, 1).staging(1) == 3 * 50);
    CHECK(segment(listed_piece(1), 5, 1, 1).staging(2) == 0);
    CHECK(segment(listed_piece(1), 1, 1, 1).staging(1) == 10);
}

TEST_CASE("segment: fingerprints differ by every piece, and by pieces, lanes and period") {
    const auto of = [](std::vector<bytes_t> sizes, step_t period, rank_t lanes) {
        const auto make = [sizes](rank_t i) {
            return allgather::ring{.ranks = 3, .block = sizes[static_cast<std::size_t>(i)]};
        };
        return fingerprint(segment(make, std::ssize(sizes), period, lanes));
    };
    const std::vector<std::uint64_t> all{of({1, 1, 1}, 2, 1), of({2, 1, 1}, 2, 1), of({1, 2, 1}, 2, 1),
                                         of({1, 1, 2}, 2, 1), of({1, 1}, 2, 1),    of({1, 1, 1}, 3, 1),
                                         of({1, 1, 1}, 2, 2)};
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = 0; j < all.size(); ++j) CHECK((all[i] == all[j]) == (i == j));
}

TEST_CASE("segment: errors have argument, value, range and piece") {
    const auto ring = [](rank_t) { return allgather::ring{.ranks = 3, .block = 1}; };
    CHECK(check(segment(ring, 0, 1)) == argument_error{"pieces", 0, "1 or more, less than 2^62"});
    CHECK(check(segment(ring, 2, 1, 0)) == argument_error{"lanes", 0, "1 or more"});
    CHECK(check(segment(ring, 2, 0)) == argument_error{"period", 0, "1 step or more"});
    CHECK(check(segment(all_alike{}, 4, INT64_MAX / 2)) ==
          argument_error{"pieces", 4, "as many as leave less than 2^63 steps"});
    CHECK(!check(segment(all_alike{}, 2, INT64_MAX - 2)));
    CHECK(check(segment(all_alike{}, 2, INT64_MAX - 1)) ==
          argument_error{"pieces", 2, "as many as leave less than 2^63 steps"});
    const auto growing = [](rank_t i) { return allgather::ring{.ranks = 3 + i / 2, .block = 1}; };
    CHECK(check(segment(growing, 4, 1)) == argument_error{"ranks", 4, "as many ranks in all pieces", 2});
    const auto other = [](rank_t i) { return allgather::ring{.ranks = 3, .block = 1 + i / 3}; };
    CHECK(check(segment(other, 5, 1)) == argument_error{"contract", static_cast<std::int64_t>(collective::allgather),
                                                        "one contract in all pieces", 3});
    CHECK(check(segment(listed_piece(2), 4, 1, 1)) ==
          argument_error{"steps", 6, "as many steps in all pieces of a lane", 1});
    const auto wrong = [](rank_t i) { return allgather::ring{.ranks = 3, .block = i == 1 ? -1 : 1}; };
    CHECK(check(segment(wrong, 3, 1)) == argument_error{"block", -1, "0 bytes or more"});
}

TEST_CASE("segment: mismatched pieces are reported") {
    const std::vector<bytes_t> counts{1, 1, 1}, fewer{1, 1, 0};
    const contract whole{.collective = collective::gather, .ranks = 3, .blocks = 4};
    const auto make = [&](rank_t i) {
        return rename_buffers(gather::linear{.ranks = 3, .block = block_layout(i == 0 ? counts : fewer)}, as_it_is,
                              whole);
    };
    const argument_error error = check(segment(make, 2, 1));
    CHECK(std::string(error.argument) == "steps");
    CHECK(error.index == 1);
    CHECK(!check(segment(make, 2, 1, 2)));
    const auto ring = [](rank_t) { return allgather::ring{.ranks = 3, .block = 1}; };
    CHECK(!check(segment(ring, 1, 1)));  // algorithms are pieces, too
    CHECK(std::string(check(segment(ring, rank_t{1} << 62, step_t{1} << 62)).argument) == "pieces");
    const auto wrong = [](rank_t) { return broadcast::over_tree<trees::k_ary>{.ranks = 3, .tree = {.radix = 0}}; };
    CHECK(std::string(check(segment(wrong, 2, 1)).argument) == "radix");
    constexpr rank_t end = rank_t{1} << 62;
    CHECK(!check(segment(all_alike{}, end - 1, 1)));
    CHECK(std::string(check(segment(all_alike{}, end, 1)).expected) == "1 or more, less than 2^62");
    for (const rank_t pieces : {-1, 0}) CHECK(std::string(check(segment(ring, pieces, 1)).argument) == "pieces");
    for (const rank_t lanes : {-1, 0}) CHECK(std::string(check(segment(ring, 1, 1, lanes)).argument) == "lanes");
}

TEST_CASE("segment: staging is that of the pieces under way, not of all") {
    const auto make = [](rank_t i) {
        const contract whole{.collective = collective::reduce, .ranks = 16, .bytes = 640, .commutative = true};
        const auto there = [i](rank_t, buffer b) { return location{b, 10 * i}; };
        return rename_buffers(reduce::over_tree<trees::chain>{.ranks = 16, .bytes = 10}, there, whole);
    };
    const auto s = segment(make, 64, 1);
    CHECK(support::verified(s).ok());
    // A rank copies in the first step of a piece, and sends and receives in two others.
    for (rank_t r = 1; r + 1 < 16; ++r) CHECK(s.staging(r) == 30);
    CHECK(s.staging(15) == 0);  // it receives nothing
}

TEST_CASE("segment: staging beyond memory saturates") {
    const auto make = [](rank_t i) {
        const contract whole{
            .collective = collective::reduce, .ranks = 3, .bytes = bytes_t{1} << 62, .commutative = true};
        const auto there = [i](rank_t, buffer b) { return location{b, i << 61}; };
        return rename_buffers(reversed<broadcast::over_tree<trees::flat>>{.ranks = 3, .bytes = bytes_t{1} << 61}, there,
                              whole);
    };
    CHECK(!check(segment(make, 2, 1)));
    CHECK(segment(make, 2, 1, 2).staging(0) == bytes_t{1} << 62);
    CHECK(segment([&](rank_t) { return make(0); }, 8, 1, 8).staging(0) == INT64_MAX);
}
