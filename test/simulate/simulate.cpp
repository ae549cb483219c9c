#include "collsched/simulate/simulate.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/gather/linear.hpp"
#include "collsched/collective/gather/over_tree.hpp"
#include "collsched/collective/gather/root_receive.hpp"
#include "collsched/cost/loggp.hpp"
#include "collsched/cost/lob.hpp"
#include "collsched/tree/binomial.hpp"
#include "collsched/tree/chain.hpp"
#include "support/layouts.hpp"
#include "support/small_schedules.hpp"

using namespace collsched;

namespace {

const simulation::conditions in_place{.binding = binding::in_place};

/// Without copies: only messages take time.
loggp_model network(picoseconds L, picoseconds o, picoseconds g, std::int64_t G) {
    return {.latency_ps = L, .overhead_ps = o, .gap_ps = g, .byte_fs = G, .copy_fs = 0, .combine_fs = 0};
}

/// Parameters each of which dominates in turn.
std::vector<loggp_model> networks() {
    std::vector<loggp_model> all;
    for (const picoseconds L : {0, 40, 1000})
        for (const picoseconds o : {0, 7, 90})
            for (const picoseconds g : {0, 11, 200})
                for (const std::int64_t G : {0, 999, 25'000}) all.push_back(network(L, o, g, G));
    return all;
}

/// The time from a send until its rank can begin the next.
picoseconds interval(const loggp_model& model, bytes_t m) {
    return std::max(model.overhead_ps, model.gap_ps + model.stream(m).value());
}

template <class Tree>
broadcast::over_tree<Tree> broadcast_of(rank_t p, bytes_t m) {
    return {.ranks = p, .root = p - 1, .bytes = m};
}

/// The same simulation in steps of one picosecond, which visits every operation in each. Overheads, copies and combines
/// must take time.
class ticking_machine {
  public:
    ticking_machine(const stored_schedule& s, const loggp_model& model, const simulation::conditions& begun)
        : s_(s), model_(model), begun_(begun), window_(begun.paced.value_or(s.pacing()).window) {
        for (const edge& e : s.edges())
            if (!detail::vanishes(s.contract().alias(e.src, begun.binding), e)) edges_.push_back(e);
        removed_.assign(edges_.size(), false);
        folded_.assign(edges_.size(), false);
        staged_.assign(edges_.size(), {});
        for (rank_t r = 0; r < s.ranks; ++r) {
            ranks_.push_back({});
            fold(r);
            stage(r);
        }
        for (std::size_t i = 0; i < edges_.size(); ++i) {
            const edge& e = edges_[i];
            if (removed_[i]) continue;
            if (e.is_local()) add({{i}, e.src, e.combines() ? role::combine : role::copy});
            else if (i > 0 && same_message(e, edges_[i - 1])) join_message(i);
            else add({{i}, e.src, role::send}), add({{i}, e.dst, role::receive});
            if (!e.is_local() && e.combines()) add({{i}, e.dst, role::combine});
        }
    }

    std::vector<picoseconds> finish() {
        std::vector<picoseconds> done;
        for (rank_t r = 0; r < s_.ranks; ++r) done.push_back(start(r));
        for (picoseconds now = 0; !std::ranges::all_of(tasks_, [&](const task& t) { return t.end < now; }); ++now) {
            REQUIRE(now < 10'000'000);
            notice_ready(now);
            for (rank_t r = 0; r < s_.ranks; ++r) begin_work(r, now);
        }
        for (const task& t : tasks_) {
            picoseconds& mine = done[static_cast<std::size_t>(t.rank)];
            mine = std::max(mine, t.end);
        }
        return done;
    }

  private:
    static constexpr picoseconds never = std::numeric_limits<picoseconds>::max();
    enum class role { send, receive, copy, combine };

    struct task {
        std::vector<std::size_t> edges;  // of a message all of its step and pair
        rank_t rank;
        role what;
        picoseconds first_byte = never, in = never;  // of receives
        picoseconds ready = never, end = never;
    };
    struct busy {
        picoseconds cpu = 0, out = 0, in = 0;
    };

    /// Removes the copies that a plan does without, and notes which combinations use input instead.
    void fold(rank_t r) {
        std::vector<edge> program;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < edges_.size(); ++i)
            if (edges_[i].src == r || edges_[i].dst == r) program.push_back(edges_[i]), places.push_back(i);
        const std::vector<bytes_t> operands = detail::fold_copies(program, r, s_.contract().alias(r, begun_.binding));
        std::size_t next = 0;
        for (const std::size_t i : places) {
            edge kept = next < program.size() ? program[next] : edge{.step = -1};
            const buffer from = kept.from;
            const bytes_t offset = kept.from_offset;
            kept.from = edges_[i].from;
            kept.from_offset = edges_[i].from_offset;
            removed_[i] = !(kept == edges_[i]);
            if (removed_[i]) continue;
            edges_[i].from = from;
            edges_[i].from_offset = offset;
            if (operands[next++] >= 0) folded_[i] = true;
        }
        REQUIRE(next == program.size());
    }
    /// Places operands in staging: those of a step after those of the step before, or at the beginning.
    void stage(rank_t r) {
        const bytes_t room = std::max(begun_.staging_limit, s_.staging(r));
        bytes_t end = 0;
        for (step_t k = 0; k < s_.steps(); ++k) {
            bytes_t size = 0;
            for (const bool place : {false, true}) {
                if (place && size > room - end) end = 0;
                for (std::size_t i = 0; i < edges_.size(); ++i) {
                    const edge& e = edges_[i];
                    if (e.step != k || e.dst != r || e.is_local() || !e.combines() || folded_[i]) continue;
                    if (!place) size += e.size;
                    else staged_[i] = {end, e.size}, end += e.size;
                }
            }
        }
    }

    static bool same_message(const edge& a, const edge& b) {
        return a.step == b.step && a.src == b.src && a.dst == b.dst;
    }
    void add(task t) { tasks_.push_back(std::move(t)); }
    void join_message(std::size_t i) {
        for (task& t : tasks_)
            if ((t.what == role::send || t.what == role::receive) && t.edges.back() == i - 1) t.edges.push_back(i);
    }
    bytes_t size(const task& t) const {
        bytes_t sum = 0;
        for (const std::size_t i : t.edges) sum += edges_[i].size;
        return sum;
    }
    picoseconds start(rank_t r) const { return begun_.start.empty() ? 0 : begun_.start[static_cast<std::size_t>(r)]; }
    byte_range range(rank_t rank, const edge& e, bool reads, location& where) const {
        const detail::buffer_alias alias = s_.contract().alias(rank, begun_.binding);
        where = reads ? detail::locate(alias, e.from, e.from_offset) : detail::locate(alias, e.into, e.into_offset);
        return {where.offset, e.size};
    }
    static bool reads(const task& t, const edge& e) { return e.src == t.rank && t.what != role::receive; }
    /// An incoming combine touches memory when it is applied; its receive goes to staging, unless it is folded.
    bool writes(const task& t, std::size_t i) const {
        const edge& e = edges_[i];
        return e.dst == t.rank && t.what != role::send && !(t.what == role::receive && e.combines() && !folded_[i]);
    }
    bool touch(rank_t rank, const edge& a, bool a_reads, const edge& b, bool b_reads) const {
        location at_a, at_b;
        const byte_range one = range(rank, a, a_reads, at_a), other = range(rank, b, b_reads, at_b);
        return at_a.where == at_b.where && overlap(one, other);
    }

    bool must_wait(const task& t, const task& before) const {
        if (t.rank != before.rank || &t == &before) return false;
        return std::ranges::any_of(t.edges, [&](std::size_t e) {
            return std::ranges::any_of(before.edges, [&](std::size_t f) { return must_wait(t, e, before, f); });
        });
    }

    bool must_wait(const task& t, std::size_t this_edge, const task& before, std::size_t other_edge) const {
        const edge &e = edges_[this_edge], &f = edges_[other_edge];
        const bool earlier = f.step < e.step;
        if (this_edge == other_edge) return t.what == role::combine && before.what == role::receive;
        if (window_ > 0 && f.step <= e.step - window_) return true;
        const bool entered = f.dst == t.rank && !f.is_local();
        if (earlier && e.is_signal() && t.what == role::send && entered) return true;
        if (earlier && f.is_signal() && before.what == role::receive && e.src == t.rank && t.what != role::receive)
            return true;
        if (t.what == role::receive && e.combines() && !folded_[this_edge])
            return earlier && before.what == role::combine && overlap(staged_[this_edge], staged_[other_edge]);
        const bool changes = writes(t, this_edge), changed = writes(before, other_edge);
        const bool conflict = (changes && reads(before, f) && touch(t.rank, e, false, f, true)) ||
                              (changes && changed && touch(t.rank, e, false, f, false)) ||
                              (reads(t, e) && changed && touch(t.rank, e, true, f, false));
        if (!conflict || f.step > e.step) return false;
        if (earlier) return true;
        if (!e.combines() || t.what != role::combine) return false;
        return !f.combines() || before.what == role::send || other_edge < this_edge;
    }

    void notice_ready(picoseconds now) {
        for (task& t : tasks_) {
            if (t.what == role::receive && t.first_byte == now) {
                busy& here = ranks_[static_cast<std::size_t>(t.rank)];
                t.in = std::max(now, here.in) + model_.stream(size(t)).value();
                here.in = t.in + model_.gap_ps;
            }
            if (t.ready != never || now < start(t.rank) || (t.what == role::receive && t.in > now)) continue;
            if (std::ranges::none_of(tasks_, [&](const task& b) { return must_wait(t, b) && b.end > now; }))
                t.ready = now;
        }
    }

    void begin_work(rank_t r, picoseconds now) {
        busy& here = ranks_[static_cast<std::size_t>(r)];
        if (here.cpu > now) return;
        const auto local = [](const task& t) { return t.what == role::copy || t.what == role::combine; };
        task* next = nullptr;
        for (task& t : tasks_) {
            if (t.rank != r || t.ready > now || t.end != never || (t.what == role::send && here.out > now)) continue;
            const auto rank_of = [&](const task& x) { return std::tuple(x.ready, local(x), x.edges.front()); };
            if (next == nullptr || rank_of(t) < rank_of(*next)) next = &t;
        }
        if (next == nullptr) return;
        const bytes_t m = size(*next);
        const picoseconds stream = model_.stream(m).value();
        if (next->what == role::copy) here.cpu = now + model_.copy(m).value();
        else if (next->what == role::combine) here.cpu = now + model_.combine(m).value();
        else here.cpu = now + model_.overhead_ps;
        next->end = here.cpu;
        if (next->what != role::send) return;
        next->end = here.cpu + stream;
        here.out = now + model_.gap_ps + stream;
        for (task& t : tasks_)
            if (t.edges == next->edges && t.what == role::receive) t.first_byte = here.cpu + model_.latency_ps;
    }

    const stored_schedule& s_;
    loggp_model model_;
    simulation::conditions begun_;
    step_t window_;
    std::vector<edge> edges_;
    std::vector<bool> removed_, folded_;
    std::vector<byte_range> staged_;  // of incoming combines
    std::vector<task> tasks_;
    std::vector<busy> ranks_;
};

template <schedulable X>
void check_ticks(const X& x, const loggp_model& model, const simulation::conditions& begun) {
    const stored_schedule s = materialize(x);
    const simulation run = simulate(x, model, begun);
    const std::vector<picoseconds> wanted = ticking_machine(s, model, begun).finish();
    for (rank_t r = 0; r < s.ranks; ++r)
        CHECK_MESSAGE(run.finish[r] == wanted[static_cast<std::size_t>(r)], "rank ", r);
    CHECK(run.completion == std::ranges::max(wanted));
}

}  // namespace

TEST_CASE("simulate: closed forms of LogGP") {
    for (const loggp_model& model : networks())
        for (const bytes_t m : {1, 2, 100}) {
            const picoseconds T = model.message(m).value(), I = interval(model, m);
            INFO("L ", model.latency_ps, " o ", model.overhead_ps, " g ", model.gap_ps, " G ", model.byte_fs, " m ", m);
            CHECK(simulate(broadcast_of<trees::chain>(2, m), model, in_place).completion == T);
            for (const rank_t p : {2, 3, 9}) {
                CHECK(simulate(broadcast_of<trees::chain>(p, m), model, in_place).completion == (p - 1) * T);
                CHECK(simulate(broadcast_of<trees::flat>(p, m), model, in_place).completion == (p - 2) * I + T);
                CHECK(simulate(gather::linear{.ranks = p, .block = m}, model, in_place).completion == (p - 2) * I + T);
            }
            for (int q = 1; q <= 6; ++q)
                CHECK(simulate(broadcast_of<trees::binomial>(rank_t{1} << q, m), model, in_place).completion ==
                      std::max(q * T, (q - 1) * I + T));
        }
}

TEST_CASE("simulate: ceil(log2 p) signals of a barrier, and p-1 messages of a ring") {
    const loggp_model model = network(1000, 90, 11, 500);
    for (rank_t p = 1; p <= 40; ++p) {
        CHECK(simulate(support::dissemination_barrier(p), model).completion == ceil_log2(p) * model.message(1).value());
        CHECK(simulate(allgather::ring{.ranks = p, .block = 8}, model).completion ==
              (p - 1) * model.message(8).value());
    }
}

TEST_CASE("simulate: eight to one takes about eight times one transfer, since the receiver has one interface") {
    const loggp_model model = network(1'000'000, 500'000, 500'000, 100'000);
    for (const step_t window : {0, 1}) {
        const simulation::conditions begun{.binding = binding::in_place, .paced = pacing{window}};
        const picoseconds one = simulate(gather::linear{.ranks = 2, .block = 1 << 20}, model, begun).completion;
        const simulation eight = simulate(gather::linear{.ranks = 9, .block = 1 << 20}, model, begun);
        CHECK(one == model.message(1 << 20).value());
        CHECK(eight.completion > 7.8 * static_cast<double>(one));
        CHECK(eight.completion < 8.2 * static_cast<double>(one));
        CHECK(eight.cpu_busy[0] == 8 * model.overhead_ps);
        CHECK(eight.in_busy[0] == 8 * (model.gap_ps + model.stream(1 << 20).value()));
        CHECK(eight.out_busy[3] == model.gap_ps + model.stream(1 << 20).value());
        CHECK(eight.finish[3] == model.overhead_ps + model.stream(1 << 20).value());
    }
}

TEST_CASE("simulate: copies and combinations are charged per byte, connections once per pair") {
    loggp_model model = network(1000, 100, 10, 0);
    model.copy_fs = 3'000;
    model.combine_fs = 5'000;
    const auto one = allgather::ring{.ranks = 1, .block = 50};
    CHECK(simulate(one, model).completion == 150);
    CHECK(simulate(one, model, in_place).completion == 0);
    CHECK(simulate(one, model).cpu_busy[0] == 150);
    CHECK(simulate(support::linear_reduce(2, 50), model).completion == model.message(50).value() + 250);
    model.connection_ps = 7'000;
    CHECK(simulate(broadcast_of<trees::chain>(4, 1), model, in_place).completion == 3 * (1'200 + 14'000));
    const broadcast::over_tree<trees::chain> pieces{.ranks = 2, .bytes = 4, .segment = 1};
    CHECK(simulate(pieces, model, in_place).completion == 1'200 + 14'000 + 3 * 100);
    CHECK(simulate(gather::linear{.ranks = 9, .block = 1}, model, in_place).completion == 8'100 + 8 * 7'100);
}

TEST_CASE("simulate: every ordered pair connects once, at its first message") {
    const loggp_model model{.latency_ps = 50, .overhead_ps = 3, .copy_fs = 0, .connection_ps = 1'000};
    for (rank_t p = 2; p <= 40; p += 3) {
        const std::vector<bytes_t> counts(static_cast<std::size_t>(p), 6);
        const gather::over_tree<trees::binomial, gather::root_receive::chained> gather{
            .ranks = p, .block = support::shuffled(counts, 3, 0)};
        const execution_graph graph(gather);
        picoseconds busy = 0;
        for (const picoseconds one : simulate(graph, model).cpu_busy) busy += one;
        const auto messages =
            std::ranges::count(graph.nodes(), execution_graph::kind::send, &execution_graph::node::kind);
        CHECK(graph.pairs() == p - 1);
        CHECK(busy == 2 * (messages * 3 + graph.pairs() * 1'000));
    }
    // The message of step 1 waits for a third rank, the message of step 2 does not. So the latter connects.
    const std::vector<edge> edges{
        {.step = 0, .src = 2, .dst = 1, .size = 1, .into = buffer::scratch},
        {.step = 1, .src = 1, .dst = 0, .size = 1, .from = buffer::scratch, .into = buffer::scratch},
        {.step = 2, .src = 1, .dst = 0, .into_offset = 1, .size = 1, .into = buffer::scratch}};
    const contract contract{.collective = collective::allreduce, .ranks = 3, .bytes = 1};
    const simulation run = simulate(support::by_hand(contract, 3, edges, 2), model);
    CHECK(run.finish[1] == 2'056 + 3);  // receives from 2 at 1003 + 50 + 1003, and forwards
    CHECK(run.completion == 2'056 + 3 + 50 + 3);
}

TEST_CASE("simulate: the root's copies follow its sends") {
    loggp_model model = network(1000, 100, 10, 0);
    model.copy_fs = 1'000;
    const simulation run = simulate(broadcast_of<trees::flat>(3, 500), model);
    CHECK(run.finish[2] == 100 + 100 + 500);  // two sends, then the copy
    CHECK(run.finish[1] == 100 + model.message(500).value());
}

TEST_CASE("simulate: equal to a simulation that visits every picosecond") {
    support::random_source random(7);
    const auto any = [&](std::int64_t least, std::int64_t most) { return least + random.below(most - least + 1); };
    for (int round = 0; round < 12; ++round)
        for (rank_t p = 1; p <= 6; ++p) {
            const loggp_model model{.latency_ps = any(0, 30),
                                    .overhead_ps = any(1, 9),
                                    .gap_ps = any(0, 12),
                                    .byte_fs = any(0, 4'000),
                                    .copy_fs = any(1'000, 4'000),
                                    .combine_fs = any(1'000, 4'000)};
            std::vector<picoseconds> starts;
            for (rank_t r = 0; r < p; ++r) starts.push_back(any(0, 40));
            simulation::conditions begun{.binding = round % 2 == 0 ? binding::separate : binding::in_place};
            if (round % 3 > 0) begun.start = starts;
            if (round % 4 > 1) begun.paced = pacing{round % 3};
            if (round % 5 > 1) begun.staging_limit = 6 * (round % 5 - 2);
            INFO("round ", round, " p ", p);
            for (const block_layout& layout :
                 {block_layout(3), support::shuffled(std::vector<bytes_t>(static_cast<std::size_t>(p), 2), 5, 3)}) {
                check_ticks(allgather::ring{.ranks = p, .block = layout}, model, begun);
                check_ticks(allgather::bruck{.ranks = p, .block = layout}, model, begun);
                check_ticks(gather::linear{.ranks = p, .root = p / 2, .block = layout}, model, begun);
                check_ticks(
                    gather::over_tree<trees::binomial, gather::root_receive::chained>{
                        .ranks = p, .root = p / 2, .block = layout},
                    model, begun);
            }
            check_ticks(broadcast::over_tree<trees::binomial>{.ranks = p, .bytes = 9, .segment = 3}, model, begun);
            begun.binding = binding::separate;
            check_ticks(support::linear_reduce(p, 3), model, begun);
            check_ticks(support::dissemination_barrier(p), model, begun);
        }
}

TEST_CASE("simulate: no parameter that grows makes these runs shorter") {
    const loggp_model base{
        .latency_ps = 1000, .overhead_ps = 90, .gap_ps = 150, .byte_fs = 2'000, .copy_fs = 800, .connection_ps = 30};
    const auto runs = [](const loggp_model& model) {
        std::vector<picoseconds> times;
        for (const bytes_t m : {1, 64, 4'096}) {
            times.push_back(simulate(broadcast_of<trees::binomial>(13, m), model).completion);
            times.push_back(simulate(broadcast_of<trees::chain>(13, m), model).completion);
            times.push_back(simulate(gather::linear{.ranks = 13, .block = m}, model).completion);
            times.push_back(
                simulate(gather::over_tree<trees::binomial, gather::root_receive::instant>{.ranks = 13, .block = m},
                         model)
                    .completion);
            times.push_back(simulate(allgather::ring{.ranks = 13, .block = m}, model).completion);
        }
        return times;
    };
    const std::vector<picoseconds> before = runs(base);
    for (auto parameter : {&loggp_model::latency_ps, &loggp_model::overhead_ps, &loggp_model::gap_ps,
                           &loggp_model::byte_fs, &loggp_model::copy_fs, &loggp_model::connection_ps})
        for (const std::int64_t more : {1, 17, 400, 100'000}) {
            loggp_model slower = base;
            slower.*parameter += more;
            const std::vector<picoseconds> after = runs(slower);
            for (std::size_t i = 0; i < before.size(); ++i) CHECK(after[i] >= before[i]);
        }
}

TEST_CASE("simulate: a run is deterministic, a later start shifts it, and one run can follow another") {
    const loggp_model model{.latency_ps = 1000, .overhead_ps = 90, .gap_ps = 150, .byte_fs = 2'000};
    const auto tree = broadcast_of<trees::binomial>(21, 333);
    const simulation once = simulate(tree, model);
    CHECK(once == simulate(tree, model));
    CHECK(once == simulate(execution_graph(tree), model));
    const std::vector<picoseconds> starts(21, 12'345);
    const simulation later = simulate(tree, model, {.start = starts});
    for (rank_t r = 0; r < 21; ++r) CHECK(later.finish[r] == once.finish[r] + 12'345);
    CHECK(later.cpu_busy == once.cpu_busy);
    const gather::over_tree<trees::binomial> back{.ranks = 21, .root = 20, .block = 5};
    const simulation second = simulate(back, model, {.start = once.finish});
    CHECK(second.completion > once.completion);
    CHECK(second.completion <= once.completion + simulate(back, model).completion);
}

TEST_CASE("simulate: schedules that cannot be simulated are rejected") {
    const allgather::ring ring{.ranks = 4, .block = 8};
    const std::vector<picoseconds> three(3), wrong{0, 0, -5, 0}, end(4, std::numeric_limits<picoseconds>::max());
    CHECK_THROWS_WITH(simulate(ring, {.byte_fs = -1}), "G: got -1, expected 0 fs per byte or more");
    CHECK_THROWS_WITH(simulate(ring, {}, {.start = three}),
                      "start: got 3, expected as many start times as ranks, or none");
    CHECK_THROWS_WITH(simulate(ring, {}, {.start = wrong}), "start[2]: got -5, expected 0 ps or more");
    CHECK_THROWS_AS(simulate(ring, {.latency_ps = INT64_MAX / 2}), bad_argument);
    CHECK_THROWS_AS(simulate(allgather::ring{.ranks = 4, .block = 5000}, {.byte_fs = INT64_MAX}), bad_argument);
    CHECK_THROWS_AS(simulate(ring, {.overhead_ps = 1}, {.start = end}), bad_argument);
    CHECK_THROWS_AS(simulate(allgather::ring{.ranks = -1, .block = 8}, {}), bad_argument);
}

TEST_CASE("simulate: (L, o, b) keeps the sender until the message has left, and the receiver for o after its arrival") {
    // From 0 to 1 and 2, a byte in 1 ps and in 2 ps; o = 10, 20, 30; L = 100 and 1000.
    const std::vector<picoseconds> o{10, 20, 30}, latency{0, 100, 1000, 100, 0, 7, 1000, 7, 0};
    const std::vector<std::int64_t> fs{0, 1000, 2000, 1000, 0, 1000, 2000, 1000, 0};
    const lob_model model(o, latency, fs);
    const simulation flat = simulate(broadcast::over_tree<trees::flat>{.ranks = 3, .bytes = 51}, model);
    REQUIRE(!flat.check());
    CHECK(flat.finish[0] == 60 + 110);
    CHECK(flat.finish[1] == 60 + 100 + 20);
    CHECK(flat.finish[2] == 170 + 1000 + 30);
    CHECK(flat.completion == 1200);
    const simulation chain = simulate(broadcast::over_tree<trees::chain>{.ranks = 3, .bytes = 51}, model);
    CHECK(chain.finish[1] == 180 + 20 + 50);
    CHECK(chain.finish[2] == 250 + 7 + 30);
    // Rank 2 is there first; rank 1 is taken in when the root is free again.
    const simulation in = simulate(gather::linear{.ranks = 3, .block = 51}, model.transposed(), {.paced = pacing{0}});
    CHECK(in.finish[0] == std::max(20 + 50 + 100 + 10, 30 + 100 + 1000 + 10));
    CHECK_THROWS_WITH(simulate(gather::linear{.ranks = 2, .block = 1}, model),
                      "ranks: got 2, expected as many ranks as the model has");
}

TEST_CASE("simulate: Hockney costs alpha + m beta per message, one send after the other") {
    const hockney_model model{.alpha_ps = 100, .beta_fs = 2000};
    for (const rank_t p : {2, 3, 8}) {
        CHECK(simulate(broadcast::over_tree<trees::flat>{.ranks = p, .bytes = 10}, model).completion == (p - 1) * 120);
        CHECK(simulate(broadcast::over_tree<trees::chain>{.ranks = p, .bytes = 10}, model).completion == (p - 1) * 120);
        CHECK(simulate(allgather::ring{.ranks = p, .block = 10}, model).completion == (p - 1) * 120);
    }
}

TEST_CASE("simulate: by default all ranks start at 0, without a limit") {
    const simulation::conditions none;
    CHECK((none.start.empty() && none.binding == binding::separate && !none.paced && !none.is_over));
    CHECK(none.limit == INT64_MAX);
    CHECK(none.staging_limit == detail::default_staging);
    const allgather::ring ring{.ranks = 4, .block = 8};
    const std::vector<picoseconds> fine{0, 0, 0, 7};
    CHECK_FALSE(simulate(ring, loggp_model{}, {.start = fine}).check());
    const simulation whole = simulate(ring, loggp_model{});
    CHECK(simulate(ring, loggp_model{}, {.limit = whole.completion}) == whole);
    const simulation cut = simulate(ring, loggp_model{}, {.limit = 1});
    CHECK(cut.check() == argument_error{"limit", 1, "a longer time"});
}
