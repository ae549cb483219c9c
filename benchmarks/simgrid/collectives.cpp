// How long one collective takes on simulated nodes: by every algorithm of the library that can, or by the one that
// SimGrid's own MPI is set to use (--cfg=smpi/allgather:ring). Built by smpicxx, run by smpirun; sweep.py does both.
// Arguments: PLATFORM HOSTS OVERHEAD_US COLLECTIVE BYTES[,BYTES...] SIDE.
// SIDE is library[:BEGIN|=NAME], defaults, chosen=NAME[,SETTING...] or native.
// COLLECTIVE is broadcast, scatter, gather, allgather, alltoall, reduce, allreduce or reduce_scatter.
//
// With library:BEGIN the library's schedules are those whose names begin with BEGIN; with library=NAME the schedule of this
// name and its parameters; with chosen=NAME the algorithm with settings as `collsched choose` prints them, also settings that
// are not tried here; with defaults every algorithm with its default parameters. Names have commas instead of blanks. For
// chosen=forest, all hosts of the platform must be ranks, in its order. Its setting trees=K is trees_per_root of
// trees::pack_forest().
//
// BYTES is the length of the message; where the collective moves blocks, of one block. Every rank makes its plan and runs it
// twice, from a moment on which all ranks agree until the last of them is done; bytes are checked, and the second time
// is printed. SimGrid's own go through the same.

#include <mpi.h>
#include <time.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "buffers.hpp"
#include "candidates.hpp"
#include "collsched/execute/engine.hpp"
#include "collsched/execute/mpi.hpp"
#include "collsched/select/decision_table.hpp"
#include "collsched/select/choice.hpp"
#include "forest.hpp"
#include "world.hpp"

