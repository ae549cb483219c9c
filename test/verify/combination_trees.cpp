#include "collsched/verify/combination_trees.hpp"

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/exscan/recursive_doubling.hpp"
#include "collsched/collective/reduce/linear.hpp"
#include "collsched/collective/reduce/reversals.hpp"
#include "collsched/collective/reduce_scatter/butterfly.hpp"
#include "collsched/collective/reduce_scatter/reversals.hpp"
#include "collsched/collective/scan/along_chain.hpp"
#include "collsched/collective/scan/recursive_doubling.hpp"
#include "collsched/format/schedules/write_association.hpp"
#include "support/brief.hpp"
#include "support/samples.hpp"
#include "support/small_schedules.hpp"

using namespace collsched;

namespace {

std::string spelled(const combination_trees& trees, const association_report::result_byte& where) {
    std::string text;
    trees.spell(trees.tree(where), [&](char c) { text += c; });
    return text;
}

constexpr bool has_first_tree(const char* expected) {
    const combination_trees trees(allreduce::recursive_doubling{.ranks = 4, .bytes = 4});
    bool same = true;
    trees.spell(trees.tree({3, 2}), [&](char c) { same = same && *expected++ == c; });
    return same && *expected == 0;
}

}  // namespace

static_assert(has_first_tree("((0 1) (2 3))"));

/// Ranks without a result in one of two schedules are not compared.
constexpr bool same_as_without_bytes(rank_t ranks) {
    const combination_trees some(scan::linear{.ranks = ranks, .bytes = 2}), none(scan::linear{.ranks = ranks});
    return some.same_as(none) && none.same_as(some) && none.same_as(none) && some.same_as(some);
}
static_assert(combination_trees(reduce::linear{.ranks = 3, .bytes = 2})
                  .same_as(combination_trees(reduce::linear{.ranks = 3, .root = 0, .bytes = 8})));
static_assert(same_as_without_bytes(1) && same_as_without_bytes(2) && same_as_without_bytes(5));

TEST_CASE("combination_trees: bytes of the result have trees, others have none") {
    const combination_trees trees(scan::linear{.ranks = 12, .bytes = 8});
    CHECK(trees.proof().ok());
    CHECK(trees.ranks() == 12);
    CHECK(trees.collective() == collective::scan);
    CHECK(trees.result_ranks(3) == 4);
    CHECK(trees.parts().size() == 12);
    CHECK(spelled(trees, {0, 7}) == "0");
    CHECK(spelled(trees, {11, 0}) == "(((((((((((0 1) 2) 3) 4) 5) 6) 7) 8) 9) 10) 11)");
    CHECK(trees.tree({11, 8}) == -1);
    CHECK(trees.tree({12, 0}) == -1);
    const combination_trees reduced(reduce::linear{.ranks = 3, .root = 1, .bytes = 8});
    CHECK(reduced.tree({0, 0}) == -1);
    CHECK(reduced.tree({1, 0}) >= 3);
    CHECK(reduced.result_ranks(1) == 3);
}

TEST_CASE("combination_trees: each part of a ring's message has its own tree") {
    const combination_trees trees(allreduce::ring{.ranks = 3, .bytes = 6});
    CHECK(trees.parts().size() == 9);
    CHECK(spelled(trees, {0, 0}) == spelled(trees, {2, 1}));
    CHECK(spelled(trees, {0, 0}) != spelled(trees, {0, 2}));
}

TEST_CASE("combination_trees: a schedule that combines nothing has no trees") {
    const combination_trees trees(broadcast::over_tree<trees::binomial>{.ranks = 4, .bytes = 8});
    CHECK(trees.proof().ok());
    CHECK(trees.parts().empty());
    CHECK(combination_trees().parts().empty());
}

