#include "rank_protocol.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <stdexcept>

#include <fmt/format.h>

#include "collsched/execute/calibrate.hpp"

using namespace collsched;

namespace {

constexpr std::size_t most_ranks = 64;
using start_message = std::array<std::int64_t, 2 + most_ranks>;

/// Returns the start of a message. Throws std::runtime_error for values that rank 0 does not send.
start start_of(const start_message& received, std::int64_t size) {
    const auto refuse = [](const char* name, std::int64_t value, std::int64_t least, std::int64_t most) {
        if (value < least || value > most)
            throw std::runtime_error(fmt::format("{}: got {}, expected {}..{}", name, value, least, most));
    };
    refuse("start[0]", received[0], 1, 1'000'000);
    refuse("start[1]", received[1], 0, most_ranks);
    start made{received[0], {received.begin() + 2, received.begin() + 2 + received[1]}};
    for (const std::int64_t ranks : made.ranks) refuse("start: ranks", ranks, 2, size);
    return made;
}

/// Sets the watchdog and makes the communicators, that of ranks 0 and 1 for the model.
void apply(machine& here, start values) {
    here.watch().set(values.patience, here.rank());
    if (std::ranges::count(values.ranks, 2) == 0) values.ranks.push_back(2);
    here.divide(values.ranks);
}

/// MPI whose completed messages count as progress.
class watched_transport : public mpi_transport {
  public:
    watched_transport(MPI_Comm comm, watchdog& watch) : mpi_transport(comm), watch_(watch) {}

    completion poll() { return noted(mpi_transport::poll()); }
    completion wait_any(std::chrono::nanoseconds timeout) { return noted(mpi_transport::wait_any(timeout)); }

  private:
    completion noted(const completion& ended) {
        if (!ended.empty()) watch_.progress();
        return ended;
    }

    watchdog& watch_;
};

loggp_model calibrate_pair(const machine& here) {
    const MPI_Comm pair = here.first(2);
    if (pair == MPI_COMM_NULL) return {};
    watched_transport over(pair, here.watch());
    const auto made = calibrate(over, here.rank(), 1 - here.rank(), 0, 1);
    if (made.error != 0) machine::abort(fmt::format("model: got error {} of MPI, expected none", made.error));
    return made.model;
}

/// Returns the model with the lower value of each parameter.
loggp_model least(const loggp_model& a, const loggp_model& b) {
    return {.latency_ps = std::min(a.latency_ps, b.latency_ps),
            .overhead_ps = std::min(a.overhead_ps, b.overhead_ps),
            .gap_ps = std::min(a.gap_ps, b.gap_ps),
            .byte_fs = std::min(a.byte_fs, b.byte_fs),
            .copy_fs = std::min(a.copy_fs, b.copy_fs),
            .combine_fs = std::min(a.combine_fs, b.combine_fs)};
}

void obey(const machine& here, const tune_command& wanted) {
    if (wanted.what == tune_command::kind::wait) return;
    if (wanted.what == tune_command::kind::calibrate) calibrate_pair(here);
    else if (here.first(wanted.one.ranks) != MPI_COMM_NULL) measure_case(here, wanted, {});
    else if (here.rank() < wanted.one.ranks)
        throw std::runtime_error(fmt::format("command: got {} ranks, expected those of the start", wanted.one.ranks));
}

}  // namespace

void send_start(machine& here, const start& values) {
    start_message message{values.patience, std::ssize(values.ranks)};
    std::ranges::copy(values.ranks, message.begin() + 2);
    here.broadcast(message);
    apply(here, values);
}

void send(const machine& here, const tune_command& wanted) {
    tune_command::message message = wanted.encoded();
    here.broadcast(message);
}

loggp_model calibrated(const machine& here, std::chrono::steady_clock::time_point until) {
    constexpr int rounds = 50;
    const auto measure = [&] {
        send(here, {.what = tune_command::kind::calibrate, .one = {}, .candidates = {}});
        return calibrate_pair(here);
    };
    loggp_model made = measure();
    for (int i = 1; i < rounds && std::chrono::steady_clock::now() < until; ++i) made = least(made, measure());
    return made;
}

timed_case measured_by_all(const machine& here, const tune_command& wanted,
                           std::chrono::steady_clock::time_point until) {
    try {
        return measure_case(here, wanted, until);
    } catch (const std::exception& wrong) {  // the other ranks are within the measurement
        machine::abort(wrong.what());
    }
}

int follow(machine& here) {
    try {
        start_message begin{};
        here.broadcast(begin);
        apply(here, start_of(begin, here.size()));
        while (true) {
            tune_command::message message{};
            here.broadcast(message);
            const tune_command wanted = tune_command::decoded(message, here.size());
            if (wanted.what == tune_command::kind::stop) return wanted.status;
            obey(here, wanted);
        }
    } catch (const std::exception& wrong) {
        machine::abort(fmt::format("rank {}: {}", here.rank(), wrong.what()));
    }
}
