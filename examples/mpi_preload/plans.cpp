#include "plans.hpp"

#include <algorithm>
#include <atomic>

#include "bits.hpp"
#include "collsched/group/own_exchange.hpp"
#include "own_reduction.hpp"

namespace collsched::preload {

namespace {

bool same(const prepared_plan::key& a, const prepared_plan::key& b) {
    return a.how.what == b.how.what && a.how.bytes == b.how.bytes && a.how.root == b.how.root &&
           a.how.commutative == b.how.commutative && a.element == b.element && a.place == b.place;
}

bool same(const prepared_plan& one, const call_to_plan& call) {
    return same(one.mine, call.key) && std::ranges::equal(one.numbers, call.numbers);
}

std::uint64_t hash_of(const call_to_plan& call) {
    const decision& how = call.key.how;
    std::uint64_t hash =
        fingerprint_of("call", std::int64_t{static_cast<std::uint8_t>(how.what)}, how.bytes, how.root, how.commutative,
                       call.key.element, std::int64_t{call.key.place == binding::in_place});
    for (const std::int64_t one : call.numbers) hash = fingerprint_of("number", hash, one);
    return hash;
}

/// Returns the memory of a plan, without that of its allocations' bookkeeping.
bytes_t memory_of(const prepared_plan& one) {
    const auto bytes = [](const auto& part) { return static_cast<bytes_t>(part.size_bytes()); };
    const plan& steps = one.steps;
    const auto nodes = static_cast<bytes_t>(steps.nodes().size());
    // An execution has about as much memory per operation as its node.
    return static_cast<bytes_t>(sizeof one) + bytes(std::span(one.numbers)) + bytes(steps.edges()) +
           2 * bytes(steps.nodes()) + bytes(steps.sent()) + bytes(steps.received()) +
           4 * nodes * static_cast<bytes_t>(sizeof(std::int64_t));
}

/// Adjusts the segment size to whole elements, at least one. The reported choice is the one that runs.
void fit_segment(prepared_plan& one) {
    bytes_t& segment = one.chosen.parameters.segment;
    if (segment > 0) segment = std::max(segment - segment % one.mine.element, one.mine.element);
}

/// Returns the shape for an algorithm of the library.
shape shape_of(const prepared_plan& one) {
    const decision& how = one.mine.how;
    shape call_key = one.chosen.parameters;
    call_key.ranks = how.ranks;
    call_key.root = how.root;
    call_key.bytes = how.bytes;
    call_key.element = one.mine.element;
    switch (how.what) {
        case function::allgatherv:
        case function::reduce_scatter: call_key.block = block_layout(std::span<const bytes_t>(one.numbers)); break;
        case function::reduce_scatter_block: call_key.block = how.bytes / how.ranks; break;
        case function::scatter:
        case function::gather:
        case function::allgather:
        case function::alltoall: call_key.block = how.bytes; break;
        default: break;
    }
    return call_key;
}

void make_native(prepared_plan& one, const argument_error& wrong) {
    one.chosen.native = true;
    one.chosen.why = std::string(one.chosen.algorithm->info.name) + " fails with " + wrong.text().c_str();
}

/// Returns the pattern of the messages of an algorithm with so many steps. Lengths take no part, except by the number of
/// segments.
std::uint32_t pattern_of(const prepared_plan& one, step_t steps) {
    const decision& how = one.mine.how;
    const char* const name = one.chosen.algorithm == nullptr ? "exchange" : one.chosen.algorithm->info.name;
    std::uint64_t hash = fingerprint_of(name, std::int64_t{static_cast<std::uint8_t>(how.what)}, std::int64_t{how.root},
                                        std::int64_t{steps});
    for (const free_parameter& parameter : free_parameters)
        if (parameter.value != &shape::segment)
            hash = fingerprint_of("parameter", hash, std::int64_t{one.chosen.parameters.*parameter.value});
    return static_cast<std::uint32_t>(hash >> 33);
}

void plan_exchange(prepared_plan& one, int rank) {
    std::vector<own_block> blocks(static_cast<std::size_t>(one.mine.how.ranks));
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::int64_t* of_rank = one.numbers.data() + 4 * i;
        blocks[i] = {of_rank[0], of_rank[1], of_rank[2], of_rank[3]};
    }
    const step_t window = one.mine.how.ranks <= 32 ? 0 : 8;  // with many ranks, only some steps at a time
    one.steps = plan(own_exchange{one.mine.how.ranks, rank, blocks, window}, rank);
    one.pattern = pattern_of(one, 0);
}

/// Returns whether own_reduction is the rank's part of the chosen algorithm. In place its operand would be overwritten,
/// and over shared memory the message is combined as it arrives.
bool is_own_reduction(const prepared_plan& one, bool shared) {
    return !shared && one.mine.how.what == function::reduce && one.mine.how.ranks == 2 &&
           one.mine.place == binding::separate && one.chosen.algorithm->info.name == std::string_view("linear");
}

/// Returns the first error of a schedule for a call. A pair of ranks has at most one message per step. The rank's own
/// arguments would give a tighter bound, but not the same one on all ranks.
argument_error error_of(const any_schedule& made, std::int64_t messages_a_pair) {
    if (const argument_error wrong = made.check()) return wrong;
    if (made.steps() > messages_a_pair) return {"steps", made.steps(), "no more than the MPI has tags for"};
    return {};
}

/// Returns the reason why a choice does not support the call of a plan; empty: it does.
std::string reason_against(const prepared_plan& one, const choice& tried, std::int64_t messages_a_pair) {
    prepared_plan trial{.mine = one.mine, .numbers = one.numbers, .chosen = tried, .steps = {}, .blocking = {}};
    fit_segment(trial);
    const any_schedule made = tried.algorithm->make(shape_of(trial));
    const std::string name = tried.algorithm->info.name;
    if (const argument_error wrong = error_of(made, messages_a_pair))
        return name + " fails with " + wrong.text().c_str();
    if (!one.mine.how.commutative && made.contract().commutative) return name + " does not keep the order of operands";
    return bits_against(tried, one.mine.how);
}

void make_plan(prepared_plan& one, const place_of_plan& at) {
    const auto against = [&](const choice& tried) { return reason_against(one, tried, at.messages_a_pair); };
    one.chosen = choose(one.mine.how, {at.where, at.by_info, at.cluster, against});
    if (one.chosen.native) return;
    if (one.chosen.algorithm == nullptr) return plan_exchange(one, at.rank);
    fit_segment(one);
    const any_schedule made = one.chosen.algorithm->make(shape_of(one));
    if (const argument_error wrong = error_of(made, at.messages_a_pair)) return make_native(one, wrong);
    if (is_own_reduction(one, at.shared))
        one.steps = plan(own_reduction{2, one.mine.how.root, one.mine.how.bytes, one.mine.element}, at.rank);
    else one.steps = plan(made, at.rank, one.mine.place);
    one.pattern = pattern_of(one, made.steps());
    one.chosen.parameters.cluster = {};  // its memory may be that of all pairs of ranks
}

}  // namespace

