#include "communicator_state.hpp"

#include <algorithm>
#include <utility>

#include "blocking_call.hpp"
#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/collective/barrier/dissemination.hpp"
#include "collsched/execute/reduce_with.hpp"
#include "environment.hpp"
#include "given_cluster.hpp"
#include "meetings.hpp"
#include "nodes.hpp"
#include "progress.hpp"
#include "repeated_exchange.hpp"

namespace collsched::preload {

namespace {

using holder = std::shared_ptr<communicator_state>;

/// The communicator of the last call, since programs use the same one repeatedly. Only in programs with one thread.
MPI_Comm last_comm = MPI_COMM_NULL;
communicator_state* last_found = nullptr;

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

communicator_state* communicator_state::of(MPI_Comm comm) {
    const environment& all = the_environment();
    if (comm == last_comm) return last_found;
    void* value = nullptr;
    int found = 0;
    const int error = PMPI_Comm_get_attr(comm, all.keyval, static_cast<void*>(&value), &found);
    if (error != MPI_SUCCESS || found == 0) return nullptr;
    communicator_state* const one = static_cast<holder*>(value)->get();
    if (!all.threaded) last_comm = comm, last_found = one;
    return one;
}

communicator_state* communicator_state::attach(MPI_Comm comm, std::shared_ptr<communicator_state> made) {
    auto kept = std::make_unique<holder>(std::move(made));
    (*kept)->programs_ = comm;
    if (PMPI_Comm_set_attr(comm, the_environment().keyval, kept.get()) != MPI_SUCCESS) return nullptr;
    return kept.release()->get();
}

communicator_state* communicator_state::attach(MPI_Comm comm, const char* only_native) {
    int inter = 0, size = 1;
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_size(comm, &size);
    if (inter != 0) only_native = "an intercommunicator";
    if (only_native != nullptr || size == 1)
        return attach(comm, std::make_shared<communicator_state>(comm, only_native));
    next_state next(comm);
    quietly(comm, [&] { next.decide_over(comm); });
    return attach(comm, next);
}

communicator_state* communicator_state::attach(MPI_Comm comm, next_state& next) {
    std::shared_ptr<communicator_state> made = next.take();
    if (made == nullptr) made = {new communicator_state(comm, next.number()), retire};
    return attach(comm, std::move(made));
}

void communicator_state::detach(MPI_Comm comm) {
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

communicator_state::communicator_state(MPI_Comm comm, const char* only_native)
    : programs_(comm), only_native_(only_native), blocking_(std::make_unique<blocking_calls>(*this)) {
    PMPI_Comm_size(comm, &size_);
    PMPI_Comm_rank(comm, &rank_);
    if (only_native_ != nullptr) return;
    transport_.emplace(the_environment().self, channels, 1);  // transports no messages
    blocking_way_ = way();
}

communicator_state::communicator_state(MPI_Comm comm, long number)
    : programs_(comm), number_(number), blocking_(std::make_unique<blocking_calls>(*this)) {
    PMPI_Comm_size(comm, &size_);
    PMPI_Comm_rank(comm, &rank_);
    quietly(comm, [&] { make_own(); });
    if (own_ == MPI_COMM_NULL) {
        only_native_ = "no communicator is left";
        return;
    }
    transport_.emplace(own_, channels, 1);  // ranks may start a plan different numbers of times
    node_ = node_of(own_, static_cast<std::uint64_t>(number));
    blocking_way_ = way();
}

/// MPI_Comm_dup would call the program's functions that copy attributes.
void communicator_state::make_own() {
    MPI_Group ranks = MPI_GROUP_NULL;
    PMPI_Comm_group(programs_, &ranks);
    if (PMPI_Comm_create(programs_, ranks, &own_) != MPI_SUCCESS) own_ = MPI_COMM_NULL;
    PMPI_Group_free(&ranks);
    if (own_ != MPI_COMM_NULL) PMPI_Comm_set_errhandler(own_, MPI_ERRORS_RETURN);
}

void communicator_state::prefer(const wishes& given) {
    const guard hold;
    if (preferred_ == nullptr) preferred_ = std::make_unique<wishes>();
    for (std::size_t f = 0; f < given.size(); ++f)
        if (given[f].given) (*preferred_)[f] = given[f];
    blocking_ = std::make_unique<blocking_calls>(*this);
    plans_.clear();
}

const topology::placement& communicator_state::where() {
    if (!where_) {
        const MPI_Comm same = size_ > 1 ? own_ : programs_.load();
        where_ = same == MPI_COMM_NULL || only_native_ != nullptr ? topology::placement{} : placement_of(same);
        if (where_->ranks() > 0) cluster_ = cluster_of(same);
    }
    return *where_;
}

communicator_state::~communicator_state() {
    blocking_.reset();
    if (own_ != MPI_COMM_NULL && mpi_is_up()) PMPI_Comm_free(&own_);
}

long communicator_state::history() const {
    const auto count = [](const auto& one) { return one == nullptr ? std::uint64_t{0} : one->count(); };
    return static_cast<long>(
        fingerprint_of("history", blocking_calls_, nonblocking_, persistent_, count(meeting_), count(agreement_)) >> 1);
}

bool communicator_state::rest() {
    if (failed_ || own_ == MPI_COMM_NULL || !mpi_is_up() || persistent_ > most_persistent) return false;
    constexpr bytes_t most_space = bytes_t{64} << 10, most_plans = bytes_t{1} << 20;
    if (preferred_ != nullptr) {
        preferred_.reset();
        blocking_ = std::make_unique<blocking_calls>(*this);
        plans_.clear();
    }
    space_.trim(most_space);
    plans_.trim(most_plans);
    return true;
}

const std::shared_ptr<prepared_plan>& communicator_state::prepare(const call_to_plan& call) {
    return plans_.prepare(call, {.where = where(),
                                 .by_info = preferred(),
                                 .cluster = cluster_.get(),
                                 .rank = rank_,
                                 .messages_a_pair = transport_->messages_a_pair(),
                                 .shared = node_.has_value()});
}

int communicator_state::meet() {
    if (only_native_ != nullptr) return programs_ == MPI_COMM_NULL ? MPI_SUCCESS : meet_by_mpi(programs_);
    guard hold;
    // Two threads may be here with two windows; the second one enters its function without a meeting.
    if (size_ == 1 || meeting_now_) return MPI_SUCCESS;
    meeting_now_ = true;
    if (meeting_ == nullptr)
        meeting_ =
            std::make_unique<repeated_exchange>(plan(barrier::dissemination{.ranks = size_}, rank_), way(), meetings);
    const int error = meeting_->run({}, {}, hold);
    meeting_now_ = false;
    if (error != MPI_SUCCESS) note_failure();
    return error;
}

bool communicator_state::agree(agreed_numbers& maxima) {
    guard hold;
    constexpr auto size = static_cast<bytes_t>(sizeof maxima);
    if (agreement_ == nullptr) {
        const allreduce::recursive_doubling steps{.ranks = size_, .bytes = size, .element = sizeof maxima[0]};
        agreement_ = std::make_unique<repeated_exchange>(plan(steps, rank_), way(), agreements);
    }
    const agreed_numbers mine = maxima;
    auto largest = reduce_with<long>([](long a, long b) { return std::max(a, b); });
    const int error = agreement_->run(
        {reinterpret_cast<const std::byte*>(mine.data()), reinterpret_cast<std::byte*>(maxima.data())}, largest, hold);
    if (error != MPI_SUCCESS) note_failure();
    return error == MPI_SUCCESS;
}

void communicator_state::add(operation& one) {
    running_.push_back(&one);
    the_environment().in_flight.fetch_add(1, std::memory_order_release);
    watch(*this);
    progress();
}

void communicator_state::progress() {
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
