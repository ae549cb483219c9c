#include "collsched/combine/reverse.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/hierarchical.hpp"
#include "collsched/collective/allgather/neighbor_exchange.hpp"
#include "collsched/collective/allgather/recursive_doubling.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/gather/linear.hpp"
#include "collsched/collective/gather/over_tree.hpp"
#include "collsched/collective/gather/root_receive.hpp"
#include "collsched/collective/reduce/reversals.hpp"
#include "collsched/combine/local_step.hpp"
#include "collsched/schedule/edge_views.hpp"
#include "collsched/tree/binomial.hpp"
#include "collsched/tree/chain.hpp"
#include "collsched/tree/k_ary.hpp"
#include "collsched/verify/verify.hpp"
#include "support/answers.hpp"
#include "support/bounded.hpp"
#include "support/busy_steps.hpp"
#include "support/composed.hpp"
#include "support/layouts.hpp"
#include "support/samples.hpp"
#include "support/small_schedules.hpp"
#include "support/verified.hpp"

using namespace collsched;
using support::all_edges;

namespace {

template <class X>
std::vector<edge> moves(const X& x) {
    std::vector<edge> all;
    for (const edge& e : edges(x))
        if (!e.is_local()) all.push_back(e);
    std::sort(all.begin(), all.end(), precedes);
    return all;
}

using binomial_gather = gather::over_tree<trees::binomial, gather::root_receive::chained>;

}  // namespace

static_assert(derived_algorithm<reversed<gather::linear>> && algorithm<reversed<allgather::ring>>);
static_assert(proved<verify(reversed<allgather::ring>{.ranks = 5, .block = 3})>);

TEST_CASE("reverse: a schedule reversed twice has its own moves between ranks") {
    for (rank_t p = 1; p <= 12; ++p)
        for (const auto& [name, layout] : support::layouts(p))
            for (rank_t root = 0; root < p; root += 3) {
                const binomial_gather g{.ranks = p, .root = root, .block = layout};
                CHECK(moves(reverse_of(reverse_of(g))) == moves(g));
                const gather::linear l{.ranks = p, .root = root, .block = layout};
                CHECK(moves(reverse_of(reverse_of(l))) == moves(l));
            }
}

TEST_CASE("reverse: a copying reverse has every edge reversed, steps mirrored, input and output exchanged") {
    const gather::linear g{.ranks = 4, .root = 1, .block = 8};
    std::vector<edge> expected;
    for (const edge& e : edges(g)) {
        const auto other = [](buffer b) {
            return b == buffer::input ? buffer::output : b == buffer::output ? buffer::input : b;
        };
        expected.push_back({.step = 2 - e.step,
                            .src = e.dst,
                            .dst = e.src,
                            .from_offset = e.into_offset,
                            .into_offset = e.from_offset,
                            .size = e.size,
                            .from = other(e.into),
                            .into = other(e.from)});
    }
    std::sort(expected.begin(), expected.end(), precedes);
    const stored_schedule s = materialize(reverse_of(g));
    CHECK(std::equal(s.edges().begin(), s.edges().end(), expected.begin(), expected.end()));
    CHECK(s.contract().collective == collective::scatter);
    CHECK(s.contract().root == 1);
}

TEST_CASE("reverse: bytes between blocks that are put aside do not return") {
    const std::vector<bytes_t> counts = {1, 3}, displs = {0, 4};
    const auto whole =
        copy_input_first(reversed<gather::linear>{.ranks = 2, .root = 1, .block = block_layout(counts, displs)});
    CHECK(verify(whole).ok());
    CHECK(verify(reverse(whole)).finding == verdict::kind::not_held);
    const auto packed =
        copy_input_first(reversed<gather::linear>{.ranks = 2, .root = 1, .block = block_layout(counts)});
    CHECK(verify(reverse(packed)).ok());
}

