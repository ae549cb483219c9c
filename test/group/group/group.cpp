#include "collsched/group/group.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <string>
#include <vector>

#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/collective/barrier/dissemination.hpp"
#include "collsched/group/table_policies.hpp"
#include "support/allocations.hpp"
#include "support/brief.hpp"
#include "support/group_cases.hpp"
#include "support/registry.hpp"
#include "support/thread_ranks.hpp"

using namespace collsched;
using namespace std::chrono_literals;

namespace {

using thread_group = group<thread_fabric::endpoint>;

group_options by_rules() { return {.policy = policies::built_in(compiled::whole_registry()), .timeout = 60s}; }
group_options by_ring() {
    return {.policy = policies::named(allreduce::ring{}, barrier::dissemination{}), .timeout = 60s};
}

/// Runs body(group), which returns a fault or "", in one thread per rank. Returns the faults of all ranks.
template <class Body>
std::string faults_of(rank_t ranks, const group_options& options, Body body) {
    return support::thread_faults(ranks, [&](auto& endpoint, rank_t rank) -> std::string {
        thread_group all(endpoint, ranks, rank, options);
        const std::string fault = body(all);
        return fault.empty() ? "" : "rank " + std::to_string(rank) + ": " + fault + "\n";
    });
}

/// Adds 2^rank over all ranks. Returns a fault, or "".
std::string sum_of(thread_group& all) {
    std::int64_t own = std::int64_t{1} << all.rank();
    const outcome end = all.allreduce(std::span(&own, 1), std::plus<>());
    if (!end.ok()) return end.text();
    return own == (std::int64_t{1} << all.ranks()) - 1 ? "" : "wrong sum";
}

}  // namespace

TEST_CASE("group: all collectives on threads, 1 to 9 ranks, equal their definition") {
    for (rank_t ranks = 1; ranks <= 9; ++ranks)
        CHECK(faults_of(ranks, by_rules(), [&](thread_group& all) -> std::string {
                  for (const std::int64_t n : {1, 0, 5, 700})
                      for (const rank_t root : {rank_t{0}, ranks - 1})
                          if (const std::string wrong = support::run_group_cases(all, n, root); !wrong.empty())
                              return std::to_string(ranks) + " ranks, n " + std::to_string(n) + ", " + wrong;
                  return "";
              }) == "");
}

TEST_CASE("group: a refused call has no effect, and has the reason") {
    CHECK(faults_of(3, by_ring(), [](thread_group& all) -> std::string {
              std::vector<int> values(4), few(3);
              const auto is = [&](const outcome& end, const std::string& text) {
                  return !end.ok() && end.status.state == run_status::phase::idle &&
                         end.text().find(text) != std::string::npos;
              };
              if (!is(all.allreduce(values, few, std::plus<>()), "output: got 3, expected as many values as the input"))
                  return "sizes";
              if (!is(all.broadcast(values), "expected one that the policy serves (none is named)"))
                  return "no algorithm";
              if (!is(all.reduce(values, std::plus<>(), 3), "root: got 3")) return "root";
              if (!is(all.reduce_scatter(values, std::plus<>()), "input: got 4")) return "blocks";
              if (!is(all.run({.collective = collective::allreduce, .bytes = 4}), "op: got 0")) return "operation";
              if (!is(all.start(calls::broadcast(values)).result(), "none is named"))
                  return "operation of a refused call";
              if (!is(all.allreduce(values, values, std::plus<>()), "output: got 4, expected memory apart"))
                  return "overlap";
              if (!is(all.start(calls::allreduce(values, values, std::plus<>())).result(), "output: got 4"))
                  return "begun";
              if (!is(all.allreduce(values, reductions::sum<double>()), "op: got 8, expected an operation on"))
                  return "type";
              std::vector<int> sums(4, 1);
              if (!all.allreduce(sums, std::plus<>()).ok()) return "kept plan";
              collective_call without = calls::allreduce(sums, std::plus<>());
              without.op.combine = {};
              if (!is(all.run(without), "op: got 0")) return "operation of a kept plan";
              without.op = reductions::sum<double>();
              if (!is(all.run(without), "op: got 8")) return "values of a kept plan";
              without.value = 0;
              if (!is(all.run(without), "value: got 0")) return "size of values";
              const std::span<int> whole(sums), left = whole.first(3), right = whole.last(3);
              if (!is(all.allreduce(left, right, std::plus<>()), "output: got 3, expected memory apart")) return "part";
              if (!is(all.run({.collective = static_cast<collective>(77)}), "collective: got 77")) return "collective";
              const std::vector<std::int64_t> two{2, 2, 2}, one{1, 1, 1};
              std::vector<int> from(6), into(6);
              if (!is(all.alltoallv(from, two, into, one), "as it sends to itself")) return "own block";
              if (all.explain(calls::broadcast(values)).find("refused: ") != 0) return "explained";
              if (all.is_revoked()) return "revoked";
              return sum_of(all);
          }) == "");
}

