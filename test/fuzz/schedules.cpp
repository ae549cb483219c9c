// Random schedules, and those of the library with a few edges changed. A schedule that verify accepts must run correctly over an
// adversarial network, and is the same after writing and reading. A plan must reject any other schedule, or its run must end.

#include <deque>
#include <iterator>
#include <string>
#include <vector>

#include "collsched/execute/mock_network/mock_run.hpp"
#include "collsched/format/schedules/read_json_lines.hpp"
#include "collsched/format/schedules/write_json_lines.hpp"
#include "collsched/verify.hpp"
#include "input.hpp"
#include "support/real_bytes.hpp"
#include "support/registry.hpp"
#include "support/samples.hpp"

using namespace collsched;

namespace {

constexpr step_t most_steps = 6;

buffer any_buffer(fuzz::source& from) { return static_cast<buffer>(from.below(3)); }

contract any_contract(fuzz::source& from) {
    contract made{.collective =
                      static_cast<collective>(from.below(static_cast<std::int64_t>(collective::neighbor_allgather)))};
    made.ranks = 1 + from.below(5);
    if (is_rooted(made.collective)) made.root = from.below(made.ranks);
    if (reduces(made.collective)) {
        made.commutative = from.flag();
        made.element = 1 + 3 * from.below(2);
    }
    if (made.collective == collective::alltoall) made.blocks = block_matrix(from.below(5));
    else if (moves_blocks(made.collective)) made.blocks = block_layout(made.element * from.below(5));
    else if (made.collective != collective::barrier) made.bytes = made.element * from.below(9);
    return made;
}

edge any_edge(fuzz::source& from, rank_t ranks, step_t steps) {
    edge e{.step = from.below(steps), .src = from.below(ranks), .dst = from.below(ranks)};
    e.from = any_buffer(from), e.into = any_buffer(from);
    e.from_offset = from.below(20), e.into_offset = from.below(20), e.size = from.below(10);
    e.action = static_cast<action>(from.below(3));
    return e;
}

void change(edge& e, fuzz::source& from, rank_t ranks, step_t steps) {
    switch (from.below(9)) {
        case 0: e.step = from.below(steps); break;
        case 1: e.src = from.below(ranks); break;
        case 2: e.dst = from.below(ranks); break;
        case 3: e.from = any_buffer(from); break;
        case 4: e.into = any_buffer(from); break;
        case 5: e.from_offset = from.below(40); break;
        case 6: e.into_offset = from.below(40); break;
        case 7: e.size = from.below(40); break;
        default: e.action = static_cast<action>(from.below(3));
    }
}

owned_array<bytes_t> sizes(fuzz::source& from, rank_t ranks) {
    owned_array<bytes_t> made(ranks);
    for (bytes_t& size : made) size = from.below(24);
    return made;
}

stored_schedule at_random(fuzz::source& from) {
    const contract contract = any_contract(from);
    const step_t steps = 1 + from.below(most_steps);
    owned_array<bytes_t> scratch = sizes(from, contract.ranks), staging = sizes(from, contract.ranks);
    std::vector<edge> edges;
    while (!from.empty() && edges.size() < 40) edges.push_back(any_edge(from, contract.ranks, steps));
    return {contract, steps, {from.below(3)}, std::move(scratch), std::move(staging), owned_array<edge>(edges), 1};
}

stored_schedule changed(fuzz::source& from) {
    const auto all = compiled::registry();
    const algorithm_entry& entry = all[static_cast<std::size_t>(from.below(std::ssize(all)))];
    shape wanted{.ranks = 1 + from.below(6)};
    wanted.root = entry.takes(&shape::root) ? from.below(wanted.ranks) : 0;
    wanted.element = reduces(entry.info.collective) ? 1 + 3 * from.below(2) : 1;
    wanted.block = wanted.element * from.below(5);
    wanted.bytes = wanted.element * from.below(12);
    if (has_neighbors(entry.info.collective))
        return stored_schedule(argument_error{"ranks", wanted.ranks, "no neighborhood"});
    const any_schedule made = entry.make(wanted);
    if (const argument_error error = made.check()) return stored_schedule(error);
    const stored_schedule whole = materialize(made);
    if (from.empty() || whole.steps() == 0) return whole;
    std::vector<edge> edges(whole.edges().begin(), whole.edges().end());
    for (std::int64_t times = from.below(4); times > 0 && !edges.empty(); --times) {
        const auto at = static_cast<std::size_t>(from.below(256)) % edges.size();
        if (from.below(4) == 0) edges.erase(edges.begin() + static_cast<std::ptrdiff_t>(at));
        else change(edges[at], from, whole.ranks, whole.steps());
    }
    owned_array<bytes_t> scratch(whole.ranks), staging(whole.ranks);
    for (rank_t r = 0; r < whole.ranks; ++r) scratch[r] = whole.scratch(r), staging[r] = whole.staging(r);
    return {whole.contract(),
            whole.steps(),
            whole.pacing(),
            std::move(scratch),
            std::move(staging),
            owned_array<edge>(edges),
            1};
}

/// Runs all ranks over one network. Returns "" if all are done with correct bytes.
std::string run(const stored_schedule& s, binding how, fuzz::source& from, const reduction& op) {
    mock_network network(s.ranks, {.seed = static_cast<std::uint64_t>(from.below(256)),
                                   .eager = from.flag(),
                                   .at_once = from.flag(),
                                   .reorder = from.flag(),
                                   .delay = from.below(3),
                                   .pair_window = from.below(3),
                                   .rank_window = from.below(3)});
    const contract contract = s.contract();
    std::deque<support::real_bytes> bytes;
    std::vector<rank_memory> memory;
    for (rank_t r = 0; r < s.ranks; ++r) memory.push_back(bytes.emplace_back(contract, r, how).memory());
    mock_network::group all(network, s, memory, how);
    all.start(op);
    const bool ended = take_turns(network, all.runs());
    if (const run_status end = all.outcome(); end.failed() || !ended)
        return "error " + std::to_string(end.error) + " in step " + std::to_string(end.step);
    for (const support::real_bytes& one : bytes)
        if (const std::string fault = one.wrong(); !fault.empty()) return fault;
    return "";
}

void try_binding(const stored_schedule& s, binding how, fuzz::source& from) {
    const verdict found = verify(s, how);
    contract contract = s.contract();
    if (found.ok()) {
        const std::string fault = run(s, how, from, support::operation(contract));
        fuzz::expect(fault.empty(), "verified, and yet " + fault);
        return;
    }
    // A plan rejects invalid edges. A run of any other schedule may end in any way. Elements need not be whole here.
    contract.element = 1;
    fuzz::try_to([&] { (void)run(s, how, from, support::operation(contract)); });
}

void write_and_read(const stored_schedule& s) {
    std::string text;
    write_json_lines(std::back_inserter(text), s, std::string(name_of(s.contract().collective)) + "/fuzz");
    const stored_schedule again = read_json_lines(text_file{"input", text}).second;
    fuzz::expect(again.edges().size() == s.edges().size(), "other edges after writing and reading");
    for (std::size_t i = 0; i < s.edges().size(); ++i)
        fuzz::expect(again.edges()[i] == s.edges()[i], "another edge after writing and reading");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::source from({data, size});
    const stored_schedule s = from.flag() ? at_random(from) : changed(from);
    if (s.check()) return 0;
    for (const binding how : support::bindings(s.contract())) try_binding(s, how, from);
    write_and_read(s);
    return 0;
}
