#include "collsched/collective/allreduce/dual_root.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collsched/core/bits.hpp"
#include "collsched/execute/inline.hpp"
#include "collsched/verify/verify.hpp"
#include "support/block_counts.hpp"
#include "support/brief.hpp"
#include "support/busy_steps.hpp"
#include "support/parameters.hpp"
#include "support/real_bytes.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

/// Proves the algorithm at compile time: in one piece and in unequal ones, bound separately and in place.
template <rank_t Ranks>
constexpr bool proved_at =
    proved<verify(allreduce::dual_root{.ranks = Ranks, .bytes = 5})> &&
    proved<verify(allreduce::dual_root{.ranks = Ranks, .bytes = 7, .segment = 3})> &&
    proved<verify(allreduce::dual_root{.ranks = Ranks, .bytes = 4, .segment = 2}, binding::in_place)>;

template <rank_t... I>
constexpr bool proved_up_to(std::integer_sequence<rank_t, I...>) {
    return (proved_at<I + 1> && ...);
}
static_assert(support::has_parameters<allreduce::dual_root>());
static_assert(proved_up_to(std::make_integer_sequence<rank_t, 17>()));
static_assert(proved<verify(allreduce::dual_root{.ranks = 7, .bytes = 0, .segment = 2})>);
static_assert(proved<verify(allreduce::dual_root{.ranks = 7, .bytes = 72, .element = 8, .segment = 16})>);
static_assert(!allreduce::dual_root::info.commutative);

/// p ranks, m bytes, in S pieces: those of the formulas, from the definition.
struct numbers {
    rank_t p;
    bytes_t m, segment;
    rank_t pieces() const { return segment == 0 || m == 0 ? 1 : (m + segment - 1) / segment; }
    step_t rounds() const {
        if (p == 1 || m == 0) return 0;
        const rank_t n = (p + 1) / 2;
        const step_t up = n == 1 ? 0 : floor_log2(n + 1) + floor_log2((n + 1) / 3);
        const bool lonely_leaf = n > 1 && is_power_of_two(n);
        return up + 2 * floor_log2(n) + 1 + std::min(n, rank_t{3}) * (pieces() - 1) - (lonely_leaf ? 1 : 0);
    }
};

/// The two trees, from the definition: of n consecutive ranks the last is the node, floor(n/2) are below the lower
/// child.
struct two_trees {
    std::vector<rank_t> parent, depth, children;

    explicit two_trees(rank_t p) : parent(size(p)), depth(size(p)), children(size(p)) {
        const rank_t lower = (p + 1) / 2;
        add(0, lower, p - 1, 0);
        add(lower, p - lower, lower - 1, 0);
    }

  private:
    static std::size_t size(rank_t p) { return static_cast<std::size_t>(p); }
    bool add(rank_t first, rank_t n, rank_t above, rank_t deep) {
        if (n == 0) return false;
        const auto node = static_cast<std::size_t>(first + n - 1);
        parent[node] = above;
        depth[node] = deep;
        children[node] += add(first, n / 2, first + n - 1, deep + 1);
        children[node] += add(first + n / 2, n - 1 - n / 2, first + n - 1, deep + 1);
        return true;
    }
};

/// Neither associative nor commutative.
std::uint64_t hashed(std::uint64_t x, std::uint64_t y) {
    const std::uint64_t mixed = x * 0x9e3779b97f4a7c15U ^ (y + 0x7f4a7c15U) * 0xbf58476d1ce4e5b9U;
    return mixed ^ mixed >> 29;
}
void combine_hashes(void*, std::byte* into, const std::byte* incoming, bytes_t size, action what) {
    for (bytes_t i = 0; i < size; i += 8) {
        std::uint64_t own = 0, other = 0;
        std::memcpy(&own, into + i, 8);
        std::memcpy(&other, incoming + i, 8);
        own = what == action::combine_before ? hashed(other, own) : hashed(own, other);
        std::memcpy(into + i, &own, 8);
    }
}
std::uint64_t brought(rank_t r, std::size_t i) { return static_cast<std::uint64_t>(r) * 1000003 + i * 17 + 1; }

/// The sum at the root of a tree of n ranks: the lower child's sum, then the higher child's, then the root's operand.
std::uint64_t sum_of_tree(rank_t first, rank_t n, std::size_t i) {
    std::uint64_t sum = brought(first + n - 1, i);
    const rank_t low = n / 2, high = n - 1 - low;
    if (high > 0) sum = hashed(sum_of_tree(first + low, high, i), sum);
    if (low > 0) sum = hashed(sum_of_tree(first, low, i), sum);
    return sum;
}

}  // namespace

