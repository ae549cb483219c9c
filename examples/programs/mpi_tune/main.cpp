// Measures the best algorithms of each collective over MPI and writes a decision table.
// mpirun -np 4 mpi_tune --out tuned.json --budget 60

#include "machine.hpp"

#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>

#include <fmt/format.h>

#include "examples/programs/collsched/usage_error.hpp"
#include "rank_protocol.hpp"
#include "tune_options.hpp"
#include "tuner.hpp"

namespace {

/// Leads the other ranks. Returns the exit status of all ranks.
int lead(machine& here, int argc, char** argv) {
    const tuner::clock::time_point begin = tuner::clock::now();
    int status = success;
    bool started = false;
    try {
        if (const std::optional<tune_request> request = read_tune_request(argc, argv, here.size())) {
            tuner all(here, *request, begin);
            started = true;
            status = all.run();
        }
    } catch (const std::exception& wrong) {
        std::fputs(fmt::format("mpi_tune: {}\n", wrong.what()).c_str(), stderr);
        status = mistake;
    }
    if (!started) send_start(here, {});
    send(here, {.what = tune_command::kind::stop, .status = status, .one = {}, .candidates = {}});
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0, status = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    {
        constexpr std::int64_t default_patience = 30;
        watchdog watch(default_patience);
        machine here(watch);
        status = here.rank() == 0 ? lead(here, argc, argv) : follow(here);
    }
    MPI_Finalize();
    return status;
}
