#include "collsched/schedule/stored_schedule.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "collsched/collective/allgather/ring.hpp"
#include "support/oracle.hpp"
#include "support/samples.hpp"

using namespace collsched;

TEST_CASE("stored_schedule: a stored schedule equals the schedule it was made from, for any order of its edges") {
    for (rank_t p = 1; p <= 10; ++p)
        for (const auto& [name, s] : support::samples(p)) {
            const stored_schedule stored = materialize(s);
            std::vector<edge> reversed(stored.edges().begin(), stored.edges().end());
            std::reverse(reversed.begin(), reversed.end());
            const stored_schedule again = support::with_edges(stored, reversed);
            CHECK(std::equal(again.edges().begin(), again.edges().end(), stored.edges().begin(), stored.edges().end()));
            for (rank_t r = 0; r < p; ++r)
                for (step_t k = 0; k < s.steps(); ++k) {
                    std::vector<edge> a, b;
                    s.sends(r, k, [&](const edge& e) { a.push_back(e); });
                    again.sends(r, k, [&](const edge& e) { b.push_back(e); });
                    std::sort(a.begin(), a.end(), precedes);
                    CHECK(a == b);
                    a.clear(), b.clear();
                    s.receives(r, k, [&](const edge& e) { a.push_back(e); });
                    again.receives(r, k, [&](const edge& e) { b.push_back(e); });
                    std::sort(a.begin(), a.end(), precedes);
                    CHECK(a == b);
                }
        }
}

TEST_CASE("edges_up_to: exceeds its limit by less than the edges of one step") {
    const auto ring = lower(allgather::ring{.ranks = 4, .block = 1});  // 4 copies and 12 messages
    for (const std::int64_t most : {16, 17, 1 << 30}) CHECK(edges_up_to(ring, most) == 16);
    for (std::int64_t most = 0; most < 16; ++most) {
        CHECK(edges_up_to(ring, most) > most);
        CHECK(edges_up_to(ring, most) <= most + 2);  // a copy and a message
    }
    CHECK(stored_schedule().ranks == 1);
}

// An access beyond a table is no constant expression.
static_assert([] {
    const edge a{.step = 0, .src = 1, .dst = 1, .size = 1}, b{.step = 0, .src = 2, .dst = 0, .size = 2},
        c{.step = 2, .src = 0, .dst = 1, .size = 3}, d{.step = 2, .src = 0, .dst = 2, .size = 4};
    const edge orders[][4] = {{a, b, c, d}, {d, c, b, a}, {a, b, d, c}, {b, a, c, d}, {c, a, b, d}};
    const bytes_t sizes[]{1, 2, 3};
    for (const auto& order : orders) {
        const stored_schedule s({.collective = collective::alltoall, .ranks = 3}, 4, {.window = 5},
                                owned_array<bytes_t>(std::span<const bytes_t>(sizes)),
                                owned_array<bytes_t>(std::span<const bytes_t>(sizes)),
                                owned_array<edge>(std::span<const edge>(order)), 9);
        if (s.check() || s.edges()[0] != a || s.edges()[1] != b || s.edges()[2] != c || s.edges()[3] != d) return false;
        const step_t next[3][5]{{0, 2, 2, 4, 4}, {0, 2, 2, 4, 4}, {0, 2, 2, 4, 4}};
        for (rank_t r = 0; r < 3; ++r)
            for (step_t k = 0; k <= 4; ++k)
                if (s.next(r, k) != next[r][k]) return false;
        bytes_t sent = 0, received = 0;
        s.sends(0, 2, [&](const edge& e) { sent = sent * 10 + e.size; });
        s.receives(0, 0, [&](const edge& e) { received = received * 10 + e.size; });
        if (sent != 34 || received != 2 || s.received(0) != 1 || s.received(1) != 1 || s.received(2) != 1) return false;
        if (s.scratch(2) != 3 || s.staging(1) != 2 || s.pacing().window != 5 || s.fingerprint() != 9) return false;
        if (materialize(s) != s) return false;
    }
    return true;
}());

static_assert([] {
    const stored_schedule none;
    return none.steps() == 0 && none.fingerprint() == 0 && none.edges().empty() && none.next(0, 0) == 0 &&
           none.received(0) == 0 && !none.check() && none.ranks == 1;
}());

TEST_CASE("stored_schedule: next() is the next step with an edge from or to the rank, or the end") {
    for (const rank_t p : {1, 3})
        for (const auto& [name, sample] : support::samples(p)) {
            CAPTURE(name);
            const stored_schedule s = materialize(sample);
            for (rank_t r = 0; r < p; ++r) {
                CHECK(s.scratch(r) == sample.scratch(r));
                CHECK(s.staging(r) == sample.staging(r));
                std::int64_t received = 0;
                for (const edge& e : s.edges()) received += e.dst == r && e.src != r ? 1 : 0;
                CHECK(s.received(r) == received);
                step_t expected = s.steps();
                for (step_t k = s.steps(); k >= 0; --k) {
                    for (const edge& e : s.edges())
                        if (e.step == k && (e.src == r || e.dst == r)) expected = k;
                    CHECK(s.next(r, k) == expected);
                }
            }
        }
}

