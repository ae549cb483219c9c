#include "timed_case.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <new>

#include <fmt/format.h>

#include "algorithms/algorithms.hpp"
#include "collsched/execute.hpp"
#include "examples/programs/collsched/known_bytes.hpp"
#include "tuning/candidate_race.hpp"

using namespace collsched;

namespace {

using clock = std::chrono::steady_clock;

/// Input and output of this rank, for all candidates.
struct case_memory {
    std::vector<std::byte> input, output;

    case_memory(const contract& contract, rank_t rank)
        : input(static_cast<std::size_t>(contract.input_bytes(rank))),
          output(static_cast<std::size_t>(contract.output_bytes(rank))) {
        for (std::size_t i = 0; i < input.size(); ++i) input[i] = known_bytes::byte_of(rank, static_cast<bytes_t>(i));
    }
};

/// A candidate on this rank, ready to run any number of times.
class ready_candidate {
  public:
    ready_candidate(const any_schedule& schedule, int rank, case_memory& memory, mpi_transport& over,
                    std::uint64_t channel)
        : contract_(schedule.contract()),
          memory_(memory),
          own_(schedule, rank, {memory.input, memory.output}),
          run_(own_.plan(), over, {.channel = channel}) {}

    /// Runs it once.
    void run(const reduction& operation, watchdog& watch) {
        run_.start(own_.buffers(), operation);
        const run_status end = run_.wait();
        if (!end.done())
            machine::abort(fmt::format("rank {}: got error {} in step {}, expected the end of a schedule", end.rank,
                                       end.error, end.step));
        watch.progress();
    }
    /// Runs it, and returns the number of wrong bytes of this rank. Evenly spaced bytes of long results are compared.
    std::int64_t wrong_bytes(watchdog& watch) {
        constexpr double most_compared = 1 << 24;
        std::ranges::fill(memory_.output, std::byte{0xee});
        bool commutative = contract_.commutative;
        run(known_bytes::operation(commutative), watch);
        const double all = static_cast<double>(memory_.output.size()) * static_cast<double>(contract_.ranks);
        const bytes_t stride = 1 + static_cast<bytes_t>(all / most_compared);
        std::int64_t wrong = 0;
        contract_.results(own_.plan().rank(), [&](const contract::result_range& part) {
            const auto compare = [&](bytes_t i) {
                const std::byte found = memory_.output[static_cast<std::size_t>(part.where.offset + i)];
                wrong += found != known_bytes::expected(commutative, part, i);
            };
            for (bytes_t i = 0; i < part.where.size; i += stride) compare(i);
            compare(part.where.size - 1);
        });
        return wrong;
    }

  private:
    contract contract_;
    case_memory& memory_;
    bound_plan own_;
    execution<mpi_transport> run_;
};

/// Returns the seconds of `runs` calls of f on this rank, each followed by a barrier, which ends when all ranks have run
/// it.
template <class F>
double seconds_of(MPI_Comm comm, std::int64_t runs, F f) {
    MPI_Barrier(comm);
    const clock::time_point begin = clock::now();
    for (std::int64_t i = 0; i < runs; ++i) {
        f();
        MPI_Barrier(comm);
    }
    return std::chrono::duration<double>(clock::now() - begin).count();
}

/// The measurement of one case on this rank. The last sample of each round is that of barriers alone.
class case_measurement {
    using outcome = measured_candidate::outcome;

  public:
    case_measurement(const machine& here, const tune_command& wanted, clock::time_point until)
        : here_(here),
          comm_(here.first(wanted.one.ranks)),
          over_(comm_, tune_command::most_candidates, 1),
          until_(until),
          results_(wanted.candidates.size()),
          race_(wanted.candidates.size()),
          runs_(wanted.candidates.size() + 1, 1) {
        prepare(wanted);
    }

    timed_case run() {
        check();
        warm_up();
        while (true) {
            std::int64_t mask = here_.rank() == 0 ? next_round() : 0;
            MPI_Bcast(&mask, 1, MPI_INT64_T, 0, comm_);
            if (mask == 0) break;
            round(mask);
        }
        for (std::size_t i = 0; i < results_.size(); ++i) {
            const tuning::median_interval& time = race_.interval(i);
            if (time.samples > 0) results_[i] = {outcome::measured, time, time.samples * runs_[i]};
        }
        return {results_, barriers_.empty() ? 0 : std::ranges::min(barriers_)};
    }

