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
#include "collsched/collective/reduce/reversals.hpp"
#include "collsched/collective/reduce_scatter/butterfly.hpp"
#include "collsched/collective/reduce_scatter/reversals.hpp"
#include "collsched/collective/scan/along_chain.hpp"
#include "collsched/format/schedules/write_association.hpp"
#include "support/brief.hpp"
#include "support/samples.hpp"
#include "support/small_schedules.hpp"

using namespace collsched;

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