TEST_CASE("combination_trees: the trees of two schedules are compared by their shape") {
    const auto doubling = [](rank_t p, bytes_t bytes) {
        return combination_trees(allreduce::recursive_doubling{.ranks = p, .bytes = bytes});
    };
    CHECK(doubling(6, 4).same_as(doubling(6, 12)));
    CHECK(!doubling(6, 4).same_as(doubling(7, 4)));
    CHECK(!doubling(6, 4).same_as(combination_trees(reduce::linear{.ranks = 6, .bytes = 4})));
    const combination_trees ring(allreduce::ring{.ranks = 6, .bytes = 1}),
        rings(allreduce::ring{.ranks = 6, .bytes = 6});
    CHECK(ring.same_as(ring));
    CHECK(!ring.same_as(rings));
    CHECK(!rings.same_as(ring));
    CHECK(!ring.same_as(doubling(6, 1)));
    const combination_trees chain(scan::linear{.ranks = 5, .bytes = 4}), linear(scan::linear{.ranks = 5, .bytes = 8});
    CHECK(chain.same_as(linear));
    CHECK(!chain.same_as(combination_trees(scan::linear{.ranks = 6, .bytes = 4})));
    CHECK(!combination_trees(scan::linear{.ranks = 6, .bytes = 4}).same_as(chain));
    CHECK(!doubling(2, 4).same_as(combination_trees(reduce::linear{.ranks = 2, .bytes = 4})));
    CHECK(!chain.same_as(combination_trees(scan::recursive_doubling{.ranks = 5, .bytes = 4})));
}

TEST_CASE("combination_trees: without a schedule there are no ranks, and parts begin with rank 0 and tree 0") {
    const combination_trees none;
    CHECK(none.ranks() == 0);
    CHECK(none.collective() == collective::barrier);
    CHECK(none.tree({0, 0}) == -1);
    const combination_trees::result_part part{};
    CHECK(part.rank == 0);
    CHECK(part.bytes == byte_range{});
    CHECK(part.tree == 0);
}

TEST_CASE(
    "combination_trees: a result has the operands of all ranks, of a scan those up to its rank, of an exscan below") {
    const combination_trees inclusive(scan::linear{.ranks = 4, .bytes = 2}),
        exclusive(exscan::linear{.ranks = 4, .bytes = 2}), all(allreduce::ring{.ranks = 4, .bytes = 8});
    for (rank_t r = 0; r < 4; ++r) {
        CHECK(inclusive.result_ranks(r) == r + 1);
        CHECK(exclusive.result_ranks(r) == r);
        CHECK(all.result_ranks(r) == 4);
    }
    CHECK(exclusive.tree({0, 0}) == -1);
    CHECK(spelled(exclusive, {1, 0}) == "0");
    CHECK(spelled(exclusive, {3, 1}) == "((0 1) 2)");
}

TEST_CASE("combination_trees: every byte of each part has its tree, the bytes beside the result have none") {
    const combination_trees trees(allreduce::ring{.ranks = 3, .bytes = 6});
    for (rank_t r = 0; r < 3; ++r) {
        for (bytes_t byte = 0; byte < 6; ++byte)
            for (const combination_trees::result_part& part : trees.parts())
                if (part.rank == r && part.bytes.offset <= byte && byte < part.bytes.end())
                    CHECK(trees.tree({r, byte}) == part.tree);
        CHECK(trees.tree({r, 6}) == -1);
        CHECK(trees.tree({r, -1}) == -1);
    }
    CHECK(trees.tree({-1, 0}) == -1);
    CHECK(trees.tree({3, 0}) == -1);
    CHECK(spelled(trees, {0, 0}) == "(0 (1 2))");
}

TEST_CASE("combination_trees: ranks of one, two and three digits are spelled as numbers") {
    const combination_trees trees(scan::linear{.ranks = 102, .bytes = 1});
    for (const rank_t r : {9, 10, 11, 99, 100, 101}) {
        const std::string text = spelled(trees, {r, 0}), end = " " + std::to_string(r) + ")";
        CHECK(text.substr(text.size() - end.size()) == end);
    }
}