TEST_CASE("reverse: reversed allgathers without scratch are reduce_scatters") {
    for (rank_t p = 1; p <= 24; ++p)
        for (const auto& [name, layout] : support::layouts(p)) {
            INFO(p, " ", name);
            CHECK(support::verified(reversed<allgather::ring>{.ranks = p, .block = layout}).ok());
            CHECK(support::verified(reversed<allgather::recursive_doubling>{.ranks = p, .block = layout}).ok());
            CHECK(support::verified(reversed<allgather::neighbor_exchange>{.ranks = p, .block = layout}).ok());
        }
    const auto refused = check(reversed<allgather::bruck>{.ranks = 4, .block = 1});
    CHECK(std::string(refused.argument) == "scratch");
}

TEST_CASE("reverse: a combining reverse has the same rounds and bytes, and a step of local copies first") {
    const broadcast::over_tree<trees::k_ary> b{.ranks = 11, .root = 2, .bytes = 30, .segment = 7};
    const metrics_report down = support::measured(b), up = support::measured(reverse_of(b));
    CHECK(up.rounds == down.rounds);
    CHECK(up.messages == down.messages);
    CHECK(up.steps == down.steps + 1);
    for (rank_t r = 0; r < 11; ++r) {
        CHECK(up.bytes_sent[r] == down.bytes_received[r]);
        CHECK(up.bytes_received[r] == down.bytes_sent[r]);
        CHECK(up.scratch[r] == (r == 2 ? 0 : 30));
    }
}

TEST_CASE("reverse: operands keep their order exactly where keeps_order is true") {
    for (rank_t p = 1; p <= 33; ++p)
        for (rank_t root = 0; root < p; ++root) {
            const reduce::over_tree<trees::binomial> r{.ranks = p, .root = root, .bytes = 4};
            CHECK(lower(r).contract().commutative == (root != 0));
            CHECK(support::verified(r).ok());
        }
    CHECK(lower(reduce::over_tree<trees::k_ary>{.ranks = 9, .bytes = 4}).contract().commutative);
}

TEST_CASE("reverse: the description of a reverse") {
    static_assert(reversed<gather::linear>::info.collective == collective::scatter);
    static_assert(reversed<allgather::ring>::info.collective == collective::reduce_scatter);
    static_assert(reversed<allgather::ring>::info.commutative && !reversed<gather::linear>::info.commutative);
    CHECK(fingerprint(reversed<gather::linear>{.ranks = 3, .block = 1}) !=
          fingerprint(gather::linear{.ranks = 3, .block = 1}));
    CHECK(check(reversed<gather::linear>{.ranks = 3, .root = 3}).value == 3);
}

TEST_CASE("reverse: errors have argument, value, range and rank") {
    const auto with_scratch = [](std::vector<bytes_t> sizes) {
        owned_array<bytes_t> scratch{std::span<const bytes_t>(sizes)};
        return stored_schedule({.collective = collective::broadcast, .ranks = 3, .bytes = 4}, 1, {}, scratch,
                               owned_array<bytes_t>(3), {}, 1);
    };
    CHECK(!check(reverse_combining(with_scratch({0, 0, 0}), true)));
    for (const rank_t r : {0, 1, 2}) {
        std::vector<bytes_t> sizes(3);
        sizes[static_cast<std::size_t>(r)] = 1;
        CHECK(check(reverse_combining(with_scratch(sizes), true)) ==
              argument_error{"scratch", 1, "a schedule without scratch, to be reversed", r});
    }
    const char* const range = "scatter, gather or barrier: what writes no byte twice";
    CHECK(check(reverse(allgather::ring{.ranks = 3, .block = 1})) ==
          argument_error{"collective", static_cast<std::int64_t>(collective::allgather), range});
    CHECK(check(reverse_combining(gather::linear{.ranks = 3, .block = 1}, true)) ==
          argument_error{"collective", static_cast<std::int64_t>(collective::gather),
                         "broadcast or allgather, to combine backwards"});
    CHECK(check(reverse(gather::linear{.ranks = 3, .block = -1})) == argument_error{"block", -1, "0 bytes or more"});
    CHECK(check(reverse_combining(allgather::ring{.ranks = 3, .block = 4}, true, 3)) ==
          argument_error{"element", 3, "a size that divides every block and displacement"});
    CHECK(!check(reverse_combining(allgather::ring{.ranks = 3, .block = 4}, true, 2)));
    CHECK(check(reversed<allgather::ring>{.ranks = 3, .block = 4, .element = 0}) ==
          argument_error{"element", 0, "1 byte or more"});
    CHECK(!check(reversed<allgather::ring>{.ranks = 3, .block = 4, .element = 1}));
    CHECK(reversed<allgather::ring>{}.element == 1);
}

