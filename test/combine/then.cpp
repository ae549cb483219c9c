#include "collsched/combine/then.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "collsched/combine/local_step.hpp"
#include "support/answers.hpp"
#include "support/bounded.hpp"
#include "support/composed.hpp"
#include "support/layouts.hpp"
#include "support/samples.hpp"
#include "support/small_schedules.hpp"
#include "support/verified.hpp"

using namespace collsched;
using support::all_edges;
using support::moves;
using support::as_it_is;
using support::gathered_and_sent;
using support::scattered_and_gathered;
using support::reduced_and_sent;
using support::reduced_in_parts;

TEST_CASE("then: two collectives make another one") {
    for (rank_t p = 1; p <= 24; ++p)
        for (const rank_t root : {rank_t{0}, p / 2, p - 1}) {
            CAPTURE(p);
            CAPTURE(root);
            CHECK(support::verified(gathered_and_sent(p, root, 5)).ok());
            CHECK(support::verified(gathered_and_sent(p, root, block_layout::partition(2 * p + 1, p))).ok());
            CHECK(support::verified(gathered_and_sent(p, root, 5), binding::in_place).ok());
            for (const bytes_t bytes : {0, 1, 7, 100}) {
                CHECK(support::verified(scattered_and_gathered<allgather::ring>(p, root, bytes)).ok());
                CHECK(support::verified(scattered_and_gathered<allgather::bruck>(p, root, bytes)).ok());
                CHECK(support::verified(scattered_and_gathered<allgather::recursive_doubling>(p, root, bytes)).ok());
                CHECK(support::verified(reduced_and_sent(p, bytes)).ok());
                CHECK(support::verified(reduced_in_parts(p, bytes)).ok());
            }
        }
}

TEST_CASE("then: mismatched parts are found") {
    const auto both = gathered_and_sent(4, 1, 3);
    CHECK(!check(both));
    const contract one{.collective = collective::broadcast, .ranks = 4, .bytes = 5}, other{.ranks = 4};
    const broadcast::over_tree<trees::chain> b{.ranks = 4, .bytes = 5};
    CHECK(std::string(check(then(rename_buffers(b, as_it_is, one), rename_buffers(b, as_it_is, other))).argument) ==
          "contract");
    const broadcast::over_tree<trees::chain> no_root{.ranks = 4, .root = 4, .bytes = 5};
    CHECK(std::string(check(then(rename_buffers(b, as_it_is, one), rename_buffers(no_root, as_it_is, one))).argument) ==
          "root");
    CHECK(std::string(check(then(rename_buffers(no_root, as_it_is, one), rename_buffers(b, as_it_is, one))).argument) ==
          "root");
    const contract fewer{.collective = collective::broadcast, .ranks = 3, .bytes = 5};
    CHECK(check(rename_buffers(b, as_it_is, fewer)).value == 3);
    const std::vector<bytes_t> none{0, 0};
    const edge last{.step = (step_t{1} << 62) - 2, .dst = 1};
    const stored_schedule endless({.ranks = 2}, last.step + 1, {}, owned_array<bytes_t>(none),
                                  owned_array<bytes_t>(none), owned_array<edge>(std::vector{last}), 1);
    CHECK(!check(then(endless, endless)));
    CHECK(std::string(check(then(then(endless, endless), endless)).argument) == "steps");
}

TEST_CASE("then: rounds, messages and bytes are the sums") {
    const auto whole = support::measured(reduced_in_parts(7, 70));
    CHECK(whole.rounds == 12);
    CHECK(whole.messages == 2 * 7 * 6);
    for (rank_t r = 0; r < 7; ++r) CHECK(whole.bytes_sent[r] == 2 * 60);
}

TEST_CASE("then: the grouping of three does not matter") {
    for (const rank_t p : {1, 2, 7, 12}) {
        const contract whole{.collective = collective::broadcast, .ranks = p, .bytes = 12};
        const auto a = rename_buffers(broadcast::over_tree<trees::chain>{.ranks = p, .bytes = 12}, as_it_is, whole);
        const auto b = rename_buffers(broadcast::over_tree<trees::k_ary>{.ranks = p, .bytes = 12}, as_it_is, whole);
        const auto c = rename_buffers(allgather::bruck{.ranks = p, .block = 1}, as_it_is, whole);
        CHECK(all_edges(then(then(a, b), c)) == all_edges(then(a, then(b, c))));
        CHECK(then(then(a, b), c).scratch(0) == then(a, then(b, c)).scratch(0));
        const step_t steps = a.steps() + b.steps() + c.steps();
        CHECK(then(a, then(b, c)).steps() == steps);
        for (rank_t r = 0; r < p; ++r)
            for (step_t k = 0; k < steps; ++k) CHECK(then(then(a, b), c).next(r, k) == then(a, then(b, c)).next(r, k));
    }
}

