#include "communicator.hpp"

#include <algorithm>
#include <cstring>

#include "blocking_call.hpp"
#include "collsched/collective/barrier/dissemination.hpp"
#include "environment.hpp"
#include "nodes.hpp"
#include "own_exchange.hpp"
#include "own_reduction.hpp"
#include "progress.hpp"

namespace collsched::preload {

namespace {

using holder = std::shared_ptr<communicator>;

/// Largest number of plans that are kept.
constexpr std::size_t most_plans = 64;

/// The communicator of the last call, since programs use the same one repeatedly. Only in programs with one thread.
MPI_Comm last_comm = MPI_COMM_NULL;
communicator* last_found = nullptr;

/// Runs f while errors of this communicator are returned instead of raised.
template <class F>
void quietly(MPI_Comm comm, F f) {
    MPI_Errhandler programs = MPI_ERRHANDLER_NULL;
    PMPI_Comm_get_errhandler(comm, &programs);
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    f();
    PMPI_Comm_set_errhandler(comm, programs);
    if (programs != MPI_ERRHANDLER_NULL) PMPI_Errhandler_free(&programs);
}

}  // namespace

communicator* communicator::of(MPI_Comm comm) {
    const environment& all = the_environment();
    if (comm == last_comm) return last_found;
    void* value = nullptr;
    int found = 0;
    const int error = PMPI_Comm_get_attr(comm, all.keyval, static_cast<void*>(&value), &found);
    if (error != MPI_SUCCESS || found == 0) return nullptr;
    communicator* const one = static_cast<holder*>(value)->get();
    if (!all.threaded) last_comm = comm, last_found = one;
    return one;
}

communicator* communicator::attach(MPI_Comm comm, const char* only_native) {
    auto made = std::make_shared<communicator>(comm, only_native);
    auto* kept = new holder(made);
    if (PMPI_Comm_set_attr(comm, the_environment().keyval, kept) == MPI_SUCCESS) return made.get();
    delete kept;
    return nullptr;
}

void communicator::detach(MPI_Comm comm) {
    if (of(comm) != nullptr) PMPI_Comm_delete_attr(comm, the_environment().keyval);
}

/// Releases the state of a communicator when its attribute is deleted; operations in flight may outlive it. MPI calls
/// this function and may hold locks, so it takes none.
int forget(MPI_Comm, int, void* value, void*) {
    auto* kept = static_cast<holder*>(value);
    if (kept->get() == last_found) last_comm = MPI_COMM_NULL, last_found = nullptr;
    (*kept)->programs_ = MPI_COMM_NULL;
    delete kept;
    return MPI_SUCCESS;
}

communicator::communicator(MPI_Comm comm, const char* only_native)
    : programs_(comm), only_native_(only_native), blocking_(std::make_unique<blocking_calls>(*this)) {
    int inter = 0;
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_size(comm, &size_);
    PMPI_Comm_rank(comm, &rank_);
    if (inter != 0) only_native_ = "an intercommunicator";
    if (only_native_ != nullptr) return;
    if (size_ == 1) {
        transport_.emplace(the_environment().self, channels, 1);  // transports no messages
        return;
    }
    // MPI_Comm_dup would call the program's attribute copy functions.
    quietly(comm, [&] {
        MPI_Group all = MPI_GROUP_NULL;
        PMPI_Comm_group(comm, &all);
        if (PMPI_Comm_create(comm, all, &own_) != MPI_SUCCESS) own_ = MPI_COMM_NULL;
        PMPI_Group_free(&all);
    });
    if (own_ == MPI_COMM_NULL) {
        only_native_ = "no communicator is left";
        return;
    }
    PMPI_Comm_set_errhandler(own_, MPI_ERRORS_RETURN);
    transport_.emplace(own_, channels, 1);  // ranks may start a plan different numbers of times
}

void communicator::prefer(const wishes& given) {
    const guard hold;
    if (preferred_ == nullptr) preferred_ = std::make_unique<wishes>();
    for (std::size_t f = 0; f < given.size(); ++f)
        if (given[f].given) (*preferred_)[f] = given[f];
    blocking_ = std::make_unique<blocking_calls>(*this);
    plans_.clear();
}

const topology::placement& communicator::where() {
    if (!where_) {
        const MPI_Comm same = size_ > 1 ? own_ : programs_.load();
        where_ = same == MPI_COMM_NULL || only_native_ != nullptr ? topology::placement{} : placement_of(same);
    }
    return *where_;
}

communicator::~communicator() {
    blocking_.reset();
    plans_.clear();
    int finalized = 0;
    PMPI_Finalized(&finalized);
    if (own_ != MPI_COMM_NULL && finalized == 0) PMPI_Comm_free(&own_);
}

namespace {

bool same(const prepared_plan::key& a, const prepared_plan::key& b) {
    return a.how.what == b.how.what && a.how.bytes == b.how.bytes && a.how.root == b.how.root &&
           a.how.commutative == b.how.commutative && a.element == b.element && a.place == b.place;
}

bool same(const std::vector<std::int64_t>& a, const std::int64_t* numbers, std::size_t count) {
    return a.size() == count && std::equal(a.begin(), a.end(), numbers);
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

void plan_exchange(prepared_plan& one, int rank) {
    std::vector<own_block> blocks(static_cast<std::size_t>(one.mine.how.ranks));
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::int64_t* of_rank = one.numbers.data() + 4 * i;
        blocks[i] = {of_rank[0], of_rank[1], of_rank[2], of_rank[3]};
    }
    const step_t window = one.mine.how.ranks <= 32 ? 0 : 8;  // with many ranks, only some steps at a time
    one.steps = plan(own_exchange{one.mine.how.ranks, rank, blocks, window}, rank);
}

/// Returns whether own_reduction is the rank's part of the chosen algorithm. In place its operand would be overwritten.
bool is_own_reduction(const prepared_plan& one) {
    return one.mine.how.what == function::reduce && one.mine.how.ranks == 2 && one.mine.place == binding::separate &&
           one.chosen.algorithm->info.name == std::string_view("linear");
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
    return {};
}

void make_plan(prepared_plan& one, const selection_input& from, int rank, std::int64_t messages_a_pair) {
    one.chosen = choose(one.mine.how, from);
    if (one.chosen.native) return;
    if (one.chosen.algorithm == nullptr) return plan_exchange(one, rank);
    fit_segment(one);
    const any_schedule made = one.chosen.algorithm->make(shape_of(one));
    if (const argument_error wrong = error_of(made, messages_a_pair)) return make_native(one, wrong);
    if (is_own_reduction(one))
        one.steps = plan(own_reduction{2, one.mine.how.root, one.mine.how.bytes, one.mine.element}, rank);
    else one.steps = plan(made, rank, one.mine.place);
}

}  // namespace

bytes_t bytes_of_report(const prepared_plan& one) {
    if (!knows_own_counts_alone(one.mine.how.what)) return one.mine.how.bytes;
    bytes_t sent = 0;
    for (std::size_t i = 1; i < one.numbers.size(); i += 4) sent += one.numbers[i];
    return sent;
}

const std::shared_ptr<prepared_plan>* communicator::find(const prepared_plan::key& call_key,
                                                         const std::int64_t* numbers, std::size_t count) {
    for (std::size_t i = 0; i < plans_.size(); ++i) {
        if (!same(plans_[i]->mine, call_key) || !same(plans_[i]->numbers, numbers, count)) continue;
        if (i > 0)
            std::rotate(plans_.begin(), plans_.begin() + static_cast<std::ptrdiff_t>(i),
                        plans_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        return &plans_.front();
    }
    return nullptr;
}

const std::shared_ptr<prepared_plan>& communicator::prepare(const prepared_plan::key& call_key,
                                                            const std::int64_t* numbers, std::size_t count) {
    if (const std::shared_ptr<prepared_plan>* known = find(call_key, numbers, count)) return *known;
    auto made = std::make_shared<prepared_plan>();
    made->mine = call_key;
    made->numbers.assign(numbers, numbers + count);
    const std::int64_t most_messages = transport().messages_a_pair();
    const auto against = [&](const choice& tried) { return reason_against(*made, tried, most_messages); };
    make_plan(*made, {where(), preferred(), against}, rank_, most_messages);
    if (plans_.size() == most_plans) plans_.pop_back();
    plans_.push_front(made);
    return plans_.front();
}

int communicator::meet() {
    const auto driven = [this] {
        return complete([this](MPI_Request* request) { return PMPI_Ibarrier(programs_, request); });
    };
    if (only_native_ != nullptr) return programs_ == MPI_COMM_NULL ? MPI_SUCCESS : driven();
    guard hold;
    // Two threads may be here with two windows; the second one enters its function without a meeting.
    if (size_ == 1 || meeting_now_) return MPI_SUCCESS;
    meeting_now_ = true;
    if (!meeting_) meeting_.emplace(barrier::dissemination{.ranks = size_}, rank_);
    execution<mpi_transport> run(*meeting_, transport(), {.channel = meetings, .compare = false});
    run.start({}, {});
    patience left;
    while (run.progress().state == run_state::running) {
        preload::progress();
        hold.pause();
        left.lose();
    }
    meeting_now_ = false;
    return run.state().failed() ? std::max(run.state().error, 1) : MPI_SUCCESS;
}

void communicator::add(operation& one) {
    running_.push_back(&one);
    the_environment().in_flight.fetch_add(1, std::memory_order_release);
    watch(*this);
    progress();
}

void communicator::progress() {
    for (operation* one : running_)
        if (!one->started && one->startable()) one->started = true, one->start();
    // Any running operation has received all completions of the transport, including those of others.
    for (operation* one : running_)
        if (one->started && !one->ended() && !one->advance()) break;
    std::vector<operation*> ended;
    std::erase_if(running_, [&](operation* one) {
        if (!one->started || !one->ended()) return false;
        ended.push_back(one);
        return true;
    });
    for (operation* one : ended) {
        the_environment().in_flight.fetch_sub(1, std::memory_order_release);
        one->complete(one->finish());
    }
}

}  // namespace collsched::preload
