#include "collsched/collective/reduce/linear.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "collsched/verify/verify.hpp"
#include "support/brief.hpp"
#include "support/busy_steps.hpp"
#include "support/matrix_products.hpp"
#include "support/oracle.hpp"
#include "support/parameters.hpp"
#include "support/small_schedules.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

template <rank_t Ranks, rank_t Root>
constexpr bool proved_at = proved<verify(reduce::linear{.ranks = Ranks, .root = Root, .bytes = 12, .element = 4})> &&
                           proved<verify(reduce::linear{.ranks = Ranks, .root = Root, .bytes = 7}, binding::in_place)>;

template <rank_t... I>
constexpr bool proved_up_to(std::integer_sequence<rank_t, I...>) {
    return ((proved_at<I + 1, 0> && proved_at<I + 1, I / 2> && proved_at<I + 1, I>) && ...);
}

}  // namespace

static_assert(support::has_parameters<reduce::linear>());
static_assert(edge_algorithm<reduce::linear> && !reduce::linear::info.commutative);
static_assert(proved_up_to(std::make_integer_sequence<rank_t, 17>{}));

TEST_CASE("reduce::linear: operands keep their order for every root, separate and in place") {
    for (rank_t p = 1; p <= support::most(64); ++p)
        for (rank_t root = 0; root < p; root += p <= 20 ? 1 : 9)
            for (const bytes_t bytes : {0, 1, 8, 29}) {
                CAPTURE(p);
                CAPTURE(root);
                const reduce::linear x{.ranks = p, .root = root, .bytes = bytes};
                CHECK(support::verified(x).ok());
                CHECK(support::verified(x, binding::in_place).ok());
                if (p > 12) continue;
                const stored_schedule s = materialize(x);
                CHECK(support::replays(s, binding::separate));
                CHECK(support::replays(s, binding::in_place));
            }
    for (const rank_t root : {0, 150, 299})
        CHECK(support::verified(reduce::linear{.ranks = 300, .root = root, .bytes = 4}).ok());
}

TEST_CASE("reduce::linear: rounds, messages, bytes and memory equal their formulas") {
    for (rank_t p = 1; p <= support::most(64); ++p)
        for (rank_t root = 0; root < p; ++root)
            for (const bytes_t bytes : {bytes_t{0}, bytes_t{24}, bytes_t{5} << 32}) {
                const reduce::linear x{.ranks = p, .root = root, .bytes = bytes, .element = 8};
                const metrics_report m = support::measured(x);
                CHECK(m.rounds == (bytes > 0 ? p - 1 : 0));
                CHECK(m.messages == m.rounds);
                CHECK(m.max_in_degree <= 1);
                CHECK(
                    lower(x).contract() ==
                    contract{.collective = collective::reduce, .ranks = p, .root = root, .bytes = bytes, .element = 8});
                for (rank_t r = 0; r < p; ++r) {
                    const bool other = r != root;
                    CHECK(m.bytes_sent[r] == (other ? bytes : 0));
                    CHECK(m.bytes_received[r] == (other ? 0 : (p - 1) * bytes));
                    CHECK(m.scratch[r] == (other || root == 0 ? 0 : bytes));
                    CHECK(m.copied_bytes[r] == (other ? 0 : root == 0 ? bytes : 2 * bytes));
                    // All that come but the first from below the root combine.
                    CHECK(lower(x).staging(r) == (other || p - (root > 0 ? 2 : 1) < 1 ? 0 : bytes));
                }
            }
}

TEST_CASE("reduce::linear: one peer per step in ascending relative rank, at root 0 the sum from left to right") {
    for (rank_t p = 1; p <= 20; ++p)
        for (rank_t root = 0; root < p; ++root)
            for (const edge& e : edges(reduce::linear{.ranks = p, .root = root, .bytes = 3}))
                if (!e.is_local()) {
                    CHECK(e.dst == root);
                    CHECK(e.step == (e.src - root + p) % p);
                    CHECK(e.from == buffer::input);
                }
    for (rank_t p = 1; p <= 20; ++p) {
        const stored_schedule made = materialize(reduce::linear{.ranks = p, .bytes = 6});
        const stored_schedule wanted = support::linear_reduce(p, 6);
        CHECK(std::equal(made.edges().begin(), made.edges().end(), wanted.edges().begin(), wanted.edges().end()));
    }
}

TEST_CASE("reduce::linear: correct for products of 2x2 matrices") {
    for (const rank_t p : {1, 2, 3, 5, 6, 7, 12, 33})
        for (rank_t root = 0; root < p; root += p < 12 ? 1 : 5)
            for (const binding how : {binding::separate, binding::in_place})
                CHECK(support::wrong_product(reduce::linear{.ranks = p,
                                                            .root = root,
                                                            .bytes = 3 * support::matrix_bytes,
                                                            .element = support::matrix_bytes},
                                             how) == "");
}

TEST_CASE("reduce::linear: an order that is not kept is found by the proof and by the products") {
    const auto x =
        support::operands_swapped(reduce::linear{.ranks = 5, .root = 2, .bytes = support::matrix_bytes, .element = 32});
    CHECK(support::verified(x).finding == verdict::kind::operand_order);
    CHECK(support::wrong_product(x, binding::separate) == "a wrong product on rank 2");
}

TEST_CASE("reduce::linear: wrong parameters are reported") {
    CHECK(std::string(check(reduce::linear{.ranks = 0}).argument) == "ranks");
    CHECK(std::string(check(reduce::linear{.ranks = 3, .root = 3}).argument) == "root");
    CHECK(std::string(check(reduce::linear{.ranks = 3, .bytes = -1}).argument) == "bytes");
    CHECK(std::string(check(reduce::linear{.ranks = 3, .bytes = 10, .element = 4}).argument) == "element");
    CHECK(lower(reduce::linear{.ranks = 3}).pacing() == pacing{1});
}

TEST_CASE("reduce::linear: a rank is busy from its first message to its last") {
    for (rank_t p = 1; p <= 20; ++p)
        for (rank_t root = 0; root < p; ++root) {
            CAPTURE(p);
            CAPTURE(root);
            CHECK(support::busy_in_used_steps(lower(reduce::linear{.ranks = p, .root = root, .bytes = 3})));
        }
}
