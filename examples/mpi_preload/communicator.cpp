#include "communicator.hpp"

#include <algorithm>
#include <cstring>

#include "blocking_call.hpp"
#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/collective/barrier/dissemination.hpp"
#include "collsched/execute/reduce_with.hpp"
#include "environment.hpp"
#include "meetings.hpp"
#include "nodes.hpp"
#include "progress.hpp"

namespace collsched::preload {

namespace {

using holder = std::shared_ptr<communicator>;

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

communicator* communicator::attach(MPI_Comm comm, const char* only_native, private_communicator own) {
    auto made = std::make_shared<communicator>(comm, only_native, own);
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

communicator::communicator(MPI_Comm comm, const char* only_native, private_communicator own)
    : programs_(comm), own_(own), only_native_(only_native), blocking_(std::make_unique<blocking_calls>(*this)) {
    int inter = 0;
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_size(comm, &size_);
    PMPI_Comm_rank(comm, &rank_);
    if (inter != 0) only_native_ = "an intercommunicator";
    if (only_native_ != nullptr) return;
    if (size_ == 1) {
        transport_.emplace(the_environment().self, channels, 1);  // transports no messages
        blocking_way_ = way();
        return;
    }
    quietly(comm, [&] { own_.make(comm); });
    if (own_.comm == MPI_COMM_NULL) {
        only_native_ = "no communicator is left";
        return;
    }
    transport_.emplace(own_.comm, channels, 1);  // ranks may start a plan different numbers of times
    node_ = node_of(own_.comm);
    blocking_way_ = way();
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
        const MPI_Comm same = size_ > 1 ? own_.comm : programs_.load();
        where_ = same == MPI_COMM_NULL || only_native_ != nullptr ? topology::placement{} : placement_of(same);
    }
    return *where_;
}

communicator::~communicator() {
    blocking_.reset();
    own_.give_back(failed_);
}

const std::shared_ptr<prepared_plan>& communicator::prepare(const prepared_plan::key& call_key,
                                                            const std::int64_t* numbers, std::size_t count) {
    return plans_.prepare({call_key, {numbers, count}}, {.where = where(),
                                                         .by_info = preferred(),
                                                         .rank = rank_,
                                                         .messages_a_pair = transport_->messages_a_pair(),
                                                         .shared = node_.has_value()});
}

int communicator::drive_to_end(execution<route>& run, guard& hold) {
    patience left;
    while (run.progress().state == run_state::running) {
        preload::progress();
        hold.pause();
        left.lose();
    }
    if (!run.state().failed()) return MPI_SUCCESS;
    note_failure();
    return std::max(run.state().error, 1);
}

int communicator::meet() {
    if (only_native_ != nullptr) return programs_ == MPI_COMM_NULL ? MPI_SUCCESS : meet_by_mpi(programs_);
    guard hold;
    // Two threads may be here with two windows; the second one enters its function without a meeting.
    if (size_ == 1 || meeting_now_) return MPI_SUCCESS;
    meeting_now_ = true;
    if (!meeting_) meeting_.emplace(barrier::dissemination{.ranks = size_}, rank_);
    route over = way();
    over.restart(++meetings_);
    execution<route> run(*meeting_, over, {.channel = meetings, .compare = false});
    run.start({}, {});
    const int error = drive_to_end(run, hold);
    meeting_now_ = false;
    return error;
}

bool communicator::agree(agreed_numbers& maxima) {
    guard hold;
    constexpr auto size = static_cast<bytes_t>(sizeof maxima);
    if (!agreement_)
        agreement_.emplace(allreduce::recursive_doubling{.ranks = size_, .bytes = size, .element = sizeof maxima[0]},
                           rank_);
    const agreed_numbers mine = maxima;
    std::vector<std::byte> scratch(static_cast<std::size_t>(agreement_->scratch_bytes())),
        staging(static_cast<std::size_t>(agreement_->staging_bytes()));
    auto largest = reduce_with<long>([](long a, long b) { return std::max(a, b); });
    route over = way();
    over.restart(++agreed_);
    execution<route> run(*agreement_, over, {.channel = agreements, .compare = false});
    run.start({reinterpret_cast<const std::byte*>(mine.data()), reinterpret_cast<std::byte*>(maxima.data()),
               scratch.data(), staging.data()},
              largest);
    return drive_to_end(run, hold) == MPI_SUCCESS;
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