TEST_CASE("combination_trees: the class is reported with the first bytes that differ") {
    const auto report = [](const auto& x) { return combination_trees(x).association(); };
    CHECK(report(allreduce::ring{.ranks = 3, .bytes = 6}) ==
          association_report{.level = association_class::rank, .first = {0, 0}, .second = {0, 2}});
    CHECK(report(allreduce::recursive_doubling{.ranks = 4, .bytes = 4}) ==
          association_report{.level = association_class::canonical});
    for (const rank_t root : {0, 4})
        CHECK(report(reduce::linear{.ranks = 5, .root = root, .bytes = 4}) ==
              association_report{.level = association_class::position, .first = {root, 0}, .second = {root, 0}});
    CHECK(report(reduce::linear{.ranks = 1, .bytes = 4}) == association_report{.level = association_class::canonical});
}

TEST_CASE("combination_trees: two ranks of an allreduce may combine a byte in different ways") {
    // Rank 0 computes (0 op 1) op 2 and sends it to the others. From byte `from` on rank 2 computes 0 op (1 op 2) instead.
    const contract all{.collective = collective::allreduce, .ranks = 3, .bytes = 4};
    const auto combine = [](step_t k, rank_t src, rank_t dst, bytes_t at, action how) {
        return edge{
            .step = k, .src = src, .dst = dst, .from_offset = at, .into_offset = at, .size = 4 - at, .action = how};
    };
    for (const bytes_t from : {0, 1, 3}) {
        std::vector<edge> edges;
        for (rank_t r = 0; r < 3; ++r) edges.push_back({.src = r, .dst = r, .size = 4});
        edges.push_back(combine(1, 1, 0, 0, action::combine_after));
        edges.push_back(combine(2, 2, 0, 0, action::combine_after));
        for (const rank_t r : {1, 2})
            edges.push_back({.step = 3, .src = 0, .dst = r, .size = 4, .from = buffer::output});
        edges.push_back({.step = 4, .src = 2, .dst = 2, .from_offset = from, .into_offset = from, .size = 4 - from});
        edges.push_back(combine(5, 1, 2, from, action::combine_before));
        edges.push_back(combine(6, 0, 2, from, action::combine_before));
        const combination_trees trees(support::by_hand(all, 7, edges, 0, 4));
        REQUIRE(trees.proof().ok());
        CHECK(spelled(trees, {2, 3}) == "(0 (1 2))");
        CHECK(spelled(trees, {0, 3}) == "((0 1) 2)");
        CHECK(trees.association() ==
              association_report{.level = association_class::any, .first = {0, from}, .second = {2, from}});
    }
}

static_assert(reproducible<association(allreduce::recursive_doubling{.ranks = 8, .bytes = 16, .element = 8}),
                           association_class::canonical>);
static_assert(association(allreduce::recursive_doubling{.ranks = 6, .bytes = 16}).level == association_class::position);
static_assert(association(allreduce::ring{.ranks = 4, .bytes = 8}) ==
              association_report{.level = association_class::rank, .first = {0, 0}, .second = {0, 2}});
static_assert(reproducible<association(reduce_scatter::butterfly{.ranks = 8, .block = 4}, binding::in_place),
                           association_class::canonical>);
static_assert(reproducible<association(scan::linear{.ranks = 3, .bytes = 4}), association_class::canonical>);
static_assert(
    reproducible<association(exscan::recursive_doubling{.ranks = 8, .bytes = 4}), association_class::position>);

namespace {

/// Every byte of every buffer is a text: the number of a rank, or (a b) for a combination. No part of the verifier is used.
class text_oracle {
  public:
    text_oracle(const stored_schedule& s, binding how) : contract_(s.contract()), how_(how) {
        for (rank_t r = 0; r < s.ranks; ++r)
            for (bytes_t i = 0; i < contract_.input_bytes(r); ++i) at(r, buffer::input, i) = std::to_string(r);
        for (step_t k = 0; k < s.steps(); ++k) step(s, k);
        for (rank_t r = 0; r < s.ranks; ++r)
            contract_.results(r, [&](const contract::result_range& part) {
                for (bytes_t i = part.where.offset; i < part.where.end(); ++i)
                    result.push_back({r, i, at(r, buffer::output, i)});
            });
    }

