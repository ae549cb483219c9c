#include "collsched/schedule/detail/fold_copies.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/execute/plan.hpp"
#include "support/brief.hpp"
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

/// The messages of rank 0 and its output at the end, every byte as a formula of input bytes and received bytes.
struct effect {
    std::vector<std::string> sent, output;

    bool operator==(const effect&) const = default;
};

constexpr bytes_t memory_size = 8;

/// Runs a program step by step: all reads of a step, then its writes in order. Byte i of the message of edge e is "e.i".
effect interpret(const folded& x) {
    std::map<buffer, std::vector<std::string>> memory;
    for (const buffer b : {buffer::input, buffer::output, buffer::scratch})
        for (bytes_t i = 0; i < memory_size; ++i)
            memory[b].push_back(b == buffer::input ? "i" + std::to_string(i) : "?");
    effect result;
    const auto combined = [](const std::string& a, const std::string& b) { return "(" + a + "+" + b + ")"; };
    for (std::size_t first = 0, last = 0; first < x.program.size(); first = last) {
        while (last < x.program.size() && x.program[last].step == x.program[first].step) ++last;
        std::map<std::size_t, std::vector<std::string>> read;
        for (std::size_t i = first; i < last; ++i) {
            const edge& e = x.program[i];
            for (bytes_t k = 0; k < e.size; ++k)
                read[i].push_back(e.src == 0 ? memory[e.from][static_cast<std::size_t>(e.from_offset + k)]
                                             : "m" + std::to_string(e.from_offset) + "." + std::to_string(k));
            if (e.dst != 0) result.sent.insert(result.sent.end(), read[i].begin(), read[i].end());
        }
        for (std::size_t i = first; i < last; ++i) {
            const edge& e = x.program[i];
            for (bytes_t k = 0; e.dst == 0 && k < e.size; ++k) {
                const std::string& arrived = read[i][static_cast<std::size_t>(k)];
                std::string& target = memory[e.into][static_cast<std::size_t>(e.into_offset + k)];
                const std::string old =
                    x.operands[i] < 0 ? target : memory[buffer::input][static_cast<std::size_t>(x.operands[i] + k)];
                target = e.action == action::copy             ? arrived
                         : e.action == action::combine_before ? combined(arrived, old)
                                                              : combined(old, arrived);
            }
        }
    }
    result.output = memory[buffer::output];
    return result;
}

/// A program of rank 0 without conflicts within a step: no byte is written twice, or written by a copy and read.
std::vector<edge> any_program(detail::splitmix64& random) {
    std::vector<edge> program;
    const std::int64_t steps = random.between(2, 5);
    for (step_t k = 0; k < steps; ++k) {
        std::vector<edge> step;
        for (std::int64_t tries = random.between(1, 6); tries > 0; --tries) {
            edge e{.step = k, .size = random.between(1, 4)};
            const std::int64_t kind = random.between(0, k == 0 ? 3 : 5);
            e.src = kind >= 4 ? 1 : 0;
            e.dst = kind == 3 ? 1 : 0;
            e.from = kind <= 1 ? buffer::input : static_cast<buffer>(random.between(0, 2));
            e.into = static_cast<buffer>(random.between(1, 2));
            e.from_offset =
                e.src == 1 ? std::ssize(program) * 10 + std::ssize(step) : random.between(0, memory_size - e.size);
            e.into_offset = random.between(0, memory_size - e.size);
            if (e.dst == 0 && random.between(0, 3) > 0 && kind >= 4)
                e.action = random.between(0, 1) == 0 ? action::combine_before : action::combine_after;
            const auto conflicts = [&](const edge& f) {
                const bool writes = e.dst == 0 && f.dst == 0 && e.into == f.into && overlap(e.target(), f.target());
                const bool first = e.dst == 0 && f.src == 0 && e.into == f.from && overlap(e.target(), f.source());
                const bool second = f.dst == 0 && e.src == 0 && f.into == e.from && overlap(f.target(), e.source());
                return writes || (first && !e.combines()) || (second && !f.combines());
            };
            const bool itself = e.is_local() && e.from == e.into && overlap(e.source(), e.target());
            if (!itself && std::ranges::none_of(step, conflicts)) step.push_back(e);
        }
        std::ranges::sort(step, {}, [](const edge& e) {
            return std::tuple(e.src, e.dst, e.into, e.into_offset, e.from, e.from_offset, e.size);
        });
        program.insert(program.end(), step.begin(), step.end());
    }
    return program;
}

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

