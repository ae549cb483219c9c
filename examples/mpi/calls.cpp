#include "calls.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "bits.hpp"
#include "blocking_call.hpp"
#include "environment.hpp"
#include "progress.hpp"
#include "requests.hpp"

namespace collsched::preload {

namespace {

constexpr bytes_t unknown_bytes = -1;

/// Returns the bytes that are the same on all ranks, if known.
bytes_t bytes_of(const call_sizes& how) { return knows_own_counts_alone(how.what) ? unknown_bytes : how.bytes; }

/// Smallest amount of memory that blocking calls retain.
constexpr bytes_t kept_memory = bytes_t{64} << 20;

void report_native(function what, communicator_state& on, bytes_t bytes, const std::string& why) {
    count_call(row_of({.what = what,
                       .form = current_form(),
                       .ranks = on.size(),
                       .ranks_per_node = on.where().ranks_per_node(),
                       .bytes_from = size_class(bytes),
                       .algorithm = "native",
                       .parameters = {},
                       .reason = why}),
               bytes, true);
}

bool leave(function what, communicator_state& on, bytes_t bytes, const std::string& why) {
    const guard hold;
    count_native(what);
    if (wanted_bits(what) > association_class::any && on.size() > 1 && on.rank() == 0) warn_of_native(what, why);
    if (reporting()) report_native(what, on, bytes, why);
    if (verbose()) report(what, on.rank(), on.size(), bytes, "native: " + why);
    return false;
}

/// Passes on a blocking call for a reason that all ranks share. Ends the guard, since other threads run while ranks meet.
bool leave_together(guard& hold, communicator_state& on, function what, bytes_t bytes, const std::string& why) {
    hold.end();
    on.meet();  // its error is one that the MPI library's function finds as well
    return leave(what, on, bytes, why);
}

/// Returns the algorithm with its parameters, such as "chain:segment=4096".
std::string algorithm_of(const prepared_plan& plan) {
    return plan.chosen.entry == nullptr ? "linear" : plan.chosen.algorithm;
}

void report_taken(communicator_state& on, prepared_plan& plan) {
    const bytes_t bytes = bytes_of_report(plan);
    call_row*& row = plan.rows[static_cast<std::size_t>(current_form())];
    if (row == nullptr) {
        const std::string name = algorithm_of(plan);
        const std::size_t colon = std::min(name.find(':'), name.size());
        std::string parameters = name.substr(std::min(colon + 1, name.size()));
        std::ranges::replace(parameters, ':', ' ');
        row = &row_of({.what = plan.mine.how.what,
                       .form = current_form(),
                       .ranks = on.size(),
                       .ranks_per_node = on.where().ranks_per_node(),
                       .bytes_from = size_class(bytes),
                       .commutative = plan.mine.how.commutative ? 1 : 0,
                       .algorithm = name.substr(0, colon),
                       .parameters = parameters,
                       .reason = plan.chosen.reason});
    }
    count_call(*row, bytes, current_form() != call_form::persistent);
}

/// Counts a call that this library executes.
void take(communicator_state& on, prepared_plan& plan) {
    const call_sizes& how = plan.mine.how;
    count_ours(how.what);
    if (reporting()) report_taken(on, plan);
    if (!verbose()) return;
    std::string name = algorithm_of(plan);
    if (plan.nodes > 0)
        name.append(" on ").append(std::to_string(plan.nodes)).append(plan.nodes == 1 ? " node" : " nodes");
    report(how.what, on.rank(), on.size(), bytes_of(how), name + " (" + plan.chosen.reason + ")");
}

/// Returns whether the communicator has one rank.
bool is_alone(MPI_Comm comm) {
    int size = 0;
    return comm != MPI_COMM_NULL && mpi_is_up() && PMPI_Comm_size(comm, &size) == MPI_SUCCESS && size == 1;
}

/// Counts a call on a communicator for which this library has no state.
void leave_unknown(const arguments& call) {
    constexpr const char* why = "a communicator that was not seen being made, before its first blocking call";
    count_native(call.what);
    if (wanted_bits(call.what) > association_class::any && !is_alone(call.comm)) warn_of_native(call.what, why);
    if (reporting())
        count_call(
            row_of({.what = call.what, .form = current_form(), .algorithm = "native", .parameters = {}, .reason = why}),
            unknown_bytes, true);
    if (!verbose() || !mpi_is_up()) return;
    int rank = 0, size = 0;  // of MPI_COMM_WORLD; the MPI library's function checks the communicator
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    report(call.what, rank, size, unknown_bytes, std::string("native: ") + why);
}

/// Returns the state of the communicator, or null if there is none; then the MPI library executes the call.
communicator_state* find(const arguments& call, bool may_attach) {
    communicator_state* found = nullptr;
    if (call.comm != MPI_COMM_NULL && mpi_is_up()) {
        found = communicator_state::of(call.comm);
        if (found == nullptr && may_attach) found = communicator_state::attach(call.comm);
    }
    if (found == nullptr) leave_unknown(call);
    return found;
}

const std::shared_ptr<prepared_plan>& plan_for(communicator_state& on, const work& todo) {
    return on.prepare({todo.key, todo.numbers});
}

/// Returns whether communicator and arguments allow this library to execute the call.
bool fits(const arguments& call, communicator_state& on) {
    if (on.only_native() != nullptr) return leave(call.what, on, unknown_bytes, on.only_native());
    return acceptable(call, on.rank(), on.size()) || leave(call.what, on, unknown_bytes, "arguments that MPI refuses");
}

int raise(MPI_Comm comm, int error) {
    if (error != MPI_SUCCESS) PMPI_Comm_call_errhandler(comm, error);
    return error;
}

int run_direct(communicator_state& on, blocking_call& now, std::uint64_t number, guard& hold) {
    take(on, *now.plan);
    now.run.begin_direct();
    return now.run.finish_direct(now.direct.run(on.blocking_way(), number, wait_step(hold)));
}

int run(communicator_state& on, blocking_call& now, guard& hold) {
    prepared_plan& plan = *now.plan;
    const std::uint64_t number = on.count_blocking();
    on.blocking_way().expect(now.todo.lengths, plan.pattern);
    patience::count_call();
    if (now.direct.is_ready()) return run_direct(on, now, number, hold);
    if (moves_nothing(now.todo)) return take(on, plan), MPI_SUCCESS;
    if (!plan.blocking) plan.blocking.emplace(plan.steps, on.blocking_way(), execution_options{.compare = false});
    now.run.begin(plan.steps, *plan.blocking, on.blocking_way(), on.space(), number);
    take(on, plan);  // while messages are in flight
    wait_step wait(hold);
    while (!now.run.advance()) wait();
    const int error = now.run.finish();
    if (error == MPI_SUCCESS && now.lasts && on.blocking_way().is_shared() && now.run.unpacked() != nullptr &&
        !now.todo.own.exists())
        now.direct.prepare(plan.steps, *now.run.unpacked(), now.run.combination());
    on.space().trim(kept_memory);
    return error;
}

}  // namespace

bool run_blocking(const arguments& call, int* error) try {
    communicator_state* const on = find(call, true);
    if (on == nullptr) return false;
    guard hold;
    if (on->only_native() != nullptr) return leave_together(hold, *on, call.what, unknown_bytes, on->only_native());
    blocking_call& now = on->blocking().of(call);
    if (now.plan == nullptr) {
        if (!fits(call, *on)) return false;
        describe(call, on->rank(), on->size(), now.todo);
        now.plan = plan_for(*on, now.todo);
    }
    if (now.plan->native)
        return leave_together(hold, *on, call.what, bytes_of(now.todo.key.how), now.plan->chosen.reason);
    *error = run(*on, now, hold);
    raise(call.comm, *error);
    return true;
} catch (const std::bad_alloc&) {
    *error = raise(call.comm, MPI_ERR_NO_MEM);
    return true;
}

bool run_nonblocking(const arguments& call, MPI_Request* request, int* error) try {
    note_form(call_form::nonblocking);
    communicator_state* const on = find(call, false);
    if (on == nullptr || !fits(call, *on)) return false;
    const guard hold;
    work todo;
    describe(call, on->rank(), on->size(), todo);
    const std::shared_ptr<prepared_plan>& plan = plan_for(*on, todo);
    if (plan->native) return leave(call.what, *on, bytes_of(todo.key.how), plan->chosen.reason);
    take(*on, *plan);
    *error = raise(call.comm, start_nonblocking(*on, std::move(todo), plan, request));
    return true;
} catch (const std::bad_alloc&) {
    *error = raise(call.comm, MPI_ERR_NO_MEM);
    return true;
}

bool run_persistent(const arguments& call, MPI_Request* request, int* error) try {
    note_form(call_form::persistent);
    communicator_state* const on = find(call, false);
    if (on == nullptr || !fits(call, *on)) return false;
    const guard hold;
    work todo;
    describe(call, on->rank(), on->size(), todo);
    const std::shared_ptr<prepared_plan>& plan = plan_for(*on, todo);
    if (plan->native) return leave(call.what, *on, bytes_of(todo.key.how), plan->chosen.reason);
    const std::uint64_t channel = on->draw_persistent_channel();
    if (channel == 0) return leave(call.what, *on, todo.key.how.bytes, "too many persistent calls");
    take(*on, *plan);
    *error = raise(call.comm, make_persistent(*on, std::move(todo), plan, channel, request));
    return true;
} catch (const std::bad_alloc&) {
    *error = raise(call.comm, MPI_ERR_NO_MEM);
    return true;
}

}  // namespace collsched::preload
