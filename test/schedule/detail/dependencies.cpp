#include "collsched/schedule/detail/dependencies.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "collsched/schedule/stored_schedule.hpp"
#include "support/brief.hpp"
#include "support/layouts.hpp"
#include "support/real_bytes.hpp"
#include "support/samples.hpp"
#include "support/small_schedules.hpp"

using namespace collsched;
using support::by_hand;

namespace {

/// All operations that must be complete before `node`, joins resolved.
void gather(const detail::dependency_list& list, std::int64_t node, std::set<std::int64_t>& found) {
    for (const std::int64_t before : list.predecessors(node))
        if (before < list.operations) found.insert(before);
        else gather(list, before, found);
}

struct rank_order {
    std::vector<edge> program;
    detail::dependency_list list;
    std::set<std::int64_t> before(std::int64_t i) const {
        std::set<std::int64_t> found;
        gather(list, i, found);
        return found;
    }
};

rank_order order_of(const stored_schedule& s, rank_t rank, binding how = binding::separate) {
    const detail::buffer_alias alias = s.contract().alias(rank, how);
    std::vector<edge> own;
    for (const edge& e : program(s, rank))
        if (!detail::vanishes(alias, e)) own.push_back(e);
    detail::dependency_list list = detail::dependencies(own, rank, alias, s.pacing());
    return {own, list};
}

using set = std::set<std::int64_t>;

/// A program of rank 0 among 4, with edges of all kinds. It belongs to no schedule, since one program is enough.
std::vector<edge> random_program(support::random_source& random, const detail::buffer_alias& alias) {
    std::vector<edge> made;
    while (made.size() < 14) {
        const rank_t peer = random.below(4);
        const bool leaves = random.below(2) == 0;
        edge e{.step = static_cast<step_t>(random.below(7)), .src = leaves ? 0 : peer, .dst = leaves ? peer : 0};
        e.size = random.below(4);
        e.from_offset = random.below(8);
        e.into_offset = random.below(8);
        e.from = static_cast<buffer>(random.below(3));
        e.into = static_cast<buffer>(1 + random.below(2));
        if (random.below(4) == 0 && e.size > 0) e.action = action::combine_after;
        if (!detail::vanishes(alias, e)) made.push_back(e);
    }
    std::sort(made.begin(), made.end(), precedes);
    return made;
}

/// The dependencies of each operation of rank 0: by data, byte by byte; by signals and by pacing, edge by edge.
std::vector<set> expected_order(std::span<const edge> program, const detail::buffer_alias& alias, step_t window) {
    struct byte_history {
        std::int64_t writer = -1;
        set readers;
    };
    std::map<std::pair<buffer, bytes_t>, byte_history> bytes;
    std::vector<set> before(program.size());
    const auto operations = std::ssize(program);
    const auto at = [&](std::int64_t i) -> const edge& { return program[static_cast<std::size_t>(i)]; };
    const auto own = [&](std::int64_t i) -> set& { return before[static_cast<std::size_t>(i)]; };
    const auto each_byte = [&](std::int64_t i, bool target, auto f) {
        if ((target ? at(i).dst : at(i).src) != 0) return;
        const location first = target ? detail::locate(alias, at(i).into, at(i).into_offset)
                                      : detail::locate(alias, at(i).from, at(i).from_offset);
        for (bytes_t k = 0; k < at(i).size; ++k) f(bytes[{first.where, first.offset + k}]);
    };
    const auto wait_for_writer = [&](std::int64_t i) {
        return [&own, i](byte_history& b) { own(i).insert(b.writer); };
    };
    const auto wait_for_all = [&](std::int64_t i) {
        return [&own, i](byte_history& b) {
            own(i).insert(b.writer);
            own(i).insert(b.readers.begin(), b.readers.end());
        };
    };
    for (step_t k = 0; k < 7; ++k) {
        set step;
        for (std::int64_t i = 0; i < operations; ++i)
            if (at(i).step == k) step.insert(i);
        for (const std::int64_t i : step) {
            each_byte(i, false, wait_for_writer(i));
            if (!at(i).combines()) each_byte(i, true, wait_for_all(i));
        }
        for (const std::int64_t i : step) each_byte(i, false, [&](byte_history& b) { b.readers.insert(i); });
        for (const std::int64_t i : step) {
            if (at(i).combines()) each_byte(i, true, wait_for_all(i));
            each_byte(i, true, [&](byte_history& b) { b = {i, {}}; });
        }
    }
    for (std::int64_t i = 0; i < operations; ++i) {
        for (std::int64_t j = 0; j < i; ++j) {
            const bool entered = at(j).dst == 0 && at(j).src != 0 && at(j).step < at(i).step;
            if (at(i).src == 0 && entered && (at(j).is_signal() || at(i).is_signal())) own(i).insert(j);
            if (window > 0 && at(j).step <= at(i).step - window) own(i).insert(j);
        }
        own(i).erase(i);
        own(i).erase(-1);
    }
    return before;
}

/// Runs all ranks at once in a random order of the operations that may start. A send and its receive happen together.
/// Operands are received into staging for one step's combines, which is reused when those of the step before are done,
/// and combined later. Returns false if no operation may start although some are left.
class random_run {
  public:
    random_run(const any_schedule& s, binding how, std::uint64_t seed)
        : random_(seed), operation_(support::operation(s.contract())) {
        const contract contract = s.contract();
        const stored_schedule stored = materialize(s);
        for (rank_t r = 0; r < s.ranks; ++r) {
            memory_.emplace_back(contract, r, how);
            scratch_.emplace_back(static_cast<std::size_t>(s.scratch(r)));
            orders_.push_back(order_of(stored, r, how));
            done_.emplace_back(orders_.back().program.size(), false);
            staged_.emplace_back(orders_.back().program.size());
        }
    }

