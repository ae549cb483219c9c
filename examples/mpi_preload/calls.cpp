#include "calls.hpp"

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
bytes_t bytes_of(const decision& how) { return knows_own_counts_alone(how.what) ? unknown_bytes : how.bytes; }

/// Smallest amount of memory that blocking calls retain.
constexpr bytes_t kept_memory = bytes_t{64} << 20;

void report_native(function what, communicator& on, bytes_t bytes, const std::string& why) {
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

bool leave(function what, communicator& on, bytes_t bytes, const std::string& why) {
    const guard hold;
    count_native(what);
    if (wanted_bits(what) > association_class::any && on.size() > 1 && on.rank() == 0) warn_of_native(what, why);
    if (reporting()) report_native(what, on, bytes, why);
    if (verbose()) report(what, on.rank(), on.size(), bytes, "native: " + why);
    return false;
}

/// Passes on a blocking call for a reason that all ranks share. Ends the guard, since other threads run while ranks meet.
bool leave_together(guard& hold, communicator& on, function what, bytes_t bytes, const std::string& why) {
    hold.end();
    on.meet();  // its error is one that the MPI library's function finds as well
    return leave(what, on, bytes, why);
}

/// Returns the parameters that are set, such as "segment=4096 radix=4".
std::string parameters_of(const choice& chosen) {
    std::string text;
    for (const free_parameter& one : free_parameters)
        if (const std::int64_t value = chosen.parameters.*one.value;
            value != shape{}.*one.value && value != shape::as_it_is)
            text.append(text.empty() ? "" : " ").append(one.name).append("=").append(std::to_string(value));
    return text;
}

const char* algorithm_of(const choice& chosen) {
    return chosen.algorithm == nullptr ? "linear" : chosen.algorithm->info.name;
}

void report_taken(communicator& on, prepared_plan& plan) {
    const bytes_t bytes = bytes_of_report(plan);
    call_row*& row = plan.rows[static_cast<std::size_t>(current_form())];
    if (row == nullptr)
        row = &row_of({.what = plan.mine.how.what,
                       .form = current_form(),
                       .ranks = on.size(),
                       .ranks_per_node = on.where().ranks_per_node(),
                       .bytes_from = size_class(bytes),
                       .commutative = plan.mine.how.commutative ? 1 : 0,
                       .algorithm = algorithm_of(plan.chosen),
                       .parameters = parameters_of(plan.chosen),
                       .reason = plan.chosen.why});
    count_call(*row, bytes, current_form() != call_form::persistent);
}

/// Counts a call that this library executes.
void take(communicator& on, prepared_plan& plan) {
    const decision& how = plan.mine.how;
    count_ours(how.what);
    if (reporting()) report_taken(on, plan);
    if (!verbose()) return;
    const choice& chosen = plan.chosen;
    std::string name = algorithm_of(chosen);
    if (const std::string values = parameters_of(chosen); !values.empty()) name.append(" ").append(values);
    if (const rank_t nodes = chosen.parameters.placement.nodes(); nodes > 0)
        name.append(" on ").append(std::to_string(nodes)).append(nodes == 1 ? " node" : " nodes");
    report(how.what, on.rank(), on.size(), bytes_of(how), name + " (" + chosen.why + ")");
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
communicator* find(const arguments& call, bool may_attach) {
    communicator* found = nullptr;
    if (call.comm != MPI_COMM_NULL && mpi_is_up()) {
        found = communicator::of(call.comm);
        if (found == nullptr && may_attach) found = communicator::attach(call.comm);
    }
    if (found == nullptr) leave_unknown(call);
    return found;
}

const std::shared_ptr<prepared_plan>& plan_for(communicator& on, const work& todo) {
    return on.prepare(todo.key, todo.numbers.data(), todo.numbers.size());
}

/// Returns whether communicator and arguments allow this library to execute the call.
bool fits(const arguments& call, communicator& on) {
    if (on.only_native() != nullptr) return leave(call.what, on, unknown_bytes, on.only_native());
    return acceptable(call, on.rank(), on.size()) || leave(call.what, on, unknown_bytes, "arguments that MPI refuses");
}

int raise(MPI_Comm comm, int error) {
    if (error != MPI_SUCCESS) PMPI_Comm_call_errhandler(comm, error);
    return error;
}

int run_direct(communicator& on, blocking_call& now, guard& hold) {
    take(on, *now.plan);
    now.run.begin_direct();
    return now.run.finish_direct(now.direct.run(on.blocking_way(), wait_step(hold)));
}

int run(communicator& on, blocking_call& now, guard& hold) {
    prepared_plan& plan = *now.plan;
    on.count_blocking();
    on.blocking_way().expect(now.todo.lengths, plan.pattern);
    patience::count_call();
    if (now.direct.is_ready()) return run_direct(on, now, hold);
    if (moves_nothing(now.todo)) return take(on, plan), MPI_SUCCESS;
    if (!plan.blocking) plan.blocking.emplace(plan.steps, on.blocking_way(), execution_options{.compare = false});
    now.run.begin(plan.steps, *plan.blocking, on.blocking_way(), on.space());
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
    communicator* const on = find(call, true);
    if (on == nullptr) return false;
    guard hold;
    if (on->only_native() != nullptr) return leave_together(hold, *on, call.what, unknown_bytes, on->only_native());
    blocking_call& now = on->blocking().of(call);
    if (now.plan == nullptr) {
        if (!fits(call, *on)) return false;
        describe(call, on->rank(), on->size(), now.todo);
        now.plan = plan_for(*on, now.todo);
    }
    if (now.plan->chosen.native)
        return leave_together(hold, *on, call.what, bytes_of(now.todo.key.how), now.plan->chosen.why);
    *error = run(*on, now, hold);
    raise(call.comm, *error);
    return true;
} catch (const std::bad_alloc&) {
    *error = raise(call.comm, MPI_ERR_NO_MEM);
    return true;
}

bool run_nonblocking(const arguments& call, MPI_Request* request, int* error) try {
    note_form(call_form::nonblocking);
    communicator* const on = find(call, false);
    if (on == nullptr || !fits(call, *on)) return false;
    const guard hold;
    work todo;
    describe(call, on->rank(), on->size(), todo);
    const std::shared_ptr<prepared_plan>& plan = plan_for(*on, todo);
    if (plan->chosen.native) return leave(call.what, *on, bytes_of(todo.key.how), plan->chosen.why);
    take(*on, *plan);
    *error = raise(call.comm, start_nonblocking(*on, std::move(todo), plan, request));
    return true;
} catch (const std::bad_alloc&) {
    *error = raise(call.comm, MPI_ERR_NO_MEM);
    return true;
}

bool run_persistent(const arguments& call, MPI_Request* request, int* error) try {
    note_form(call_form::persistent);
    communicator* const on = find(call, false);
    if (on == nullptr || !fits(call, *on)) return false;
    const guard hold;
    work todo;
    describe(call, on->rank(), on->size(), todo);
    const std::shared_ptr<prepared_plan>& plan = plan_for(*on, todo);
    if (plan->chosen.native) return leave(call.what, *on, bytes_of(todo.key.how), plan->chosen.why);
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
