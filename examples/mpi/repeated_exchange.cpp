#include "repeated_exchange.hpp"

#include "progress.hpp"

namespace collsched::preload {

repeated_exchange::repeated_exchange(plan steps, const call_transport& over, std::uint64_t channel)
    : steps_(std::move(steps)),
      over_(over),
      scratch_(static_cast<std::size_t>(steps_.scratch_bytes())),
      staging_(static_cast<std::size_t>(steps_.staging_bytes())),
      run_(steps_, over_, {.channel = channel, .compare = false}) {}

int repeated_exchange::run(plan::buffers buffers, const reduction& op, guard& hold) {
    buffers.scratch = scratch_.data(), buffers.staging = staging_.data();
    run_.start(buffers, op, {++count_});
    wait_step wait(hold);
    while (run_.progress().state == run_status::phase::running) wait();
    const int length_error = over_.take_length_error();
    return run_.state().failed() ? mpi_error_of(run_.state().error) : length_error;
}

}  // namespace collsched::preload
