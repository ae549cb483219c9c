#include "plans.hpp"

#include <algorithm>

#include "bits.hpp"
#include "collsched/group/rank_exchange.hpp"
#include "given_cluster.hpp"
#include "own_reduction.hpp"

namespace collsched::preload {

namespace {

/// Returns the sizes of a call for an algorithm of the library.
shape sizes_of(const prepared_plan& one) {
    const call_sizes& how = one.mine.how;
    shape sizes{.ranks = how.ranks, .root = how.root, .element = one.mine.element, .segment = shape::as_it_is};
    switch (how.what) {
        case function::allgatherv:
        case function::reduce_scatter: sizes.block = block_layout(std::span<const bytes_t>(one.numbers)); break;
        case function::reduce_scatter_block: sizes.block = how.bytes / how.ranks; break;
        case function::scatter:
        case function::gather:
        case function::allgather:
        case function::alltoall: sizes.block = how.bytes; break;
        default: sizes.bytes = how.bytes; break;
    }
    return sizes;
}

/// Returns the request for a schedule of the call. A pair of ranks has at most one message per step. The rank's own
/// arguments would give a tighter limit, but not the same one on all ranks.
choice::request request_of(const prepared_plan& one, const place_of_plan& at) {
    const call_sizes& how = one.mine.how;
    choice::request request{.collective = collective_of(how.what), .parameters = sizes_of(one)};
    request.parameters.placement = at.cluster == nullptr ? at.where : at.cluster->groups;
    if (at.cluster != nullptr) request.parameters.cluster = at.cluster->model;
    request.has_cluster = at.cluster != nullptr;
    request.ranks_per_node = at.where.ranks_per_node();
    request.keeps_order = !how.commutative;
    request.bits = wanted_bits(how.what);
    request.class_of = class_of_any_length;
    request.step_limit = at.messages_a_pair;
    return request;
}

/// Returns the pattern of the messages of an algorithm with so many steps. Lengths take no part, except by the number of
/// segments.
std::uint32_t pattern_of(const prepared_plan& one, step_t steps) {
    const call_sizes& how = one.mine.how;
    const char* const name = one.chosen.entry == nullptr ? "exchange" : one.chosen.entry->info.name;
    std::uint64_t hash = fingerprint_of(name, std::int64_t{static_cast<std::uint8_t>(how.what)}, std::int64_t{how.root},
                                        std::int64_t{steps});
    for (const decision::free_parameter& parameter : free_parameters)
        if (parameter.value != &shape::segment)
            hash = fingerprint_of("parameter", hash, std::int64_t{one.chosen.parameters.*parameter.value});
    return static_cast<std::uint32_t>(hash >> 33);
}

void plan_exchange(prepared_plan& one, int rank) {
    std::vector<rank_exchange::block> blocks(static_cast<std::size_t>(one.mine.how.ranks));
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::int64_t* of_rank = one.numbers.data() + 4 * i;
        blocks[i] = {of_rank[0], of_rank[1], of_rank[2], of_rank[3]};
    }
    const step_t window = one.mine.how.ranks <= 32 ? 0 : 8;  // with many ranks, only some steps at a time
    one.steps = plan(rank_exchange{one.mine.how.ranks, rank, blocks, window}, rank);
    one.pattern = pattern_of(one, 0);
}

/// Returns whether own_reduction is the rank's part of the chosen algorithm. In place its operand would be overwritten,
/// and over shared memory the message is combined as it arrives.
bool is_own_reduction(const prepared_plan& one, bool shared) {
    return !shared && one.mine.how.what == function::reduce && one.mine.how.ranks == 2 &&
           one.mine.place == binding::separate && one.chosen.entry->info.name == std::string_view("linear");
}

void make_plan(prepared_plan& one, const place_of_plan& at) {
    selection made = select_schedule(one.mine.how.what, request_of(one, at), {at.by_info, at.cluster});
    one.native = made.native;
    one.chosen = std::move(made.chosen);
    if (one.native) return;
    if (!one.chosen.schedule) return plan_exchange(one, at.rank);
    if (is_own_reduction(one, at.shared))
        one.steps = plan(own_reduction{2, one.mine.how.root, one.mine.how.bytes, one.mine.element}, at.rank);
    else one.steps = plan(*one.chosen.schedule, at.rank, one.mine.place);
    one.pattern = pattern_of(one, one.chosen.schedule->steps());
    if (one.chosen.entry->takes(&shape::placement)) one.nodes = one.chosen.parameters.placement.nodes();
    one.chosen.schedule.reset();  // its memory may be that of all pairs of ranks
    one.chosen.parameters = {};
}

}  // namespace

bool call_to_plan::is_of(const call_to_plan& other) const {
    const call_sizes &a = key.how, &b = other.key.how;
    return a.what == b.what && a.bytes == b.bytes && a.root == b.root && a.commutative == b.commutative &&
           key.element == other.key.element && key.place == other.key.place &&
           std::ranges::equal(numbers, other.numbers);
}

std::uint64_t call_to_plan::hash() const {
    const call_sizes& how = key.how;
    std::uint64_t hash = fingerprint_of("call", std::int64_t{static_cast<std::uint8_t>(how.what)}, how.bytes, how.root,
                                        how.commutative, key.element, std::int64_t{key.place == binding::in_place});
    for (const std::int64_t one : numbers) hash = fingerprint_of("number", hash, one);
    return hash;
}

bytes_t bytes_of_report(const prepared_plan& one) {
    if (!knows_own_counts_alone(one.mine.how.what)) return one.mine.how.bytes;
    bytes_t sent = 0;
    for (std::size_t i = 1; i < one.numbers.size(); i += 4) sent += one.numbers[i];
    return sent;
}

constinit ::collsched::plan_cache<plan_store::shared_plan>::budget plan_store::all_plans{bytes_t{64} << 20};

plan_store::plan_store() : plans_(all_plans) {}

/// An execution has about as much memory per operation as its node.
bytes_t plan_store::shared_plan::footprint() const {
    const auto nodes = static_cast<bytes_t>(plan->steps.nodes().size());
    return static_cast<bytes_t>(sizeof(prepared_plan) + std::span(plan->numbers).size_bytes()) +
           plan->steps.footprint() + nodes * static_cast<bytes_t>(sizeof(plan::node) + 4 * sizeof(std::int64_t));
}

const std::shared_ptr<prepared_plan>& plan_store::prepare(const call_to_plan& call, const place_of_plan& at) {
    if (const auto* const found = plans_.find(call)) return found->plan;
    auto made = std::make_shared<prepared_plan>();
    made->mine = call.key;
    made->numbers.assign(call.numbers.begin(), call.numbers.end());
    make_plan(*made, at);
    return plans_.add({.key = {call.key, made->numbers}, .plan = made}).plan;
}

}  // namespace collsched::preload