    struct entry {
        rank_t rank;
        bytes_t byte;
        std::string tree;
    };
    std::vector<entry> result;

    association_class level() const {
        const bool scan = contract_.collective == collective::scan || contract_.collective == collective::exscan;
        bool position = true, canonical = true;
        std::map<bytes_t, std::string> of_byte;
        std::map<rank_t, std::string> of_rank;
        for (const entry& e : result) {
            const bool is_known =
                contract_.collective == collective::allreduce && !of_byte.emplace(e.byte, e.tree).second;
            if (is_known && of_byte[e.byte] != e.tree) return association_class::any;
            of_rank.emplace(scan ? e.rank : 0, e.tree);
            position = position && of_rank[scan ? e.rank : 0] == e.tree;
            const rank_t last = contract_.collective == collective::scan     ? e.rank + 1
                                : contract_.collective == collective::exscan ? e.rank
                                                                             : contract_.ranks;
            canonical = canonical && e.tree == (scan ? prefix(0, last) : halves(0, last));
        }
        if (!position) return association_class::rank;
        return canonical ? association_class::canonical : association_class::position;
    }

  private:
    static std::string halves(rank_t first, rank_t last) {
        if (last - first == 1) return std::to_string(first);
        const rank_t middle = first + (last - first + 1) / 2;
        return "(" + halves(first, middle) + " " + halves(middle, last) + ")";
    }
    static std::string prefix(rank_t first, rank_t last) {
        if (last - first == 1) return std::to_string(first);
        rank_t power = 1;
        while (2 * power < last - first) power *= 2;
        return "(" + prefix(first, first + power) + " " + prefix(first + power, last) + ")";
    }
    static int first_rank(const std::string& tree) { return std::stoi(tree.substr(tree.find_first_not_of('('))); }
    static std::string joined(const std::string& a, const std::string& b) {
        return first_rank(a) < first_rank(b) ? "(" + a + " " + b + ")" : "(" + b + " " + a + ")";
    }

    std::string& at(rank_t r, buffer where, bytes_t offset) {
        const location place = locate(contract_.alias(r, how_), where, offset);
        return memory_[{r, place.where, place.offset}];
    }

    void step(const stored_schedule& s, step_t k) {
        std::vector<std::pair<edge, std::vector<std::string>>> moving;
        for (const edge& e : s.edges()) {
            if (e.step != k) continue;
            moving.push_back({e, {}});
            for (bytes_t i = 0; i < e.size; ++i) moving.back().second.push_back(at(e.src, e.from, e.from_offset + i));
        }
        for (const auto& [e, bytes] : moving)
            for (bytes_t i = 0; i < e.size; ++i) {
                std::string& target = at(e.dst, e.into, e.into_offset + i);
                const std::string& moved = bytes[static_cast<std::size_t>(i)];
                target = e.action == action::copy ? moved : joined(target, moved);
            }
    }

    contract contract_;
    binding how_;
    std::map<std::tuple<rank_t, buffer, bytes_t>, std::string> memory_;
};

/// Each rank copies its input and sends it to both others; rank 2 combines in another order than ranks 0 and 1.
stored_schedule own_orders() {
    std::vector<edge> edges;
    for (rank_t r = 0; r < 3; ++r) edges.push_back({.src = r, .dst = r, .size = 4});
    for (const auto& [step, src, dst] :
         std::vector<std::array<rank_t, 3>>{{1, 0, 2}, {1, 1, 0}, {1, 0, 1}, {2, 1, 2}, {2, 2, 0}, {2, 2, 1}})
        edges.push_back(
            {.step = step, .src = src, .dst = dst, .size = 4, .from = buffer::input, .action = action::combine_after});
    return support::by_hand({.collective = collective::allreduce, .ranks = 3, .bytes = 4, .commutative = true}, 3,
                            edges, 0, 4);
}

}  // namespace

