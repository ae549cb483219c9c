// Includes every umbrella and uses what is a template, for strict_warnings.py: compiled and not linked.

#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <collsched/collective.hpp>
#include <collsched/combine.hpp>
#include <collsched/core.hpp>
#include <collsched/cost.hpp>
#include <collsched/execute.hpp>
#include <collsched/format.hpp>
#include <collsched/group.hpp>
#include <collsched/range_v3.hpp>
#include <collsched/schedule.hpp>
#include <collsched/select.hpp>
#include <collsched/simulate.hpp>
#include <collsched/topology.hpp>
#include <collsched/tree.hpp>
#include <collsched/verify.hpp>

using namespace collsched;

static_assert(proved<verify(allgather::bruck{.ranks = 5, .block = 6})>);

static void write_all(const stored_schedule& s) {
    std::string text;
    const auto out = std::back_inserter(text);
    write_text(out, s, "name");
    write_json_lines(out, s, "name");
    write_goal(out, goal_program(execution_graph(s)));
}

template <algorithm A>
static int use(const A& a) {
    int edges_of_0 = 0;
    for (const edge& e : program(a, 0)) edges_of_0 += e.is_local() ? 0 : 1;
    const stored_schedule stored = materialize(a);
    write_all(stored);
    const any_schedule any(stored);
    std::vector<std::vector<std::byte>> in, out;
    std::vector<rank_memory> memory;
    for (rank_t r = 0; r < a.ranks; ++r) {
        in.emplace_back(static_cast<std::size_t>(stored.contract().input_bytes(r)));
        out.emplace_back(static_cast<std::size_t>(stored.contract().output_bytes(r)));
    }
    for (std::size_t r = 0; r < in.size(); ++r) memory.push_back({in[r], out[r]});
    const bool good = verify(a).ok() && run_threads(a, memory).done() && run_inline(any, memory).done() &&
                      run_mock(a, memory, {.seed = 7}).front().done();
    return good && flat_plan(plan(a, 0)).view().nodes_count > 0 ? edges_of_0 : -1;
}

// Every algorithm of the library is instantiated.
static bool can_choose() {
    const choice::request request{.collective = collective::allreduce,
                                  .parameters = {.ranks = 8, .bytes = 4096, .element = 8}};
    return !choose(request, registry::complete::entries, simulated_price(loggp_model{})).candidates.empty();
}

static bool can_run_groups() {
    const choice_policy two[] = {policies::built_in(registry::complete::entries), policies::named(allgather::ring{})};
    const choice_policy canonical = policies::of_class(association_class::canonical, two[0], two[1]);
    return run_threads(2, {.policy = canonical}, [](auto& all) {
               std::vector<double> values(3);
               const bool summed = all.allreduce(values, std::plus<>()).ok();
               return summed && all.start(calls::allgather(values)).wait_for(std::chrono::seconds(1)).ok() ? 0 : 1;
           }) == 0;
}

int main() {
    if (!can_choose() || !can_run_groups()) return 1;
    return use(allgather::ring{.ranks = 4, .block = 6}) + use(allgather::bruck{.ranks = 5, .block = 6}) +
           use(broadcast::over_tree<trees::binomial>{.ranks = 5, .bytes = 6}) +
           use(alltoall::pairwise{.ranks = 4, .block = 6}) + use(barrier::dissemination{.ranks = 4});
}