TEST_CASE("allreduce::dual_root: rounds, messages and bytes equal their formulas") {
    for (rank_t p = 1; p <= support::most(300); p += p < 140 ? 1 : 7)
        for (const auto& [m, segment] : {std::pair<bytes_t, bytes_t>{10, 0}, {10, 5}, {11, 4}, {40, 4}, {0, 4}}) {
            const numbers n{p, m, segment};
            CAPTURE(p);
            CAPTURE(m);
            CAPTURE(segment);
            const metrics_report report =
                support::measured(allreduce::dual_root{.ranks = p, .bytes = m, .segment = segment});
            CHECK(report.rounds == n.rounds());
            CHECK(report.messages == (m == 0 ? 0 : 2 * n.pieces() * (p - 1)));
            CHECK(report.max_in_degree <= 1);
            CHECK(report.max_out_degree <= 1);
            if (p == 1) continue;
            const two_trees trees(p);
            for (rank_t r = 0; r < p; ++r) {
                const auto i = static_cast<std::size_t>(r);
                CHECK(report.bytes_sent[r] == m * (1 + trees.children[i]));
                CHECK(report.bytes_received[r] == m * (1 + trees.children[i]));
                CHECK(report.copied_bytes[r] == (trees.children[i] > 0 || trees.depth[i] == 0 ? m : 0));
                CHECK(report.scratch[r] == 0);
            }
        }
}

TEST_CASE("allreduce::dual_root: full trees of height h take the 4h - 3 + 3(S-1) rounds of the paper") {
    for (step_t h = 2; h <= 7; ++h)
        for (const rank_t pieces : {1, 2, 9}) {
            const allreduce::dual_root x{.ranks = (rank_t{2} << h) - 2, .bytes = 8 * pieces, .segment = 8};
            CHECK(support::measured(x).rounds == 4 * h - 3 + 3 * (pieces - 1));
            CHECK(lower(x).steps() == 4 * h - 2 + 3 * (pieces - 1));
        }
}

TEST_CASE(
    "allreduce::dual_root: a rank of depth d sends its parent piece j as it gets piece j - d, and has no other peers") {
    constexpr rank_t pieces = 9;
    for (rank_t p = 2; p <= support::most(64); ++p) {
        CAPTURE(p);
        const two_trees trees(p);
        const step_t period = std::min((p + 1) / 2, rank_t{3});
        // Pieces of one byte; the peers by rank and step, and the steps by sender, receiver and piece.
        std::map<std::pair<rank_t, step_t>, std::set<rank_t>> talks;
        std::map<std::pair<rank_t, rank_t>, std::map<rank_t, step_t>> sent;
        for (const edge& e : edges(allreduce::dual_root{.ranks = p, .bytes = pieces, .segment = 1})) {
            if (e.is_local()) continue;
            talks[{e.src, e.step}].insert(e.dst);
            talks[{e.dst, e.step}].insert(e.src);
            CHECK(sent[{e.src, e.dst}].insert({e.into_offset, e.step}).second);
        }
        for (const auto& [when, others] : talks) CHECK(others.size() == 1);
        for (rank_t r = 0; r < p; ++r) {
            const auto i = static_cast<std::size_t>(r);
            auto& up = sent[{r, trees.parent[i]}];
            auto& down = sent[{trees.parent[i], r}];
            REQUIRE(std::ssize(up) == pieces);
            REQUIRE(std::ssize(down) == pieces);
            for (rank_t j = 0; j < pieces; ++j) {
                CHECK(up[j] == up[0] + period * j);
                if (j >= trees.depth[i]) CHECK(up[j] == down[j - trees.depth[i]]);
                else CHECK(down[j] == down[0] + period * j);
            }
        }
        CHECK(sent.size() == static_cast<std::size_t>(2 * (p - 1)));
    }
}

TEST_CASE("allreduce::dual_root: verified with all results in operand order, separate and in place") {
    for (rank_t p = 1; p <= support::most(300); p += p < 64 ? 1 : 59)
        for (const auto& [m, segment] :
             {std::pair<bytes_t, bytes_t>{10, 0}, {11, 4}, {29, 4}, {1, 1}, {0, 0}, {0, 4}}) {
            CAPTURE(p);
            CAPTURE(m);
            CAPTURE(segment);
            const allreduce::dual_root x{.ranks = p, .bytes = m, .segment = segment};
            CHECK(!lower(x).contract().commutative);
            CHECK(support::verified(x).ok());
            CHECK(support::verified(x, binding::in_place).ok());
        }
}

TEST_CASE(
    "allreduce::dual_root: no element is split, no piece exceeds a segment, and a rank stages at most one piece") {
    for (rank_t p = 2; p <= support::most(40); ++p) {
        const allreduce::dual_root x{.ranks = p, .bytes = 72, .element = 8, .segment = 32};
        const two_trees trees(p);
        CHECK(support::verified(x).ok());
        CHECK(support::verified(x, binding::in_place).ok());
        for (const edge& e : edges(x)) {
            CHECK(e.size % 8 == 0);
            CHECK(e.size <= 32);
        }
        for (rank_t r = 0; r < p; ++r) {
            const auto i = static_cast<std::size_t>(r);
            CHECK(lower(x).staging(r) == (trees.children[i] > 0 || trees.depth[i] == 0 ? 24 : 0));
        }
    }
}