TEST_CASE("association: every byte's tree and the class are those of an execution with texts, p = 1 .. 9") {
    std::size_t compared = 0;
    for (rank_t p = 1; p <= 9; ++p)
        for (const auto& [name, schedule] : support::samples(p)) {
            if (!reduces(schedule.contract().collective)) continue;
            const stored_schedule stored = materialize(schedule);
            for (const binding how : support::bindings(schedule.contract())) {
                INFO(name, " ", static_cast<int>(how));
                const text_oracle oracle(stored, how);
                const combination_trees trees(schedule, how);
                REQUIRE(trees.proof().ok());
                bool same = true;
                for (const auto& [r, byte, tree] : oracle.result) {
                    same = same && detail::tree_text(trees, trees.tree({r, byte})) == tree;
                    ++compared;
                }
                CHECK(same);
                CHECK(name_of(trees.association().level) == std::string(name_of(oracle.level())));
            }
        }
    CHECK(compared > (support::brief() ? 1'000 : 100'000));
}

TEST_CASE("association: an allreduce whose ranks combine in their own order has the class any") {
    const association_report found = association(own_orders());
    CHECK(found == association_report{.level = association_class::any, .first = {0, 0}, .second = {2, 0}});
    const combination_trees trees(own_orders());
    CHECK(detail::tree_text(trees, trees.tree(found.first)) == "((0 1) 2)");
    CHECK(detail::tree_text(trees, trees.tree(found.second)) == "((0 2) 1)");
    CHECK(text_oracle(own_orders(), binding::separate).level() == association_class::any);
}

TEST_CASE("association: the report of a wrong schedule has its finding, and no class") {
    const auto wrong = support::linear_reduce(3, 4, action::combine_before);
    const association_report found = association(wrong);
    CHECK(found.proof == verify(wrong));
    CHECK(found.proof.finding == verdict::kind::operand_order);
    CHECK(!found.has(association_class::any));
    CHECK_THROWS_WITH(association(allreduce::ring{.ranks = 0}), "ranks: got 0, expected 1 or more");
}

TEST_CASE("association: a schedule that combines nothing, and one rank, are canonical") {
    CHECK(association(broadcast::over_tree<trees::binomial>{.ranks = 5, .bytes = 8}).has(association_class::canonical));
    CHECK(association(allreduce::ring{.ranks = 1, .bytes = 8}).has(association_class::canonical));
    CHECK(association(allreduce::ring{.ranks = 5, .bytes = 0}).has(association_class::canonical));
}

TEST_CASE("association_sweep: schedules of one element each have the class rank where their trees differ") {
    using ring = reduce_scatter::ring;
    const std::array<bytes_t, 3> first{4, 0, 0}, last{0, 0, 4};
    const std::array<ring, 2> moved{ring{.ranks = 3, .block = block_layout(first), .element = 4},
                                    ring{.ranks = 3, .block = block_layout(last), .element = 4}};
    for (const ring& x : moved) CHECK(association(x).level >= association_class::position);
    CHECK(common_association(std::span<const ring>(moved)) == association_class::rank);
    CHECK(common_association(std::span<const ring>(moved).first(1)) >= association_class::position);

    using doubling = allreduce::recursive_doubling;
    const std::array<doubling, 3> sizes{doubling{.ranks = 6, .bytes = 0}, doubling{.ranks = 6, .bytes = 1},
                                        doubling{.ranks = 6, .bytes = 17}};
    CHECK(common_association(std::span<const doubling>(sizes)) == association_class::position);
    CHECK(common_association(std::span<const doubling>()) == association_class::canonical);
}

TEST_CASE("association_sweep: a wrong schedule makes the class any") {
    const std::array<stored_schedule, 2> both{support::linear_reduce(3, 4),
                                              support::linear_reduce(3, 4, action::combine_before)};
    CHECK(common_association(std::span<const stored_schedule>(both)) == association_class::any);
}