    bool run() {
        for (;;) {
            std::vector<std::pair<std::size_t, std::size_t>> ready;
            bool left = false;
            for (std::size_t r = 0; r < orders_.size(); ++r)
                for (std::size_t i = 0; i < done_[r].size(); ++i) {
                    left = left || !done_[r][i];
                    if (may_happen(r, i)) ready.emplace_back(r, i);
                }
            if (!left) return true;
            if (ready.empty()) return false;
            const auto [r, i] = ready[static_cast<std::size_t>(random_.below(std::ssize(ready)))];
            happen(r, i);
        }
    }

    std::string wrong() const {
        for (const auto& m : memory_)
            if (const std::string fault = m.wrong(); !fault.empty()) return fault;
        return "";
    }

  private:
    bool may_start(std::size_t r, std::size_t i) const {
        if (done_[r][i]) return false;
        const set before = orders_[r].before(static_cast<std::int64_t>(i));
        return std::all_of(before.begin(), before.end(),
                           [&](std::int64_t b) { return done_[r][static_cast<std::size_t>(b)]; });
    }
    std::size_t other_end(const edge& e) const {
        const auto& program = orders_[static_cast<std::size_t>(e.dst)].program;
        return static_cast<std::size_t>(std::find(program.begin(), program.end(), e) - program.begin());
    }
    /// A local edge, a message sent by r, or a combine of a received operand.
    bool may_happen(std::size_t r, std::size_t i) const {
        const edge& e = orders_[r].program[i];
        if (e.src != static_cast<rank_t>(r)) return !staged_[r][i].empty() && may_start(r, i);
        if (!may_start(r, i)) return false;
        if (e.is_local()) return true;
        const auto dst = static_cast<std::size_t>(e.dst);
        return e.combines() ? has_room(dst, e.step) : may_start(dst, other_end(e));
    }
    bool has_room(std::size_t r, step_t step) const {
        for (std::size_t i = 0; i < done_[r].size(); ++i) {
            const edge& e = orders_[r].program[i];
            if (e.step < step && e.combines() && !e.is_local() && e.dst == static_cast<rank_t>(r) && !done_[r][i])
                return false;
        }
        return true;
    }
    std::byte* at(rank_t r, buffer where, bytes_t offset) {
        const rank_memory m = memory_[static_cast<std::size_t>(r)].memory();
        if (where == buffer::scratch) return scratch_[static_cast<std::size_t>(r)].data() + offset;
        return (where == buffer::output ? m.output.data() : const_cast<std::byte*>(m.input.data())) + offset;
    }
    void happen(std::size_t r, std::size_t i) {
        const edge e = orders_[r].program[i];
        const bool arrived = e.src != static_cast<rank_t>(r);
        std::byte* into = at(e.dst, e.into, e.into_offset);
        const std::byte* from = arrived ? staged_[r][i].data() : at(e.src, e.from, e.from_offset);
        done_[r][i] = true;
        if (e.combines() && !arrived && !e.is_local()) {
            staged_[static_cast<std::size_t>(e.dst)][other_end(e)].assign(from, from + e.size);
            return;
        }
        if (e.combines()) operation_.combine(nullptr, into, from, e.size, e.action);
        else if (e.size > 0) std::memmove(into, from, static_cast<std::size_t>(e.size));
        if (!e.is_local() && !arrived) done_[static_cast<std::size_t>(e.dst)][other_end(e)] = true;
    }