TEST_CASE("group: a difference of policies is an error on every rank, and shrink() makes a group that works") {
    for (const rank_t other : {0, 2, 4})
        CHECK(support::thread_faults(5, [&](auto& endpoint, rank_t rank) -> std::string {
                  group_options options = by_ring();
                  options.timeout = 1s;
                  if (rank == other) options.policy = policies::named(allreduce::recursive_doubling{});
                  thread_group all(endpoint, 5, rank, options);
                  std::vector<double> values(100, 1.0);
                  const outcome end = all.allreduce(values, std::plus<>());
                  if (!end.status.failed() || !end.cause.failed()) return "no error: " + end.text();
                  const bool met = end.cause.error == message::error::disagreement;
                  if (!met && end.cause.error != timed_out) return "cause: " + end.text();
                  if (met && end.cause.rank != other && end.cause.peer != other) return "blames another: " + end.text();
                  if (!all.is_revoked() || all.allreduce(values, std::plus<>()).ok()) return "goes on";
                  thread_group next = all.shrink();
                  std::vector<std::int64_t> ones(3, 1);
                  next.barrier();
                  return next.ranks() == 5 ? "" : "ranks are missing";
              }) == "");
}

TEST_CASE("group: a rank that fails and returns at once leaves no other rank waiting") {
    for (const int kind : {0, 1, 2})
        CHECK(faults_of(3, {.policy = policies::named(allreduce::ring{})}, [&](thread_group& all) -> std::string {
                  std::vector<double> values(kind == 2 && all.rank() == 1 ? 20 : 10, 1.0);
                  if (all.rank() == 1 && kind == 0) return all.revoke(), "";
                  if (all.rank() == 1 && kind == 1)
                      return all.start(calls::allreduce(values, std::plus<>())).cancel(), "";
                  const outcome end = all.allreduce(values, std::plus<>());
                  return end.status.failed() || kind == 1 ? "" : end.text();
              }) == "");
}

TEST_CASE("group: a policy whose schedule is of another collective or size is refused") {
    const choice_policy barrier = [](const choice::request& request) {
        return choice::selection{any_schedule(barrier::dissemination{.ranks = request.parameters.ranks}), "a barrier"};
    };
    const choice_policy half = [](const choice::request& request) {
        const shape& sizes = request.parameters;
        return choice::selection{any_schedule(allreduce::ring{.ranks = sizes.ranks, .bytes = sizes.bytes / 2}), "half"};
    };
    for (const choice_policy& wrong : {barrier, half})
        CHECK(faults_of(2, {.policy = wrong}, [](thread_group& all) -> std::string {
                  std::vector<double> values(10, 1.0);
                  return all.allreduce(values, std::plus<>()).text();
              }).find("policy: got 0, expected a policy whose schedules are of the collective") != std::string::npos);
}