TEST_CASE("allreduce::dual_root: all ranks get the same bits for every operation") {
    constexpr std::size_t words = 7;
    for (rank_t p = 1; p <= support::most(70); ++p)
        for (const bytes_t segment : {0, 8, 24})
            for (const binding how : {binding::separate, binding::in_place}) {
                CAPTURE(p);
                CAPTURE(segment);
                std::vector<std::vector<std::uint64_t>> input, output;
                for (rank_t r = 0; r < p; ++r) {
                    input.emplace_back();
                    for (std::size_t i = 0; i < words; ++i) input.back().push_back(brought(r, i));
                    output.push_back(how == binding::in_place ? input.back() : std::vector<std::uint64_t>(words));
                }
                std::vector<rank_memory> memory;
                for (std::size_t r = 0; r < input.size(); ++r) {
                    auto& in = how == binding::in_place ? output[r] : input[r];
                    memory.push_back({{reinterpret_cast<std::byte*>(in.data()), words * 8},
                                      {reinterpret_cast<std::byte*>(output[r].data()), words * 8}});
                }
                const allreduce::dual_root x{.ranks = p, .bytes = words * 8, .element = 8, .segment = segment};
                REQUIRE(run_inline(x, memory, how, {combine_hashes, nullptr}).done());
                std::vector<std::uint64_t> expected;
                for (std::size_t i = 0; i < words; ++i) {
                    const rank_t lower = (p + 1) / 2;
                    const std::uint64_t sum = sum_of_tree(0, lower, i);
                    expected.push_back(p == 1 ? sum : hashed(sum, sum_of_tree(lower, p - lower, i)));
                }
                for (const auto& result : output) CHECK(result == expected);
            }
}

TEST_CASE("allreduce::dual_root: real bytes are correct for an operation whose order counts") {
    for (rank_t p = 1; p <= support::most(40); ++p)
        for (const binding how : {binding::separate, binding::in_place}) {
            const allreduce::dual_root x{.ranks = p, .bytes = 300, .segment = 64};
            const contract contract = lower(x).contract();
            const auto [bytes, memory] = support::filled(contract, how);
            REQUIRE(run_inline(x, memory, how, support::operation(contract)).done());
            for (const auto& one : bytes) CHECK(one.wrong() == "");
        }
}

TEST_CASE("allreduce::dual_root: one rank of very many pays no cost of O(p)") {
    for (const rank_t p : {(rank_t{1} << 20) + 1, rank_t{1} << 50, (rank_t{1} << 62) - 1})
        for (const rank_t r : {rank_t{0}, p / 3, p / 2, p - 1}) {
            CAPTURE(p);
            CAPTURE(r);
            bytes_t up = 0, got = 0;
            for (const edge& e : program(allreduce::dual_root{.ranks = p, .bytes = 40, .segment = 8}, r)) {
                if (e.src == r && !e.is_local() && e.combines()) up += e.size;
                if (e.dst == r && e.src > r) got += e.size;
            }
            CHECK(up == 40);
            CHECK(got == (r == p - 1 ? 0 : 40));
        }
}

TEST_CASE("allreduce::dual_root: wrong parameters are rejected") {
    const auto error_of = [](const allreduce::dual_root& parameters) {
        return std::string(check(parameters).argument);
    };
    CHECK(error_of({.ranks = 0, .bytes = 8}) == "ranks");
    CHECK(error_of({.ranks = 3, .bytes = -1}) == "bytes");
    CHECK(error_of({.ranks = 3, .bytes = 70, .element = 8}) == "element");
    CHECK(error_of({.ranks = 3, .bytes = 72, .element = 8, .segment = 12}) == "segment");
    CHECK(!check(allreduce::dual_root{.ranks = 3, .bytes = (bytes_t{1} << 60) - 1, .segment = 1}));
    CHECK(
        std::string(check(allreduce::dual_root{.ranks = 3, .bytes = bytes_t{1} << 60, .segment = 1}).text().c_str()) ==
        "segment: got 1, expected segments so large that there are less than 2^60 pieces");
}

TEST_CASE("allreduce::dual_root: a rank is busy from its first step to its last") {
    for (rank_t p = 1; p <= 20; ++p)
        for (const bytes_t segment : {0, 3}) {
            CAPTURE(p);
            CAPTURE(segment);
            CHECK(
                support::busy_in_used_steps(lower(allreduce::dual_root{.ranks = p, .bytes = 12, .segment = segment})));
        }
}