TEST_CASE("reverse: calls of the schedule are within its steps, and busy() mirrors its busy steps") {
    const edge a{.step = 1, .src = 0, .dst = 1, .size = 2, .into = buffer::output},
        b{.step = 3, .src = 1, .dst = 2, .size = 2, .from = buffer::output};
    const edge own{.size = 2};
    for (const collective kind : {collective::scatter, collective::broadcast}) {
        const support::bounded forward(support::by_hand(
            {.collective = kind, .ranks = 3, .blocks = block_layout(kind == collective::scatter ? 2 : 0), .bytes = 2},
            5, {own, a, b}));
        const auto check_all = [&](const auto& s, step_t last) {
            REQUIRE(!s.check());
            CHECK(support::broken_answer(s) == "");
            CHECK(s.steps() == last + 1);
            for (rank_t r = 0; r < 3; ++r)
                for (step_t k = 0; k <= s.steps(); ++k) CHECK(s.next(r, k) >= k);
            int moved = 0;
            for (const edge& e : edges(s)) {
                if (e.is_local()) continue;
                const edge& of = e.dst == 0 ? a : b;
                CHECK(e.step == last - of.step);
                CHECK(e.src == of.dst);
                CHECK(e.dst == of.src);
                ++moved;
            }
            CHECK(moved == 2);
        };
        if (kind == collective::scatter) {
            check_all(reverse(forward), 4);
            CHECK(reverse(forward).busy(0).hull() == step_range{3, 4});
            CHECK(reverse(forward).busy(1).hull() == step_range{1, 3});
            CHECK(reverse(forward).busy(2).hull() == step_range{1, 1});
        } else {
            check_all(reverse_combining(forward, true), 5);
            CHECK(reverse_combining(forward, true).staging(0) == 2);
            CHECK(reverse_combining(forward, true).staging(2) == 0);
        }
    }
}

TEST_CASE("reverse_combining: next() and busy() are exact, also of a rank without messages") {
    // Rank 0 sends to 1 and 1 to 2, each in two steps; rank 3 has no messages.
    const auto move = [](step_t k, rank_t src) {
        return edge{.step = k, .src = src, .dst = src + 1, .size = 2, .from = buffer::output};
    };
    for (const collective kind : {collective::broadcast, collective::allgather}) {
        const bool blocks = kind == collective::allgather;
        const support::bounded forward(support::by_hand(
            {.collective = kind, .ranks = 4, .blocks = blocks ? 2 : 0, .bytes = blocks ? 0 : 2, .element = 2}, 3,
            {edge{.size = 2}, move(0, 0), move(1, 0), move(1, 1), move(2, 1)}));
        for (const bool kept : {false, true}) {
            const auto s = reverse_combining(forward, true, 0, kept);
            REQUIRE(!s.check());
            CHECK(s.steps() == (blocks && !kept ? 5 : 4));
            CHECK(support::loose_answer(s) == "");
            CHECK(support::broken_answer(s) == "");
            CHECK(s.contract().element == 2);
            const bytes_t staging[] = {2, 2, 0, 0};
            for (rank_t r = 0; r < 4; ++r) {
                CHECK(s.staging(r) == staging[r]);
                CHECK(s.scratch(r) == (blocks ? 8 : r == 0 ? 0 : 2));
                CHECK(s.busy(r).first_range == step_range{0, 0});
                std::vector<edge> local;
                for (const edge& e : edges_at(s, 0))
                    if (e.src == r) local.push_back(e);
                REQUIRE(local.size() == 1);
                CHECK(local[0].size == (blocks ? 8 : 2));
            }
            if (blocks && !kept) CHECK(s.busy(3) == detail::step_ranges{{0, 0}, {4, 4}});
            if (blocks && !kept) CHECK(s.busy(2) == detail::step_ranges{{0, 0}, {1, 4}});
        }
    }
    CHECK(reverse_combining(allgather::ring{.ranks = 3, .block = -1}, true).steps() == 2);
    CHECK(reverse(gather::linear{.ranks = 3, .block = 1}).staging(0) == 0);
}