TEST_CASE("then: the grouping of any three changes no edges, steps, scratch, staging, pacing or next()") {
    for (const rank_t p : {1, 2, 5, 8}) {
        const std::vector<support::sample> all = support::samples(p);
        support::random_source random(static_cast<std::uint64_t>(p));
        for (int turn = 0; turn < 150; ++turn) {
            // Here all are parts of one schedule, for any contract of theirs.
            const contract whole{.collective = collective::barrier, .ranks = p};
            const auto any = [&] {
                const auto& one = all[static_cast<std::size_t>(random.below(std::ssize(all)))];
                INFO(one.name);
                return rename_buffers(one.schedule, as_it_is, whole);
            };
            const auto a = any(), b = any(), c = any();
            const auto left = then(then(a, b), c);
            const auto right = then(a, then(b, c));
            CHECK(!check(left));
            CHECK(all_edges(left) == all_edges(right));
            CHECK(left.steps() == right.steps());
            CHECK(left.pacing() == right.pacing());
            CHECK(support::broken_answer(left) == "");
            for (rank_t r = 0; r < p; ++r) {
                CHECK(left.scratch(r) == std::max({a.scratch(r), b.scratch(r), c.scratch(r)}));
                CHECK(left.scratch(r) == right.scratch(r));
                CHECK(left.staging(r) == std::max({a.staging(r), b.staging(r), c.staging(r)}));
                CHECK(left.staging(r) == right.staging(r));
                for (step_t k = 0; k <= left.steps(); ++k) CHECK(left.next(r, k) == right.next(r, k));
            }
        }
    }
}

TEST_CASE("then: steps are the sums, and a single rank takes the steps up to each part's last copy") {
    for (const rank_t p : {1, 2, 5}) {
        const contract whole{.collective = collective::barrier, .ranks = p};
        const auto nowhere = [](rank_t, buffer) { return location{buffer::output, 0}; };
        const auto used = [p](const auto& s) {
            if (p > 1) return s.steps();
            const std::vector<edge> all = all_edges(s);
            return all.empty() ? 0 : all.back().step + 1;
        };
        for (const auto& [name, s] : support::samples(p)) {
            INFO(name);
            const auto as = rename_buffers(s, as_it_is, whole);
            const auto gone = rename_buffers(s, nowhere, whole);
            CHECK(then(as, as).steps() == 2 * used(as));
            CHECK(then(as, gone).steps() == used(as) + used(gone));
            CHECK(then(gone, as).steps() == used(gone) + used(as));
            CHECK(support::broken_answer(then(gone, as)) == "");
            CHECK(support::broken_answer(then(as, gone)) == "");
        }
    }
}

TEST_CASE("then: a single rank without copies has no busy step") {
    const contract alone{.collective = collective::barrier, .ranks = 1};
    const auto copies = [alone](bytes_t bytes) {
        return local_step([bytes](rank_t, auto f) { f(edge{.size = bytes}); }, alone);
    };
    const auto none = copies(0), one = copies(1);
    CHECK(then(none, none).busy(0).hull().empty());
    CHECK(then(none, one).busy(0).hull() == step_range{0, 0});
    CHECK(then(one, one).busy(0).hull() == step_range{0, 1});
}

TEST_CASE("then: the first steps of the second part may be left out where they have no edges") {
    const contract whole = lower(allgather::ring{.ranks = 4, .block = 2}).contract();
    const auto idle = local_step([](rank_t, auto) {}, whole);
    for (const rank_t before : {0, 1, 3})
        for (const step_t skipped : {0, 1, 2}) {
            const auto first = local_step([](rank_t, auto f) { f(edge{.size = 1}); }, whole, before > 0);
            const auto second = then(then(idle, idle), allgather::ring{.ranks = 4, .block = 2});
            const auto s = detail::then_from(first, second, skipped);
            CHECK(s.steps() == first.steps() + 2 - skipped + 3);
            std::vector<edge> expected = all_edges(first);
            for (const edge& e : all_edges(second)) expected.push_back(detail::delayed(e, first.steps() - skipped));
            CHECK(all_edges(s) == expected);
            CHECK(support::broken_answer(s) == "");
        }
}

TEST_CASE("then: a correct schedule after itself, or after another of its contract, is correct") {
    for (const rank_t p : {1, 2, 5, 8}) {
        const std::vector<support::sample> all = support::samples(p);
        for (std::size_t i = 0; i < all.size(); ++i) {
            INFO(all[i].name);
            const any_schedule& s = all[i].schedule;
            CHECK(support::verified(then(s, s)) == verdict{});
            const metrics_report once = support::measured(s), twice = support::measured(then(s, s));
            CHECK(twice.rounds == 2 * once.rounds);
            CHECK(twice.messages == 2 * once.messages);
            for (rank_t r = 0; r < p; ++r) CHECK(twice.bytes_sent[r] == 2 * once.bytes_sent[r]);
            const any_schedule& other = all[(i * 7 + 11) % all.size()].schedule;
            if (s.contract() == other.contract()) CHECK(support::verified(then(s, other)) == verdict{});
        }
    }
}