namespace {

using namespace collsched;
using namespace simulated;

/// The largest of the values of all ranks, returned on all. Its collectives are not compared: --cfg may have replaced
/// those.
double largest(double value) {
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::vector<double> all(static_cast<std::size_t>(ranks));
    MPI_Gather(&value, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    all.assign(all.size(), *std::max_element(all.begin(), all.end()));
    MPI_Scatter(all.data(), 1, MPI_DOUBLE, &value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return value;
}

/// Simulated microseconds from a common start until the last rank has finished. The simulated clock is the same on all.
template <class F>
double time_us(F run) {
    const double start = largest(MPI_Wtime()) + 1, wait = start - MPI_Wtime();
    const auto seconds = static_cast<time_t>(wait);
    const timespec rest{seconds, static_cast<long>((wait - static_cast<double>(seconds)) * 1e9)};
    nanosleep(&rest, nullptr);
    run();
    return (largest(MPI_Wtime()) - start) * 1e6;
}

/// Sends of fewer bytes are complete at once, so there is nothing to gain by having few of them in flight. Longer
/// ones that leave together share a link, and all arrive late.
constexpr bytes_t eager = 65536;

/// A call of poll() takes simulated time, so ranks only wait.
struct waiting_transport : mpi_transport {
    using mpi_transport::mpi_transport;
    completion poll() { return {}; }
};

void add_words(void*, std::byte* into, const std::byte* incoming, bytes_t size, action) {
    for (bytes_t i = 0; i < size; i += 4) {
        std::uint32_t a, b;
        std::memcpy(&a, into + i, 4);
        std::memcpy(&b, incoming + i, 4);
        a += b;
        std::memcpy(into + i, &a, 4);
    }
}

/// Runs twice, so that what happens at a first call alone is not timed, checks both, and prints one line. `staging` is
/// that of this rank; the largest is printed.
template <class Run>
void measure(const world& all, collective what, bytes_t bytes, const std::string& name, rank_buffers& buffers,
             bytes_t staging, Run run) {
    double us = 0;
    std::int64_t wrong = 0;
    for (std::uint32_t i = 0; i < 2; ++i) {
        buffers.fill(i);
        us = time_us(run);
        wrong += buffers.wrong_words();
    }
    const bool right = largest(static_cast<double>(wrong)) == 0;
    const double most_staging = largest(static_cast<double>(staging));
    if (all.rank != 0) return;
    std::printf("result\t%s\t%lld\t%s\t%.3f\t%s\t%.0f\n", name_of(what), static_cast<long long>(bytes), name.c_str(),
                us,
                !right             ? "WRONG"
                : buffers.folded() ? "unchecked"
                                   : "right",
                most_staging);
    std::fflush(stdout);
}

/// How the engine goes through a plan: sends of a rank at a time, and steps that may overlap; 0: any number. With least
/// staging, operands of one step are received after those of the step before are combined.
struct progress {
    std::int64_t sends = 0;
    step_t window = 0;
    bool least_staging = false;

    std::string name() const {
        return std::string(least_staging ? " staging=least" : "") + (sends > 0    ? " sends=1"
                                                                     : window > 0 ? " steps=1"
                                                                                  : "");
    }
};

/// The prefix of the names on the library's side.
constexpr std::string_view library = "library";
/// The side of all algorithms with default parameters.
constexpr std::string_view defaults = "defaults";
/// The prefix of the name of one schedule with settings.
constexpr std::string_view chosen = "chosen=";

/// Which of the library's schedules are timed.
struct filter {
    std::string_view text;  ///< nothing: all; ":BEGIN"; "=NAME"

    bool takes(std::string_view name) const {
        return text.starts_with('=') ? name == text.substr(1) : name.starts_with(text.substr(text.empty() ? 0 : 1));
    }
};

void measure_library(const world& all, collective what, bytes_t bytes, const candidate& one, const progress& how) {
    const any_schedule schedule = one.make();
    if (const argument_error wrong = schedule.check()) {  // most are for certain numbers of ranks alone
        if (all.rank == 0) std::printf("left out\t%s\t%s\n", one.name.c_str(), wrong.text().c_str());
        return;
    }
    const plan mine(schedule, all.rank, binding::separate, how.window > 0 ? pacing{how.window} : schedule.pacing(),
                    how.least_staging ? 0 : plan::default_staging);
    const contract contract = schedule.contract();
    const bytes_t used =
        contract.input_bytes(all.rank) + contract.output_bytes(all.rank) + mine.scratch_bytes() + mine.staging_bytes();
    const bool folded = largest(static_cast<double>(used)) > static_cast<double>(most_real_bytes);
    rank_buffers buffers(contract, all.rank, folded);
    memory scratch(mine.scratch_bytes(), folded), staging(mine.staging_bytes(), folded);
    waiting_transport transport(MPI_COMM_WORLD, 1, 16, false);
    execution run(mine, transport, {.limits = {.sends = how.sends}});
    measure(all, what, bytes, one.name + how.name(), buffers, mine.staging_bytes(), [&] {
        run.start({buffers.input(), buffers.output(), scratch.data(), staging.data()}, {add_words, nullptr, true});
        const run_status& end = run.wait();
        if (!end.done()) {
            std::fprintf(stderr, "%s: rank %d failed with %d\n", one.name.c_str(), static_cast<int>(all.rank),
                         end.error);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    });
}

void measure_native(const world& all, collective what, bytes_t bytes, const shape& wanted) {
    contract contract{.collective = what, .ranks = all.ranks, .blocks = wanted.block, .bytes = wanted.bytes};
    if (what == collective::alltoall) contract.blocks = block_matrix(wanted.block);
    const bytes_t used = contract.input_bytes(all.rank) + contract.output_bytes(all.rank);
    rank_buffers buffers(contract, all.rank, largest(static_cast<double>(used)) > static_cast<double>(most_real_bytes));
    const int count = static_cast<int>(bytes);
    measure(all, what, bytes, "native", buffers, 0, [&] {
        void *in = buffers.input(), *out = buffers.output();
        switch (what) {
            case collective::broadcast:
                if (all.rank == 0 && !buffers.folded()) std::memcpy(out, in, static_cast<std::size_t>(bytes));
                MPI_Bcast(out, count, MPI_BYTE, 0, MPI_COMM_WORLD);
                break;
            case collective::allgather: MPI_Allgather(in, count, MPI_BYTE, out, count, MPI_BYTE, MPI_COMM_WORLD); break;
            case collective::allreduce: MPI_Allreduce(in, out, count / 4, MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD); break;
            case collective::reduce: MPI_Reduce(in, out, count / 4, MPI_UNSIGNED, MPI_SUM, 0, MPI_COMM_WORLD); break;
            case collective::scatter: MPI_Scatter(in, count, MPI_BYTE, out, count, MPI_BYTE, 0, MPI_COMM_WORLD); break;
            case collective::gather: MPI_Gather(in, count, MPI_BYTE, out, count, MPI_BYTE, 0, MPI_COMM_WORLD); break;
            case collective::reduce_scatter: {
                const std::vector<int> counts(static_cast<std::size_t>(all.ranks), count / 4);
                MPI_Reduce_scatter(in, out, counts.data(), MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD);
                break;
            }
            default: MPI_Alltoall(in, count, MPI_BYTE, out, count, MPI_BYTE, MPI_COMM_WORLD);
        }
    });
}

/// The forest of the collective that this program runs. The rank that comes first packs it for all: they share globals,
/// since smpirun has -no-privatize.
const trees::planned_forest& shared_forest(const world& all, collective what, std::int64_t trees) {
    static const trees::planned_forest forest =
        read_forest(all.platform, all.hosts, what == collective::broadcast, trees);
    return forest;
}

/// Measures the algorithm of "NAME radix=4 ...", with the settings of `collsched choose`.
void measure_chosen(const world& all, collective what, bytes_t bytes, std::string_view text, shape wanted) {
    const std::string_view name = text.substr(0, text.find(' '));
    progress how;
    std::int64_t trees = 0;
    for (std::string_view rest = text.substr(name.size()); !rest.empty();) {
        rest.remove_prefix(1);
        const std::string_view setting = rest.substr(0, rest.find(' '));
        rest.remove_prefix(setting.size());
        const std::size_t equals = std::min(setting.find('='), setting.size());
        std::int64_t value = 0;
        std::from_chars(setting.data() + std::min(equals + 1, setting.size()), setting.data() + setting.size(), value);
        const std::string_view key = setting.substr(0, equals);
        if (key == "sends") how.sends = value;
        if (key == "trees") trees = value;
        for (const decision::free_parameter& parameter : free_parameters)
            if (key == parameter.name) wanted.*parameter.value = value;
    }
    if (name == "forest") wanted.forest = shared_forest(all, what, trees);
    if (const algorithm_entry* const entry = find_algorithm(compiled::whole_registry(), what, name))
        return measure_library(all, what, bytes, {std::string(text), 0, [&] { return entry->make(wanted); }}, how);
    throw std::invalid_argument("no such algorithm: " + std::string(name));
}

void measure_all(const world& all, collective what, bytes_t bytes, std::string_view side) {
    const shape wanted{.ranks = all.ranks,
                       .block = bytes,
                       .bytes = bytes,
                       .element = 4,
                       .placement = all.clusters,
                       .cluster = all.nodes};
    if (side == "native") return measure_native(all, what, bytes, wanted);
    if (side.starts_with(chosen)) return measure_chosen(all, what, bytes, side.substr(chosen.size()), wanted);
    if (side == defaults) {
        for (const algorithm_entry& entry : compiled::whole_registry())
            if (entry.info.collective == what && !entry.takes(&shape::placement))
                measure_library(all, what, bytes, {entry.info.name, 0, [&] { return entry.make(wanted); }}, {});
        return;
    }
    const filter only{side.substr(library.size())};
    for (const candidate& one : candidates(what, wanted, bytes, all.one_switch)) {
        const auto run = [&](const progress& how) {
            if (only.takes(one.name + how.name())) measure_library(all, what, bytes, one, how);
        };
        run({});
        if (bytes < eager || (one.segment > 0 && one.segment < eager)) continue;
        run({.sends = 1});
        if (one.segment == 0) run({.window = 1});
        if (!reduces(what)) continue;
        run({.least_staging = true});
        run({.sends = 1, .least_staging = true});
    }
}

std::optional<collective> named(std::string_view name) {
    for (const collective what :
         {collective::broadcast, collective::scatter, collective::gather, collective::allgather, collective::alltoall,
          collective::reduce, collective::allreduce, collective::reduce_scatter})
        if (name == name_of(what)) return what;
    return {};
}

int usage() {
    std::fputs(
        "collectives PLATFORM HOSTS OVERHEAD_US COLLECTIVE BYTES[,BYTES...] SIDE\n"
        "SIDE is library[:BEGIN|=NAME], defaults, chosen=NAME[,SETTING...] or native\n",
        stderr);
    return 2;
}

/// Lengths are multiples of 4; nothing where one is not.
std::vector<bytes_t> lengths(std::string_view text) {
    std::vector<bytes_t> found;
    while (!text.empty()) {
        const std::string_view one = text.substr(0, text.find(','));
        bytes_t bytes = 0;
        const auto [end, wrong] = std::from_chars(one.data(), one.data() + one.size(), bytes);
        if (wrong != std::errc{} || end != one.data() + one.size() || bytes < 4 || bytes % 4 != 0) return {};
        found.push_back(bytes);
        text.remove_prefix(std::min(text.size(), one.size() + 1));
    }
    return found;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const std::optional<collective> what = argc == 7 ? named(argv[4]) : std::nullopt;
    const std::vector<bytes_t> sizes = argc == 7 ? lengths(argv[5]) : std::vector<bytes_t>{};
    std::string given = argc == 7 ? argv[6] : "";
    std::replace(given.begin(), given.end(), ',', ' ');
    const std::string_view side = given;
    const bool known = side == "native" || side == library || side == defaults || side.starts_with(chosen) ||
                       side.starts_with("library:") || side.starts_with("library=");
    if (!what || sizes.empty() || !known) return usage();
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    try {
        const world all = read_world(argv[1], argv[2], std::atof(argv[3]), rank, ranks);
        for (const bytes_t bytes : sizes) measure_all(all, *what, bytes, side);
    } catch (const std::exception& wrong) {
        std::fprintf(stderr, "%s\n", wrong.what());
        return 2;
    }
    MPI_Finalize();
    return 0;
}