TEST_CASE("reverse: the parameters of a reversed algorithm are its own, and the element of an allgather") {
    const auto names = [](const auto& x) {
        std::string all;
        std::remove_cvref_t<decltype(x)>::parameters(x,
                                                     [&](const char* name, const auto&) { all += name, all += ' '; });
        return all;
    };
    CHECK(names(reversed<allgather::ring>{}) == names(allgather::ring{}) + "element ");
    CHECK(names(reversed<gather::linear>{}) == names(gather::linear{}));
    CHECK(fingerprint(reversed<allgather::ring>{.ranks = 3, .block = 4}) !=
          fingerprint(reversed<allgather::ring>{.ranks = 3, .block = 8}));
    CHECK(fingerprint(reversed<allgather::ring>{.ranks = 3, .block = 4, .element = 2}) !=
          fingerprint(reversed<allgather::ring>{.ranks = 3, .block = 4, .element = 4}));
    struct ring_with_element {
        rank_t ranks = 1;
        block_layout block = 0;
        bytes_t element = 1;
        allgather::ring of{};
    };
    std::string all;
    ring_with_element ring;
    detail::reversed_parameters<allgather::ring>(ring, [&](const char* name, const auto&) { all += name, all += ' '; });
    CHECK(all == names(reversed<allgather::ring>{}));
    static_assert(reversed<allgather::ring>::info.collective == collective::reduce_scatter);
    static_assert(reversed<allgather::ring>::info.commutative && !reversed<gather::linear>::info.commutative);
    static_assert(reversed<broadcast::over_tree<trees::chain>>::info.commutative);
    CHECK(lower(reversed<allgather::ring>{.ranks = 3, .block = 4, .element = 4}).contract().element == 4);
}

namespace {

/// A broadcast from rank 0 in one step, without root and element.
struct plain_broadcast {
    rank_t ranks = 1;
    bytes_t bytes = 0;

    static constexpr algorithm_info info{.collective = collective::broadcast, .name = "plain", .rounds = "1"};
    constexpr broadcast::detail::whole_store store() const { return {bytes, 1, ranks, 0}; }
    constexpr step_t steps() const { return 1; }
    constexpr void targets(rank_t r, step_t, auto f) const {
        for (rank_t other = 1; r == 0 && other < ranks; ++other) f(other);
    }
    constexpr void sources(rank_t r, step_t, auto f) const {
        if (r > 0) f(0);
    }
    constexpr void message(rank_t, rank_t, step_t, auto f) const { f(block_interval{0, 1}); }
    static constexpr void parameters(auto& self, auto f) { f("ranks", self.ranks), f("bytes", self.bytes); }
};

}  // namespace

TEST_CASE("reverse: an algorithm without root and element has a reverse with root 0 and any element") {
    const reversed<plain_broadcast> x{.ranks = 4, .bytes = 12, .element = 3};
    CHECK(support::verified(x).ok());
    CHECK(lower(x).contract().element == 3);
    CHECK(check(reversed<plain_broadcast>{.ranks = 4, .root = 1, .bytes = 12}) ==
          argument_error{"root", 1, "0, as the algorithm that is reversed has no other root"});
    CHECK(reverse_of(plain_broadcast{.ranks = 3, .bytes = 5}).bytes == 5);
}

TEST_CASE("reverse: fingerprints differ by the schedule, the order of operands and the element") {
    const allgather::ring ring{.ranks = 3, .block = 4}, other{.ranks = 3, .block = 8};
    const std::vector<std::uint64_t> all{fingerprint(reverse_combining(ring, true)),
                                         fingerprint(reverse_combining(other, true)),
                                         fingerprint(reverse_combining(ring, false)),
                                         fingerprint(reverse_combining(ring, true, 4)),
                                         fingerprint(reverse(ring)),
                                         fingerprint(reverse(other)),
                                         fingerprint(ring)};
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = 0; j < all.size(); ++j) CHECK((all[i] == all[j]) == (i == j));
    CHECK(reverse_combining(ring, true).contract().commutative);
    CHECK(!reverse_combining(ring, false).contract().commutative);
    CHECK(reverse_combining(ring, true).contract().element == 1);
    CHECK(reverse_combining(ring, true, 1).contract().element == 1);
    CHECK(reverse_combining(ring, true, 4).contract().element == 4);
}

