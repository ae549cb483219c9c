#include "environment.hpp"

#include <array>
#include <cstdio>
#include <set>

#include "selection.hpp"

namespace collsched::preload {

int forget(MPI_Comm comm, int keyval, void* value, void* extra);

namespace {

struct counters {
    std::atomic<long> ours = 0, native = 0;
};
std::array<counters, functions> calls;

void set_up(environment& all) {
    int level = MPI_THREAD_SINGLE;
    PMPI_Query_thread(&level);
    all.any_threaded = all.threaded = level == MPI_THREAD_MULTIPLE;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &all.keyval, nullptr);
    PMPI_Comm_dup(MPI_COMM_SELF, &all.self);
    PMPI_Comm_set_errhandler(all.self, MPI_ERRORS_RETURN);
    read_variables();
}

}  // namespace

environment& internal::make_environment() {
    static environment& all = *new environment;
    if (!mpi_is_up()) return all;
    static std::once_flag once;
    std::call_once(once, [] {
        set_up(all);
        made_environment.store(&all, std::memory_order_release);
    });
    return all;
}

namespace {

enum class stage : std::uint8_t { unknown, up, finalized };
std::atomic<stage> now = stage::unknown;

/// Not atomic as a whole: a lost count of concurrent threads is acceptable, and an atomic addition would be measurable.
void add_one(std::atomic<long>& counter) {
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace

bool mpi_is_up() {
    const stage known = now.load(std::memory_order_acquire);
    if (known != stage::unknown) return known == stage::up;
    int initialized = 0, finalized = 0;
    PMPI_Initialized(&initialized);
    PMPI_Finalized(&finalized);
    return initialized != 0 && finalized == 0;
}

void note_mpi_is_up(bool is) { now.store(is ? stage::up : stage::finalized, std::memory_order_release); }

void count_ours(function what) { add_one(calls[static_cast<std::size_t>(what)].ours); }
void count_native(function what) { add_one(calls[static_cast<std::size_t>(what)].native); }

void report(function what, int rank, int ranks, bytes_t bytes, const std::string& how) {
    if (!verbose() || rank != 0) return;
    static auto& printed = *new std::set<std::string>;  // never destroyed
    const guard hold;
    const std::string line = std::string(name_of(what)) + " " + how;
    if (!printed.insert(line).second) return;
    const std::string with = bytes < 0 ? "" : " with " + std::to_string(bytes) + " bytes";
    std::fprintf(stderr, "collsched: %s (first seen on %d %s%s): %s\n", name_of(what), ranks,
                 ranks == 1 ? "rank" : "ranks", with.c_str(), how.c_str());
}

}  // namespace collsched::preload

/// For tests: returns the number of calls of a function ("allreduce", all its forms together) that this library has
/// executed on this rank, or passed on if `native`. -1: no such function.
extern "C" long collsched_mpi_calls(const char* name, int native) {
    using namespace collsched::preload;
    for (int f = 0; f < functions; ++f)
        if (std::string(name) == name_of(static_cast<function>(f))) {
            const counters& of_function = calls[static_cast<std::size_t>(f)];
            return native != 0 ? of_function.native : of_function.ours;
        }
    return -1;
}
