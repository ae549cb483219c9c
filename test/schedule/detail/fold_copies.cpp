#include "collsched/schedule/detail/fold_copies.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/execute/plan.hpp"
#include "support/samples.hpp"

using namespace collsched;

namespace {

constexpr detail::buffer_alias separate{};

struct folded {
    std::vector<edge> program;
    std::vector<bytes_t> operands;
};

/// Folds the program of rank 0.
folded fold(std::vector<edge> program, const detail::buffer_alias& alias = separate) {
    std::vector<bytes_t> operands = detail::fold_copies(program, 0, alias);
    REQUIRE(operands.size() == program.size());
    return {std::move(program), std::move(operands)};
}

edge copy(step_t step, bytes_t from, bytes_t into, bytes_t size, buffer where = buffer::output) {
    return {.step = step, .from_offset = from, .into_offset = into, .size = size, .into = where};
}
edge combine(step_t step, bytes_t into, bytes_t size, buffer where = buffer::output) {
    return {.step = step, .src = 1, .into_offset = into, .size = size, .into = where, .action = action::combine_after};
}
edge send(step_t step, bytes_t from, bytes_t size, buffer where = buffer::output) {
    return {.step = step, .dst = 1, .from_offset = from, .size = size, .from = where};
}
edge receive(step_t step, bytes_t into, bytes_t size) {
    return {.step = step, .src = 1, .into_offset = into, .size = size};
}

using offsets = std::vector<bytes_t>;

}  // namespace

TEST_CASE("fold copies: a combination takes input as operand, and reads before it read input") {
    const folded done = fold({copy(0, 5, 20, 10), send(1, 22, 4), combine(1, 20, 10), send(2, 20, 10)});
    REQUIRE(done.program.size() == 3);
    CHECK(done.program[0].from == buffer::input);
    CHECK(done.program[0].from_offset == 7);
    CHECK(done.program[2].from == buffer::output);
    CHECK(done.operands == offsets{-1, 5, -1});
}

TEST_CASE("fold copies: combinations of parts, and of several copies side by side") {
    CHECK(fold({copy(0, 0, 0, 8), combine(1, 0, 4), combine(2, 4, 4)}).operands == offsets{0, 4});
    CHECK(fold({copy(0, 0, 0, 4), copy(0, 4, 4, 4), combine(1, 0, 8)}).operands == offsets{0});
    CHECK(fold({copy(0, 0, 0, 4), copy(0, 9, 4, 4), combine(1, 0, 8)}).operands == offsets{-1, -1, -1});
    CHECK(fold({copy(0, 0, 0, 4), combine(1, 0, 8)}).operands == offsets{-1, -1});
}

TEST_CASE("fold copies: the second combination of the same bytes uses its target") {
    CHECK(fold({copy(0, 0, 0, 8), combine(1, 0, 8), combine(1, 0, 8), combine(2, 0, 8)}).operands ==
          offsets{0, -1, -1});
}

TEST_CASE("fold copies: a copy stays if a byte of it stays in output, but not if it stays in scratch") {
    CHECK(fold({copy(0, 0, 0, 8), combine(1, 0, 4)}).operands == offsets{-1, -1});
    CHECK(fold({copy(0, 0, 0, 8), combine(1, 0, 4), receive(2, 4, 4)}).operands == offsets{0, -1});
    CHECK(fold({copy(0, 0, 0, 8, buffer::scratch), combine(1, 0, 4, buffer::scratch)}).operands == offsets{0});
}

TEST_CASE("fold copies: a copy stays if it is read together with other bytes") {
    CHECK(fold({copy(0, 0, 0, 8), send(1, 4, 8), combine(2, 0, 8)}).operands == offsets{-1, -1, -1});
    CHECK(fold({copy(0, 0, 0, 8), combine(1, 4, 4), send(2, 0, 8), combine(3, 0, 4)}).operands ==
          offsets{-1, -1, -1, -1});
}

TEST_CASE("fold copies: a combination within the rank keeps the copy") {
    edge local = combine(1, 0, 8);
    local.src = 0;
    local.from = buffer::scratch;
    CHECK(fold({copy(0, 0, 0, 8), local, combine(2, 0, 8)}).operands == offsets{-1, -1, -1});
}

TEST_CASE("fold copies: a combination of a copy that stays keeps its other copies, and so do their combinations") {
    // The send reads the first copy with bytes behind it. The middle combination needs it, so it needs the second copy too.
    const std::vector<edge> program{copy(0, 0, 8, 4),  copy(0, 4, 12, 4), copy(0, 8, 16, 4), send(1, 6, 4),
                                    combine(2, 10, 4), combine(3, 14, 4), combine(4, 8, 2),  combine(4, 18, 2)};
    const folded done = fold(program);
    CHECK(done.program == program);
    CHECK(std::ranges::count(done.operands, -1) == std::ssize(program));
}

TEST_CASE("fold copies: nothing is removed in place, nor from a rank that combines nothing it receives") {
    const std::vector<edge> program{copy(0, 0, 0, 8), combine(1, 0, 8)};
    CHECK(fold(program, {buffer::output, buffer::input, 0}).program == program);
    const std::vector<edge> gather{copy(0, 0, 0, 8, buffer::scratch), send(1, 0, 8, buffer::scratch)};
    CHECK(fold(gather).program == gather);
    CHECK(fold({}).program.empty());
}

TEST_CASE("fold copies: the usual allreduces copy nothing, and a message is received where it is combined") {
    const auto check = [](const auto& x) {
        for (rank_t r = 0; r < x.ranks; ++r) {
            const plan own(x, r);
            std::int64_t folded = 0;
            for (const plan::node& n : own.nodes()) {
                CHECK(n.kind != plan::kind::local);
                folded += n.is_folded() ? 1 : 0;
            }
            CHECK(folded > 0);
        }
    };
    check(allreduce::ring{.ranks = 5, .bytes = 40, .element = 8});
    check(allreduce::recursive_doubling{.ranks = 8, .bytes = 40, .element = 8});
}

TEST_CASE("fold copies: a folded message waits for no operation of its own step") {
    for (const rank_t p : {2, 3, 5, 8, 9})
        for (const auto& [name, s] : support::samples(p)) {
            CAPTURE(name);
            for (rank_t r = 0; r < p; ++r) {
                const plan own(s, r);
                const auto nodes = own.nodes();
                for (std::size_t i = 0; i < nodes.size(); ++i) {
                    if (nodes[i].kind == plan::kind::join) continue;
                    for (const std::int64_t next : own.successors(static_cast<std::int64_t>(i))) {
                        const plan::node& after = nodes[static_cast<std::size_t>(next)];
                        if (after.kind == plan::kind::receive)
                            CHECK(own.edge_of(nodes[i]).step < own.edge_of(after).step);
                    }
                }
            }
        }
}