TEST_CASE("group: an operation outlives its group, and groups without this rank do nothing") {
    CHECK(faults_of(3, by_ring(), [](thread_group& all) -> std::string {
              std::vector<std::int64_t> values(5, 1);
              group<thread_fabric::endpoint>::operation mine;
              {
                  thread_group twin = all.dup();
                  mine = twin.prepare(calls::allreduce(values, std::plus<>()));
              }
              mine.start();
              if (!mine.wait().ok() || values[0] != 3) return "operation without its group";
              auto moved = std::move(mine);
              if (mine.result().ok() || !moved.result().ok()) return "moved";
              const std::vector<rank_t> list{0, 1};
              thread_group two = all.subset(list);
              if (two.empty() != (all.rank() == 2)) return "subset";
              if (!two.empty()) return sum_of(two);
              if (!two.dup().empty() || !two.shrink().empty() || !two.subset(list).empty()) return "groups of none";
              if (two.agree(1).error != 0 || two.allreduce(values, std::plus<>()).ok()) return "calls of none";
              return two.start(calls::barrier()).wait().ok() || two.explain(calls::barrier()).empty() ? "more" : "";
          }) == "");
}

TEST_CASE("group: arguments of the constructor") {
    thread_fabric fabric(1);
    auto endpoint = fabric.at(0);
    group_options few = by_ring();
    few.channels = 3;
    CHECK_THROWS_WITH_AS(thread_group(endpoint, 1, 0, few), "channels: got 3, expected 4 or more", bad_argument);
    group_options long_time = by_ring();
    long_time.timeout = forever - 1ns;
    thread_group alone(endpoint, 1, 0, long_time);
    CHECK(sum_of(alone) == "");
    std::vector<int> values(2, 1);
    CHECK(alone.start(calls::allreduce(values, std::plus<>())).wait().ok());
}

TEST_CASE("group: after cancel() the operations of all ranks have failed, and a shrunken group goes on") {
    CHECK(faults_of(4, by_ring(), [](thread_group& all) -> std::string {
              std::vector<double> values(10, 1.0), more(10, 1.0);
              auto first = all.start(calls::allreduce(values, std::plus<>()));
              if (all.rank() == 3) {  // it does not start the second one
                  const outcome end = first.cancel();
                  if (end.running()) return "runs on";
              } else {
                  auto second = all.start(calls::allreduce(more, std::plus<>()));
                  const outcome end = second.wait();
                  if (!end.status.failed() || first.wait().running()) return "not failed: " + end.text();
                  if (end.cause.rank != 3 && end.cause.error != cancelled) return end.text();
              }
              if (all.rank() == 3) all.revoke();  // it may have ended before the cancellation
              thread_group next = all.shrink();
              return sum_of(next);
          }) == "");
}

TEST_CASE("group: a rank that does not call lets the others fail with timed_out") {
    group_options options = by_ring();
    options.timeout = 200ms;
    std::atomic<int> late = 0;
    CHECK(faults_of(3, options, [&](thread_group& all) -> std::string {
              std::vector<double> values(10, 1.0);
              if (all.rank() != 1) {
                  const outcome end = all.rank() == 0 ? all.allreduce(values, std::plus<>())
                                                      : all.start(calls::allreduce(values, std::plus<>())).wait();
                  if (!end.status.failed() || end.cause.error != timed_out) return end.text();
                  if (end.status.error == timed_out) ++late;
              }
              thread_group next = all.shrink();
              return sum_of(next);
          }) == "");
    CHECK(late >= 1);
}

TEST_CASE("group: after its first call, a call allocates nothing") {
    const auto allocations = [] {
        std::atomic<long> most = 0;
        const std::string fault = faults_of(2, by_rules(), [&](thread_group& all) -> std::string {
            std::vector<support::group_case> cases = support::group_cases(2, all.rank(), 9, 1).all();
            auto prepared = all.prepare(cases[0].call());
            const auto run = [&] {
                for (auto& one : cases) {
                    if (const outcome end = all.run(one.call()); !end.ok()) return one.name + end.text();
                    if (!prepared.start().status.failed() && !prepared.wait().ok()) return std::string("prepared");
                }
                return std::string();
            };
            std::string wrong;
            for (int i = 0; i < 3 && wrong.empty(); ++i) wrong = run();  // the fabric grows, too
            const long before = support::allocations;
            if (wrong.empty()) wrong = run();
            most = std::max(most.load(), support::allocations - before);
            return wrong;
        });
        CHECK(fault == "");
        return most.load();
    };
    CHECK(allocations() == 0);
}