TEST_CASE("fold copies: bytes that another rank reads, and signals, keep no copy") {
    edge far = receive(1, 20, 8);
    far.from = buffer::output;  // of rank 1, at the offsets of the copy
    const folded done = fold({copy(0, 5, 0, 8), far, combine(2, 0, 8)});
    REQUIRE(done.program.size() == 2);
    CHECK(done.program[0] == far);
    CHECK(done.operands == offsets{-1, 5});
    const folded signal = fold({copy(0, 5, 0, 8), send(1, 4, 0), combine(2, 0, 8)});
    REQUIRE(signal.program.size() == 2);
    CHECK(signal.program[0] == send(1, 4, 0));
    CHECK(signal.operands == offsets{-1, 5});
    CHECK(fold({copy(0, 5, 0, 8), receive(1, 4, 0), combine(2, 0, 8)}).operands == offsets{-1, 5});
    CHECK(fold({copy(0, 5, 0, 8), combine(1, 4, 0), combine(2, 0, 8)}).operands == offsets{-1, 5});
    CHECK(fold({copy(0, 0, 0, 1), combine(1, 0, 1)}).operands == offsets{0});
}

TEST_CASE("fold copies: a combination within the rank keeps the copy") {
    edge local = combine(1, 0, 8);
    local.src = 0;
    local.from = buffer::scratch;
    CHECK(fold({copy(0, 0, 0, 8), local, combine(2, 0, 8)}).operands == offsets{-1, -1, -1});
}

TEST_CASE("fold copies: a combination of a copy that stays keeps its other copies, and so do their combinations") {
    // The send reads the first copy with the bytes after it. The middle combination needs it, so it needs the second copy too.
    const std::vector<edge> program{copy(0, 0, 8, 4),  copy(0, 4, 12, 4), copy(0, 8, 16, 4), send(1, 6, 4),
                                    combine(2, 10, 4), combine(3, 14, 4), combine(4, 8, 2),  combine(4, 18, 2)};
    const folded done = fold(program);
    CHECK(done.program == program);
    CHECK(std::ranges::count(done.operands, -1) == std::ssize(program));
}

TEST_CASE("fold copies: no copy is removed in place, nor on a rank that combines no received bytes") {
    const std::vector<edge> program{copy(0, 0, 0, 8), combine(1, 0, 8)};
    CHECK(fold(program, {buffer::output, buffer::input, 0}).program == program);
    const std::vector<edge> gather{copy(0, 0, 0, 8, buffer::scratch), send(1, 0, 8, buffer::scratch)};
    CHECK(fold(gather).program == gather);
    CHECK(fold({}).program.empty());
}

TEST_CASE("fold copies: the usual allreduces have no copies, and a message is received where its bytes are combined") {
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

TEST_CASE("fold copies: random programs send and output the same bytes as before") {
    detail::splitmix64 random(11);
    int removed = 0, combined = 0;
    for (std::size_t i = 0; i < 200'000 / support::one_of(); ++i) {
        const std::vector<edge> program = any_program(random);
        const folded done = fold(program);
        removed += static_cast<int>(program.size() - done.program.size());
        combined += static_cast<int>(std::ranges::count_if(done.operands, [](bytes_t o) { return o >= 0; }));
        const effect wanted = interpret({program, std::vector<bytes_t>(program.size(), -1)}), found = interpret(done);
        CAPTURE(i);
        REQUIRE(found.sent == wanted.sent);
        for (std::size_t k = 0; k < wanted.output.size(); ++k) REQUIRE(found.output[k] == wanted.output[k]);
    }
    CHECK(removed > 1000);
    CHECK(combined > 500);
}

TEST_CASE("fold copies: a program whose copies all stay is not changed") {
    // The send could read input, as it would if a copy were removed.
    const std::vector<edge> program{copy(0, 4, 0, 4), send(1, 0, 4), combine(1, 8, 4)};
    const folded done = fold(program);
    CHECK(done.program == program);
    CHECK(done.operands == offsets{-1, -1, -1});
}