TEST_CASE("stored_schedule: each wrong part is reported with value, range and index, and leaves no edges") {
    struct parts {
        collsched::contract contract{.ranks = 2};
        step_t steps = 3;
        step_t window = 0;
        std::vector<bytes_t> scratch{0, 1}, staging{2, 0};
        std::vector<edge> edges{edge{.dst = 1}, edge{.step = 1, .src = 1}, edge{.step = 2, .dst = 1}};
    };
    const auto error_with = [](auto change) {
        parts p;
        change(p);
        const stored_schedule s(p.contract, p.steps, {p.window},
                                owned_array<bytes_t>(std::span<const bytes_t>(p.scratch)),
                                owned_array<bytes_t>(std::span<const bytes_t>(p.staging)),
                                owned_array<edge>(std::span<const edge>(p.edges)), 1);
        CHECK(s.edges().empty() == static_cast<bool>(s.check()));
        CHECK(s.ranks == (s.check() ? 1 : 2));
        CHECK(s.received(0) == (s.check() ? 0 : 1));
        return s.check();
    };
    CHECK(!error_with([](parts&) {}));
    CHECK(!error_with([](parts& p) { p.steps = (step_t{1} << 62) - 1; }));
    CHECK(error_with([](parts& p) { p.contract.ranks = 0; }) == argument_error{"ranks", 0, "1 or more"});
    CHECK(error_with([](parts& p) { p.steps = -1; }) == argument_error{"steps", -1, "0 or more, less than 2^62"});
    CHECK(error_with([](parts& p) { p.steps = step_t{1} << 62; }) ==
          argument_error{"steps", step_t{1} << 62, "0 or more, less than 2^62"});
    CHECK(error_with([](parts& p) { p.window = -1; }) == argument_error{"window", -1, "0 or more"});
    CHECK(error_with([](parts& p) { p.scratch.push_back(0); }) == argument_error{"scratch", 3, "one size per rank"});
    CHECK(error_with([](parts& p) { p.staging.pop_back(); }) == argument_error{"staging", 1, "one size per rank"});
    CHECK(error_with([](parts& p) { p.scratch[0] = -1; }) == argument_error{"scratch", -1, "0 bytes or more", 0});
    CHECK(error_with([](parts& p) { p.scratch[1] = -5; }) == argument_error{"scratch", -5, "0 bytes or more", 1});
    CHECK(error_with([](parts& p) { p.staging[0] = -1; }) == argument_error{"staging", -1, "0 bytes or more", 0});
    CHECK(error_with([](parts& p) { p.staging[1] = -6; }) == argument_error{"staging", -6, "0 bytes or more", 1});
    CHECK(error_with([](parts& p) { p.edges[0].step = -1; }) == argument_error{"step", -1, "0 to steps-1", 0});
    CHECK(error_with([](parts& p) { p.edges[2].step = 3; }) == argument_error{"step", 3, "0 to steps-1", 2});
    CHECK(error_with([](parts& p) { p.edges[1].src = -1; }) == argument_error{"src", -1, "0 to ranks-1", 1});
    CHECK(error_with([](parts& p) { p.edges[1].src = 2; }) == argument_error{"src", 2, "0 to ranks-1", 1});
    CHECK(error_with([](parts& p) { p.edges[1].dst = -1; }) == argument_error{"dst", -1, "0 to ranks-1", 1});
    CHECK(error_with([](parts& p) { p.edges[1].dst = 2; }) == argument_error{"dst", 2, "0 to ranks-1", 1});
    CHECK(error_with([](parts& p) { p.edges[2].from = static_cast<buffer>(3); }) ==
          argument_error{"from", 3, "a buffer", 2});
    CHECK(error_with([](parts& p) { p.edges[2].into = static_cast<buffer>(4); }) ==
          argument_error{"into", 4, "a buffer", 2});
    CHECK(error_with([](parts& p) { p.edges[2].action = static_cast<action>(3); }) ==
          argument_error{"action", 3, "an action", 2});
    CHECK(!error_with([](parts& p) {
        p.edges[2].from = p.edges[2].into = buffer::scratch, p.edges[2].action = action::combine_after;
    }));
    const argument_error any{"bytes", 3, "others"};
    CHECK(stored_schedule(any).check() == any);
    CHECK(stored_schedule(any).ranks == 1);
    CHECK_THROWS_WITH(materialize(allgather::ring{.ranks = 2, .block = -5}), "block: got -5, expected 0 bytes or more");
}

TEST_CASE("stored_schedule: edges with an invalid rank or step are rejected") {
    const stored_schedule good = materialize(allgather::ring{.ranks = 3, .block = 1});
    const auto complaint = [&](auto change) {
        std::vector<edge> edges(good.edges().begin(), good.edges().end());
        change(edges[2]);
        return support::with_edges(good, edges).check();
    };
    CHECK(!complaint([](edge&) {}));
    CHECK(complaint([](edge& e) { e.dst = 3; }).value == 3);
    CHECK(complaint([](edge& e) { e.src = -1; }).value == -1);
    CHECK(complaint([](edge& e) { e.step = 2; }).value == 2);
    CHECK(complaint([](edge& e) { e.step = -1; }).index == 2);
}

TEST_CASE("stored_schedule: steps whose sum over two schedules exceeds 64 bits are rejected") {
    const std::vector<bytes_t> none{0};
    const auto of_steps = [&](step_t steps) {
        return stored_schedule({}, steps, {}, owned_array<bytes_t>(none), owned_array<bytes_t>(none), {}, 1);
    };
    CHECK(!of_steps((step_t{1} << 62) - 1).check());
    CHECK(std::string(of_steps(step_t{1} << 62).check().argument) == "steps");
    CHECK(of_steps(INT64_MAX).check());
    CHECK(of_steps(-1).check());
}