TEST_CASE("then: next() and busy() are exact, and calls of a part are within its steps") {
    // Rank 0 is busy in steps 1 to 2 of the one, 1 to 3 of the other; rank 2 in none, and in step 1.
    const contract whole{.collective = collective::broadcast, .ranks = 3, .bytes = 9};
    const edge a{.step = 1, .src = 0, .dst = 1, .size = 2}, b{.step = 2, .src = 1, .dst = 0, .size = 3},
        c{.step = 3, .src = 0, .dst = 1, .size = 4}, d{.step = 1, .src = 2, .dst = 0, .size = 5};
    const std::vector<support::bounded> parts{support::bounded(support::by_hand(whole, 4, {a, b}, 7, 30)),
                                              support::bounded(support::by_hand(whole, 5, {a, d, c}, 8, 20)),
                                              support::bounded(support::by_hand(whole, 2, {})),
                                              support::bounded(support::by_hand(whole, 3, {a, b}))};
    for (const support::bounded& x : parts)
        for (const support::bounded& y : parts)
            for (const step_t skipped : {0, 1}) {
                const auto s = detail::then_from(x, y, skipped);
                REQUIRE(!s.check());
                CHECK(s.steps() == x.steps() + y.steps() - skipped);
                CHECK(support::loose_answer(s) == "");
                CHECK(support::broken_answer(s) == "");
                std::vector<edge> expected = all_edges(x.stored);
                for (const edge& e : all_edges(y.stored)) expected.push_back(detail::delayed(e, x.steps() - skipped));
                CHECK(all_edges(s) == expected);
                CHECK(s.scratch(1) == std::max(x.scratch(1), y.scratch(1)));
                CHECK(s.staging(1) == std::max(x.staging(1), y.staging(1)));
            }
}

TEST_CASE("then: errors have argument, value and range") {
    const allgather::ring ring{.ranks = 3, .block = 1};
    CHECK(check(then(ring, allgather::ring{.ranks = 4, .block = 1})) ==
          argument_error{"ranks", 4, "as many ranks in both parts"});
    CHECK(check(then(ring, allgather::ring{.ranks = 3, .block = 2})) ==
          argument_error{"contract", static_cast<std::int64_t>(collective::allgather),
                         "one contract in both parts, by rename_buffers()"});
    CHECK(check(then(allgather::ring{.ranks = 3, .block = -1}, ring)) ==
          argument_error{"block", -1, "0 bytes or more"});
    CHECK(check(then(ring, allgather::ring{.ranks = 3, .block = -2})) ==
          argument_error{"block", -2, "0 bytes or more"});
    const auto of_steps = [](step_t steps) { return support::by_hand({.ranks = 2}, steps, {}); };
    constexpr step_t half = (step_t{1} << 62) - 1;
    const auto long_one = then(of_steps(half), of_steps(half));
    CHECK(!check(then(long_one, of_steps(1))));
    CHECK(check(then(long_one, of_steps(2))) == argument_error{"steps", 2, "less than 2^63 in both parts together"});
    CHECK(then(ring, ring).fingerprint() != then(ring, then(ring, ring)).fingerprint());
}

TEST_CASE("then: pacing is the narrower window, and none is the widest") {
    const auto paced = [](step_t window) {
        const contract whole{.collective = collective::alltoall, .ranks = 4, .blocks = block_matrix(2)};
        return rename_buffers(alltoall::pairwise{.ranks = 4, .block = 2, .window = window}, as_it_is, whole);
    };
    for (const step_t a : {0, 1, 2, 5})
        for (const step_t b : {0, 1, 2, 5}) {
            const step_t narrower = a == 0 ? b : b == 0 ? a : std::min(a, b);
            CHECK(then(paced(a), paced(b)).pacing().window == narrower);
        }
}

TEST_CASE("then: in reverse the second comes first") {
    for (const rank_t p : {1, 2, 5, 16}) {
        const contract whole{.collective = collective::scatter, .ranks = p, .root = p / 3, .blocks = 4};
        const scatter::linear l{.ranks = p, .root = p / 3, .block = 4};
        const scatter::over_tree<trees::binomial> t{.ranks = p, .root = p / 3, .block = 4};
        const auto a = rename_buffers(l, as_it_is, whole);
        const auto b = rename_buffers(t, as_it_is, whole);
        CHECK(moves(reverse(then(a, b))) == moves(then(reverse(b), reverse(a))));
    }
}