    support::random_source random_;
    reduction operation_;
    std::vector<support::real_bytes> memory_;
    std::vector<std::vector<std::byte>> scratch_;
    std::vector<rank_order> orders_;
    std::vector<std::vector<bool>> done_;
    std::vector<std::vector<std::vector<std::byte>>> staged_;  // received operands, one entry per edge
};

}  // namespace

TEST_CASE(
    "dependencies: every order that the list allows brings the right bytes, with each send waiting for its receive") {
    for (rank_t p = 1; p <= 7; ++p)
        for (const auto& [name, schedule] : support::samples(p, 2))
            for (const binding how : support::bindings(schedule.contract()))
                for (std::uint64_t seed = 1; seed <= 3; ++seed) {
                    INFO(name, " seed ", seed);
                    random_run one(schedule, how, seed);
                    REQUIRE(one.run());
                    REQUIRE(one.wrong() == "");
                }
}

TEST_CASE("dependencies: for every program, alias and window an edge waits exactly for data, signals and pacing") {
    for (std::uint64_t seed = 1; seed <= 600; ++seed)
        for (const detail::buffer_alias& alias :
             {detail::buffer_alias{}, detail::buffer_alias{buffer::input, buffer::output, 2}})
            for (const step_t window : {0, 1, 3}) {
                CAPTURE(seed);
                CAPTURE(window);
                support::random_source random(seed);
                const std::vector<edge> program = random_program(random, alias);
                const std::vector<set> expected = expected_order(program, alias, window);
                const rank_order zero{program, detail::dependencies(program, 0, alias, pacing{window})};
                for (std::int64_t i = 0; i < std::ssize(program); ++i)
                    REQUIRE(zero.before(i) == expected[static_cast<std::size_t>(i)]);
                for (std::int64_t i = 0; i < std::ssize(program); ++i) {
                    const step_t last = program[static_cast<std::size_t>(i)].step - window;
                    set overtaken, joined;
                    for (std::int64_t j = 0; window > 0 && j < i; ++j)
                        if (program[static_cast<std::size_t>(j)].step <= last) overtaken.insert(j);
                    const std::int64_t join = zero.list.paced_by[i];
                    REQUIRE((overtaken.empty() ? join == -1 : join >= zero.list.operations));
                    if (join >= 0) gather(zero.list, join, joined);
                    REQUIRE(joined == overtaken);
                }
            }
}

TEST_CASE("dependencies: after a signal every later outgoing edge waits for it") {
    const edge signal{.step = 0, .src = 0, .dst = 1};
    std::vector<edge> own{signal};
    for (step_t k = 1; k <= 4; ++k) {
        for (const rank_t dst : {2, 3})
            own.push_back({.step = k, .src = 1, .dst = dst, .from_offset = 4 * k + dst, .size = 1});
        own.push_back({.step = k, .src = 2, .dst = 1, .into_offset = k, .size = k % 2});  // each other one is a signal
    }
    const rank_order one{own, detail::dependencies(own, 1, {}, {})};
    for (std::int64_t i = 1; i < std::ssize(own); ++i)
        CHECK(one.before(i).contains(0) == (own[static_cast<std::size_t>(i)].src == 1));
}

TEST_CASE("dependencies: data dependencies are read after write, write after read, write after write, and no others") {
    const contract c{.collective = collective::allgather, .ranks = 2, .blocks = 8};
    const stored_schedule s = by_hand(
        c, 5,
        {
            {.step = 0, .src = 1, .dst = 0, .into_offset = 8, .size = 8},                           // 0: writes 8..15
            {.step = 1, .src = 0, .dst = 1, .from_offset = 12, .size = 2, .from = buffer::output},  // 1: reads 12..13
            {.step = 1, .src = 0, .dst = 0, .size = 8},                                            // local, reads input
            {.step = 2, .src = 1, .dst = 0, .into_offset = 8, .size = 5},                          // writes 8..12
            {.step = 3, .src = 1, .dst = 0, .into_offset = 13, .size = 1},                         // writes 13
            {.step = 4, .src = 0, .dst = 1, .from_offset = 8, .size = 8, .from = buffer::output},  // reads 8..15
        });
    const rank_order zero = order_of(s, 0);
    REQUIRE(zero.program.size() == 6);
    CHECK(zero.program[1].is_local());
    CHECK(zero.before(0).empty());
    CHECK(zero.before(1).empty());
    CHECK(zero.before(2) == set{0});
    CHECK(zero.before(3) == set{0, 2});
    CHECK(zero.before(4) == set{0, 2});
    CHECK(zero.before(5) == set{0, 3, 4});
}