  private:
    /// Makes the plans and allocates their memory. A candidate that one rank cannot run leaves on all ranks.
    void prepare(const tune_command& wanted) {
        const choice::request request = request_of(wanted.one, here_.place(wanted.one.ranks));
        std::vector<int> able(wanted.candidates.size(), 0);
        for (const decision& row : wanted.candidates) {
            const std::size_t i = ready_.size();
            ready_.emplace_back();
            const any_schedule s =
                compiled::find(row.collective, row.algorithm)->make(decided(row, request.parameters));
            if (s.check()) continue;
            try {
                if (!memory_) memory_ = std::make_unique<case_memory>(s.contract(), here_.rank());
                ready_[i] = std::make_unique<ready_candidate>(s, here_.rank(), *memory_, over_, i);
                able[i] = 1;
            } catch (const std::bad_alloc&) {
                ready_[i].reset();
            }
            here_.watch().progress();
        }
        MPI_Allreduce(MPI_IN_PLACE, able.data(), static_cast<int>(able.size()), MPI_INT, MPI_MIN, comm_);
        for (std::size_t i = 0; i < able.size(); ++i)
            if (able[i] == 0) leave(i, outcome::refused);
    }
    void leave(std::size_t i, outcome end) {
        ready_[i].reset();
        race_.exclude(i);
        results_[i].end = end;
    }
    /// Runs each candidate once, and compares its results.
    void check() {
        std::vector<std::int64_t> wrong(ready_.size(), 0);
        for (std::size_t i = 0; i < ready_.size(); ++i)
            if (ready_[i]) wrong[i] = ready_[i]->wrong_bytes(here_.watch());
        MPI_Allreduce(MPI_IN_PLACE, wrong.data(), static_cast<int>(wrong.size()), MPI_INT64_T, MPI_SUM, comm_);
        for (std::size_t i = 0; i < wrong.size(); ++i)
            if (wrong[i] != 0) leave(i, outcome::wrong);
    }
    /// Returns the seconds of a sample on this rank; 0 for a candidate that has left.
    double sample(std::size_t i) {
        const reduction operation = reductions::sum<std::uint8_t>();
        if (i == ready_.size()) return seconds_of(comm_, runs_[i], [&] { here_.watch().progress(); });
        if (!ready_[i]) return 0;
        return seconds_of(comm_, runs_[i], [&] { ready_[i]->run(operation, here_.watch()); });
    }
    /// Takes a sample of one run, which does not count, and computes the number of runs of later samples.
    void warm_up() {
        constexpr double enough = 50e-6, most = 100;
        std::vector<double> seconds;
        for (std::size_t i = 0; i < runs_.size(); ++i) seconds.push_back(sample(i));
        MPI_Allreduce(MPI_IN_PLACE, seconds.data(), static_cast<int>(seconds.size()), MPI_DOUBLE, MPI_MAX, comm_);
        for (std::size_t i = 0; i < runs_.size(); ++i)
            if (seconds[i] > 0)
                runs_[i] = static_cast<std::int64_t>(std::clamp(std::ceil(enough / seconds[i]), 1.0, most));
        runs_.back() = std::ranges::max(runs_);  // the start of a sample has an equal part in its mean
    }
    /// Returns the candidates of the next round as bits, on rank 0; 0: the case is decided, or its time is over.
    std::int64_t next_round() const {
        if (race_.decided() || (rounds_ > 0 && clock::now() >= until_)) return 0;
        std::int64_t mask = 0;
        for (std::size_t i = 0; i < ready_.size(); ++i)
            if (race_.races(i)) mask |= std::int64_t{1} << i;
        return mask;
    }
    void round(std::int64_t mask) {
        ++rounds_;
        std::vector<double> seconds(runs_.size(), 0);
        for (std::size_t i = 0; i < runs_.size(); ++i)
            if (i == ready_.size() || (mask >> i & 1) != 0) seconds[i] = sample(i);
        const void* const own = here_.rank() == 0 ? MPI_IN_PLACE : seconds.data();
        MPI_Reduce(own, seconds.data(), static_cast<int>(seconds.size()), MPI_DOUBLE, MPI_MAX, 0, comm_);
        if (here_.rank() != 0) return;
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            const auto each = std::llround(seconds[i] / static_cast<double>(runs_[i]) * 1e12);
            if (i == ready_.size()) barriers_.push_back(each);
            else if ((mask >> i & 1) != 0) race_.add(i, std::max<picoseconds>(1, each));
        }
        race_.end_round();
    }

    const machine& here_;
    MPI_Comm comm_;
    mpi_transport over_;
    clock::time_point until_;
    std::unique_ptr<case_memory> memory_;
    std::vector<std::unique_ptr<ready_candidate>> ready_;  // null: it has left
    std::vector<measured_candidate> results_;
    tuning::candidate_race race_;
    std::vector<std::int64_t> runs_;     // of a sample; the last: barriers
    std::vector<picoseconds> barriers_;  // samples
    std::int64_t rounds_ = 0;
};

}  // namespace

timed_case measure_case(const machine& here, const tune_command& wanted, clock::time_point until) {
    return case_measurement(here, wanted, until).run();
}