TEST_CASE("group: the memory of plans is bounded, and those in use are kept") {
    group_options options = by_ring();
    options.kept_bytes = 100'000;
    CHECK(faults_of(2, options, [&](thread_group& all) -> std::string {
              std::vector<double> values(2000, 1.0), kept(7, 1.0);
              auto prepared = all.prepare(calls::allreduce(kept, std::plus<>()));
              for (std::size_t n = 1; n <= 1000; ++n) {
                  const outcome end = all.allreduce(std::span(values).first(n), std::plus<>());
                  if (!end.ok()) return end.text();
                  if (all.kept_bytes() > options.kept_bytes) return std::to_string(all.kept_bytes()) + " bytes";
              }
              if (!prepared.start().status.failed() && !prepared.wait().ok()) return "lost";
              return kept[6] == 2.0 ? "" : "wrong sum";
          }) == "");
}

TEST_CASE("group: two groups and a hundred operations at once") {
    const rank_t ranks = 4;
    CHECK(faults_of(ranks, by_rules(), [&](thread_group& all) -> std::string {
              thread_group other = all.dup();
              std::vector<std::vector<std::int64_t>> values;
              for (std::int64_t i = 0; i < 100; ++i) values.emplace_back(i % 13 + 1, all.rank() + i);
              std::vector<group<thread_fabric::endpoint>::operation> running;
              for (std::size_t i = 0; i < values.size(); ++i) {
                  thread_group& by = i % 3 == 0 ? other : all;
                  running.push_back(by.start(calls::allreduce(values[i], reductions::sum<std::int64_t>())));
              }
              for (std::size_t i = running.size(); i-- > 0;)
                  if (const outcome end = running[i].wait(); !end.ok()) return end.text();
              for (std::int64_t i = 0; i < 100; ++i)
                  for (const std::int64_t sum : values[static_cast<std::size_t>(i)])
                      if (sum != ranks * i + ranks * (ranks - 1) / 2) return "wrong sum";
              return "";
          }) == "");
}

TEST_CASE("group: dup, subset and split make groups of their ranks") {
    CHECK(faults_of(5, by_ring(), [](thread_group& all) -> std::string {
              thread_group twin = all.dup();
              const std::vector<rank_t> list{4, 1, 2};
              thread_group some = all.subset(list);
              const std::vector<std::int64_t> colors{0, 1, 0, 1, 0}, keys{5, 4, 3, 2, 1};
              thread_group half = all.split(colors, keys);
              const bool is_member = all.rank() == 4 || all.rank() == 1 || all.rank() == 2;
              if (some.empty() == is_member) return "subset";
              if (!some.empty() && list[static_cast<std::size_t>(some.rank())] != all.rank()) return "rank in subset";
              if (half.ranks() != (all.rank() % 2 == 0 ? 3 : 2)) return "split";
              if (half.rank() != (half.ranks() - 1) - all.rank() / 2) return "rank in split";
              for (thread_group* one : {&twin, &some, &half, &all})
                  if (const std::string wrong = one->empty() ? "" : sum_of(*one); !wrong.empty()) return wrong;
              return "";
          }) == "");
}

TEST_CASE("group: a prepared operation is started often, and reports its end once per start") {
    CHECK(faults_of(3, by_ring(), [](thread_group& all) -> std::string {
              std::vector<std::int64_t> values(5, 1);
              auto prepared = all.prepare(calls::allreduce(values, std::plus<>()));
              int ends = 0;
              prepared.on_end([](void* count, const run_status&) { ++*static_cast<int*>(count); }, &ends);
              for (std::int64_t i = 1, expected = 3; i <= 20; ++i, expected *= 3) {
                  prepared.start();
                  while (prepared.test().running()) {}
                  if (!prepared.result().ok() || values[4] != expected) return "round " + std::to_string(i);
              }
              return ends == 20 ? "" : std::to_string(ends) + " ends";
          }) == "");
}