TEST_CASE("dependencies: in place, input and output are the same bytes") {
    const contract c{.collective = collective::allreduce, .ranks = 2, .bytes = 4};
    const stored_schedule s = by_hand(c, 2,
                                      {{.step = 0, .src = 0, .dst = 1, .size = 4, .into = buffer::scratch},
                                       {.step = 1, .src = 1, .dst = 0, .size = 4}},
                                      4);
    CHECK(order_of(s, 0).before(1).empty());
    CHECK(order_of(s, 0, binding::in_place).before(1) == set{0});
}

TEST_CASE("dependencies: combines follow the reads of their step, and each other in the order of their sources") {
    const contract c{.collective = collective::allreduce, .ranks = 4, .bytes = 4};
    const stored_schedule s = by_hand(c, 2,
                                      {
                                          {.step = 0, .size = 4},
                                          {.step = 1, .src = 0, .dst = 1, .size = 4, .from = buffer::output},
                                          {.step = 1, .src = 1, .dst = 0, .size = 4, .action = action::combine_after},
                                          {.step = 1, .src = 2, .dst = 0, .size = 4, .action = action::combine_after},
                                          {.step = 1,
                                           .src = 3,
                                           .dst = 0,
                                           .from_offset = 2,
                                           .into_offset = 2,
                                           .size = 2,
                                           .action = action::combine_after},
                                      },
                                      0, 12);
    const rank_order zero = order_of(s, 0);
    CHECK(zero.before(1) == set{0});
    CHECK(zero.before(2) == set{0, 1});
    CHECK(zero.before(3) == set{2});
    CHECK(zero.before(4) == set{3});
}

TEST_CASE("dependencies: a signal waits for all earlier receives, and later sends wait for the signal") {
    const contract c{.collective = collective::barrier, .ranks = 3};
    const stored_schedule s = by_hand(c, 3,
                                      {
                                          {.step = 0, .src = 1, .dst = 0},
                                          {.step = 0, .src = 2, .dst = 0},
                                          {.step = 1, .src = 0, .dst = 1},
                                          {.step = 1, .src = 0, .dst = 2},
                                          {.step = 2, .src = 2, .dst = 0, .size = 0},
                                      });
    const rank_order zero = order_of(s, 0);
    CHECK(zero.before(0).empty());
    CHECK(zero.before(2) == set{0, 1});
    CHECK(zero.before(3) == set{0, 1});
    CHECK(zero.before(4).empty());
    CHECK(order_of(s, 2).before(1).empty());
    CHECK(order_of(s, 2).before(2) == set{1});
}

TEST_CASE("dependencies: with window w the edges of step k wait for all own edges of steps up to k-w") {
    const contract c{.collective = collective::alltoall, .ranks = 2, .blocks = block_matrix(1)};
    const auto paced = [&](step_t window) {
        std::vector<edge> edges;
        for (step_t k = 0; k < 6; ++k)
            edges.push_back({.step = k, .src = k % 2, .dst = 1 - k % 2, .into_offset = k, .size = 1});
        return order_of(
            by_hand({.collective = collective::allgather, .ranks = 2, .blocks = 3}, 6, edges, 0, 0, {window}), 0);
    };
    for (std::int64_t i = 0; i < 6; ++i) CHECK(paced(0).before(i).empty());
    for (const step_t window : {1, 2, 4})
        for (std::int64_t i = 0; i < 6; ++i) {
            set expected;
            for (std::int64_t j = 0; j <= i - window; ++j) expected.insert(j);
            CHECK(paced(window).before(i) == expected);
        }
}

TEST_CASE("dependencies: the list stays proportional to the program") {
    const auto pairs = [](const any_schedule& s) {
        const stored_schedule stored = materialize(s);
        const rank_order one = order_of(stored, 1);
        return static_cast<double>(one.list.before.size()) / static_cast<double>(one.program.size());
    };
    const rank_t p = support::one_of() == 1 ? 300 : 50;
    for (const algorithm_entry& entry : support::registered_at(p))
        CHECK(pairs(entry.make({.ranks = p, .block = 8, .bytes = 800, .segment = 80})) < 12);
    std::vector<edge> signals;
    for (rank_t r = 1; r < 500; ++r) {
        signals.push_back({.step = 0, .src = r, .dst = 0});
        signals.push_back({.step = 1, .src = 0, .dst = r});
    }
    const rank_order root = order_of(by_hand({.collective = collective::barrier, .ranks = 500}, 2, signals), 0);
    CHECK(root.list.before.size() < 2000);
}