TEST_CASE("reverse: irreversible schedules are rejected") {
    const auto error_of = [](const argument_error& e) { return std::string(e ? e.argument : ""); };
    CHECK(error_of(check(reverse(broadcast::over_tree<trees::chain>{.ranks = 3, .bytes = 1}))) == "collective");
    CHECK(error_of(check(reverse(allgather::ring{.ranks = 3, .block = 1}))) == "collective");
    CHECK(error_of(check(reverse_combining(gather::linear{.ranks = 3, .block = 1}, true))) == "collective");
    CHECK(error_of(check(reverse_combining(allgather::bruck{.ranks = 3, .block = 1}, true))) == "scratch");
    CHECK(reverse(lower(gather::linear{.ranks = 3, .root = 3, .block = 1})).steps() == 0);
}

TEST_CASE("reverse: a rank that receives its own block combines it twice in reverse") {
    const allgather::hierarchical<> below_leaders{
        .ranks = 2, .block = block_layout(std::vector<bytes_t>{0, 1}), .placement = topology::placement::cyclic(2, 1)};
    REQUIRE(support::verified(below_leaders).ok());
    const auto back = reverse_combining(below_leaders, true);
    REQUIRE(!check(back));
    CHECK(verify(back).finding == verdict::kind::combined_twice);
}

TEST_CASE("reverse_combining: the busy steps are those of local copies, of messages and of a scatter's last copies") {
    const auto scatters = reverse_combining(allgather::ring{.ranks = 4, .block = 2}, true);
    REQUIRE(scatters.steps() == 3 + 2);
    for (rank_t r = 0; r < 4; ++r) CHECK(scatters.busy(r) == detail::step_ranges{{0, 0}, {1, 4}});
    CHECK(reverse_combining(allgather::ring{.ranks = 1, .block = 2}, true).busy(0).hull() == step_range{0, 0});
    const auto reduces = reverse_combining(broadcast::over_tree<trees::chain>{.ranks = 3, .bytes = 2}, true);
    REQUIRE(reduces.steps() == 2 + 1);
    CHECK(reduces.busy(0) == detail::step_ranges{{0, 0}, {2, 2}});
    CHECK(reduces.busy(1) == detail::step_ranges{{0, 0}, {1, 2}});
    CHECK(reduces.busy(2) == detail::step_ranges{{0, 0}, {1, 1}});
}

TEST_CASE("reverse_combining: a result that stays in the accumulator needs no last step") {
    for (const rank_t p : {1, 2, 5}) {
        const allgather::ring ring{.ranks = p, .block = 4};
        const auto copied = reverse_combining(ring, true), kept = reverse_combining(ring, true, 0, true);
        CHECK(copied.steps() == (p == 1 ? 1 : p + 1));
        CHECK(kept.steps() == p);
        std::vector<edge> expected;
        for (const edge& e : all_edges(copied))
            if (e.step < kept.steps()) expected.push_back(e);
        CHECK(all_edges(kept) == expected);
        for (rank_t r = 0; r < p; ++r) CHECK(kept.busy(r).hull() == support::used_steps(kept, r));
    }
}

TEST_CASE("reverse: busy steps, forwards and in reverse, leave out no edge") {
    for (const rank_t p : {1, 2, 5, 9})
        for (const auto& [name, s] : support::samples(p)) {
            INFO(name);
            const step_t steps = s.steps();
            for (rank_t r = 0; r < p; ++r)
                for (step_t k = 0; k < steps; ++k) {
                    bool any = false;
                    s.sends(r, k, [&](const edge&) { any = true; });
                    s.receives(r, k, [&](const edge&) { any = true; });
                    if (any) CHECK(s.next(r, k) == k);
                }
        }
}