namespace {

/// Memory of the plans of all communicators together, beyond which each keeps only the one of its last call.
constexpr bytes_t most_memory = bytes_t{64} << 20;
std::atomic<bytes_t> memory_in_use = 0;

}  // namespace

plan_store::~plan_store() { clear(); }

void plan_store::clear() { trim(0); }

void plan_store::trim(bytes_t most) {
    while (memory_ > most) forget_last();
}

bytes_t bytes_of_report(const prepared_plan& one) {
    if (!knows_own_counts_alone(one.mine.how.what)) return one.mine.how.bytes;
    bytes_t sent = 0;
    for (std::size_t i = 1; i < one.numbers.size(); i += 4) sent += one.numbers[i];
    return sent;
}

const std::shared_ptr<prepared_plan>& plan_store::prepare(const call_to_plan& call, const place_of_plan& at) {
    const std::uint64_t hash = hash_of(call);
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto found = first; found != last; ++found) {
        if (!same(*found->second->plan, call)) continue;
        all_.splice(all_.begin(), all_, found->second);
        return all_.front().plan;
    }
    auto made = std::make_shared<prepared_plan>();
    made->mine = call.key;
    made->numbers.assign(call.numbers.begin(), call.numbers.end());
    make_plan(*made, at);
    const bytes_t memory = memory_of(*made);
    all_.push_front({std::move(made), hash, memory});
    by_hash_.emplace(hash, all_.begin());
    memory_in_use += memory, memory_ += memory;
    while (memory_in_use > most_memory && all_.size() > 1) forget_last();
    return all_.front().plan;
}

void plan_store::forget_last() {
    const auto last = std::prev(all_.end());
    const auto [first, end] = by_hash_.equal_range(last->hash);
    by_hash_.erase(std::find_if(first, end, [&](const auto& one) { return one.second == last; }));
    memory_in_use -= last->memory, memory_ -= last->memory;
    all_.erase(last);
}

}  // namespace collsched::preload
