// same_bits: whether the reductions of an MPI round in the same way in every call. It needs nothing but MPI:
//
//     mpicxx -std=c++20 -O2 same_bits.cpp -o same_bits
//     mpirun -n 5 ./same_bits --runs 60 --seed 1 --longest 1000000
//
// A sum of floating-point numbers depends on its brackets: (a + b) + c and a + (b + c) differ in their last bits. The
// program compares the bits of every result with four others of the same operands:
//
//   canonical  the canonical tree of docs/association.md, which each rank evaluates by itself from the operands of all
//   forms      the same call once more: blocking, non-blocking or persistent, in place or not, in turn
//   lengths    the same call of fewer elements. The common elements are compared with those of the longest call
//   places     the same call with its operands at other indices
//
// A run makes one call of each kind, and two of shorter lengths. Functions take turns: Allreduce, Reduce (each rank is
// the root in turn), Reduce_scatter_block, Reduce_scatter (blocks of any lengths), Scan and Exscan, of double or float,
// with MPI_SUM, or MPI_PROD in one run of four. Lengths are random between 1 and --longest, each power of two as
// likely as the others. Each rank sleeps up to 0.3 ms before one call of two, so that the ranks arrive in any order.
// Element i of the operand of a rank depends on the seed, the run, the rank and i alone. All ranks draw the same.
//
// Magnitudes differ by factors of up to 2^28, so that an addition rounds. Still, another tree of 3 ranks has other
// bits in one element of four only, and another tree of 8 ranks in every second one. Two ranks have one tree.
//
// Printed is a row for each function, and a line of all. "5 of 1000" are the elements, of those compared on all
// ranks, whose bits differ.
//
//   --runs N            number of runs of five calls (default 30)
//   --seed N            seed of all random numbers (default 1)
//   --longest N         largest number of elements of a call (default 1000000)
//   --function NAME     calls only this function, such as reduce_scatter_block
//   --all-in-place      see below
//   --expect-canonical  status 1 if an element differs from the canonical tree
//
// MPICH 4.0 fails in some calls of 64 KiB and more that are in place: Reduce with another root than 0, and
// Reduce_scatter. Both are in place only if they are shorter, or with --all-in-place.

#include <mpi.h>
#include <unistd.h>
#if defined(OPEN_MPI) && MPI_VERSION < 4
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "same_bits.hpp"
#include "two_processes.hpp"

namespace {

using namespace same_bits;

#if MPI_VERSION >= 4
#define SAME_BITS_INIT(name, ...) MPI_##name##_init(__VA_ARGS__, MPI_COMM_WORLD, MPI_INFO_NULL, &request)
#else
#define SAME_BITS_INIT(name, ...) MPIX_##name##_init(__VA_ARGS__, MPI_COMM_WORLD, MPI_INFO_NULL, &request)
#endif
#define SAME_BITS_BEGIN(name, small, ...)                                               \
    (c.how == form::blocking      ? MPI_##name(__VA_ARGS__, MPI_COMM_WORLD)             \
     : c.how == form::nonblocking ? MPI_I##small(__VA_ARGS__, MPI_COMM_WORLD, &request) \
                                  : SAME_BITS_INIT(name, __VA_ARGS__))

/// Makes a call, or begins it; MPI ends the program at an error.
void begin(const call& c, const void* in, void* out, MPI_Datatype type, MPI_Request& request) {
    const MPI_Op op = c.product ? MPI_PROD : MPI_SUM;
    switch (c.what) {
        case function::allreduce: SAME_BITS_BEGIN(Allreduce, allreduce, in, out, c.length, type, op); break;
        case function::reduce: SAME_BITS_BEGIN(Reduce, reduce, in, out, c.length, type, op, c.root); break;
        case function::reduce_scatter_block:
            SAME_BITS_BEGIN(Reduce_scatter_block, reduce_scatter_block, in, out, c.counts[0], type, op);
            break;
        case function::reduce_scatter:
            SAME_BITS_BEGIN(Reduce_scatter, reduce_scatter, in, out, c.counts.data(), type, op);
            break;
        case function::scan: SAME_BITS_BEGIN(Scan, scan, in, out, c.length, type, op); break;
        case function::exscan: SAME_BITS_BEGIN(Exscan, exscan, in, out, c.length, type, op); break;
    }
}

struct settings {
    std::int64_t runs = 30, seed = 1, longest = 1000000, function = -1;
    bool all_in_place = false, expect_canonical = false;
};

/// One run of a function.
template <class Number>
class run {
  public:
    run(const settings& chosen, function what, std::uint64_t key, int root, tally& into)
        : chosen_(chosen), key_(key), random_(key), with_{random_.any(), random_.below(4) == 0}, tally_(into) {
        call base{.what = what,
                  .product = with_.product,
                  .root = root,
                  .length = random_.length(static_cast<int>(chosen.longest))};
        base.how = static_cast<form>(random_.below(3)), base.in_place = random_.below(2) == 0;
        divide(base);
        std::vector<Number> memory(static_cast<std::size_t>(ranks));
        for (int i = 0; i < base.length; ++i) expected_.push_back(with_.canonical(what, i, memory));
        reference_ = make(base, nullptr);
        if (base.scatters()) gather(base);
        call again = base, shorter = base, moved = base;
        again.how = static_cast<form>((static_cast<int>(base.how) + 1 + random_.below(2)) % 3);
        again.in_place = !base.in_place;
        make(again, &tally_.forms);
        for (int i = 0; i < 2; ++i) {
            shorter.length = i == 0 ? random_.length(base.length) : 1 + random_.below(base.length);
            divide(shorter);
            make(shorter, &tally_.lengths);
        }
        moved.shift = base.length == 1 ? 0 : 1 + random_.below(base.length - 1);
        make(moved, &tally_.places);
    }

  private:
    /// Divides the operand of a reduce_scatter into blocks; those of reduce_scatter_block are equal.
    void divide(call& c) {
        if (c.what == function::reduce_scatter_block) {
            const int block = std::max(1, c.length / ranks);
            c.length = block * ranks, c.counts.assign(static_cast<std::size_t>(ranks), block);
        } else if (c.what == function::reduce_scatter) {
            std::vector<int> ends{c.length};
            while (std::ssize(ends) < ranks) ends.push_back(random_.below(c.length + 1));
            std::sort(ends.begin(), ends.end());
            c.counts = ends;
            for (std::size_t r = 1; r < ends.size(); ++r) c.counts[r] -= ends[r - 1];
        }
    }
    /// Makes a call, and returns its results on this rank. Compares them with the canonical tree and, if `with_longest`, with
    /// the results of the longest call.
    std::vector<Number> make(call c, difference* with_longest) {
        const bool long_one = c.length >= 65536 / static_cast<int>(sizeof(Number));
        const bool fails = (c.what == function::reduce && c.root != 0) || c.what == function::reduce_scatter;
        if (long_one && fails && !chosen_.all_in_place) c.in_place = false;
        std::vector<Number> operand(static_cast<std::size_t>(c.length)), out(operand.size());
        for (int i = 0; i < c.length; ++i)
            operand[static_cast<std::size_t>(i)] = with_.element(rank, (i + c.shift) % c.length);
        const bool in_place = c.in_place && (c.what != function::reduce || rank == c.root);
        if (in_place) std::swap(operand, out);
        MPI_Request request = MPI_REQUEST_NULL;
        arrive_late();
        begin(c, in_place ? MPI_IN_PLACE : operand.data(), out.data(), sizeof(Number) == 8 ? MPI_DOUBLE : MPI_FLOAT,
              request);
        if (c.how == form::persistent) MPI_Start(&request);
        if (c.how != form::blocking) arrive_late();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (c.how == form::persistent) MPI_Request_free(&request);
        out.resize(static_cast<std::size_t>(c.results()));
        ++tally_.calls;
        for (std::size_t i = 0; i < out.size(); ++i) {
            const std::size_t index = (static_cast<std::size_t>(c.first()) + i + static_cast<std::size_t>(c.shift)) %
                                      static_cast<std::size_t>(c.length);
            compare(out[i], expected_[index], tally_.canonical);
            if (with_longest) compare(out[i], reference_[index], *with_longest);
        }
        return out;
    }
    static void compare(const Number& result, const Number& other, difference& into) {
        ++into.compared;
        into.differing += std::memcmp(&result, &other, sizeof(Number)) != 0 ? 1 : 0;
    }
    /// Gathers the results of a reduce_scatter: in a shorter call an element belongs to another rank.
    void gather(const call& c) {
        std::vector<Number> all(static_cast<std::size_t>(c.length));
        std::vector<int> displs(c.counts.size());
        for (std::size_t r = 1; r < displs.size(); ++r) displs[r] = displs[r - 1] + c.counts[r - 1];
        const MPI_Datatype type = sizeof(Number) == 8 ? MPI_DOUBLE : MPI_FLOAT;
        MPI_Allgatherv(reference_.data(), c.results(), type, all.data(), c.counts.data(), displs.data(), type,
                       MPI_COMM_WORLD);
        reference_ = all;
    }
    void arrive_late() {
        const std::uint64_t own = mixed(mixed(key_, ~static_cast<std::uint64_t>(rank)), late_++);
        if (own % 2 == 0) ::usleep(static_cast<useconds_t>(own / 2 % 300));
    }

    const settings& chosen_;
    std::uint64_t key_, late_ = 0;
    choices random_;
    operands<Number> with_;
    tally& tally_;
    std::vector<Number> expected_, reference_;  ///< of every element, by the canonical tree and by the longest call
};

/// Reads the options. Returns the first mistake, or "".
std::string read(int count, char** values, settings& into) {
    struct option {
        std::string_view name;
        std::int64_t* value;
        std::int64_t least, most;
    };
    const option options[] = {{"--runs", &into.runs, 1, 1000000},
                              {"--seed", &into.seed, 0, INT64_MAX},
                              {"--longest", &into.longest, 1, 100000000}};
    for (int i = 1; i < count; ++i) {
        const std::string name = values[i], text = i + 1 < count ? values[i + 1] : "nothing";
        if (name == "--expect-canonical" || name == "--all-in-place") {
            (name == "--all-in-place" ? into.all_in_place : into.expect_canonical) = true;
            continue;
        }
        ++i;
        if (name == "--function") {
            into.function = std::find(names, names + functions, text) - names;
            if (into.function == functions)
                return name + ": got " + text + ", expected " + names[0] + ", " + names[1] + ", " + names[2] + ", " +
                       names[3] + ", " + names[4] + " or " + names[5];
            continue;
        }
        const auto* found =
            std::find_if(std::begin(options), std::end(options), [&](auto& o) { return o.name == name; });
        if (found == std::end(options)) return "option: got " + name + ", expected those at the head of same_bits.cpp";
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *found->value);
        if (error != std::errc() || end != text.data() + text.size() || *found->value < found->least ||
            *found->value > found->most)
            return name + ": got " + text + ", expected " + std::to_string(found->least) + ".." +
                   std::to_string(found->most);
    }
    return "";
}

/// Makes all runs of this rank.
std::vector<tally> make_runs(const settings& chosen) {
    std::vector<tally> all(functions);
    choices random(static_cast<std::uint64_t>(chosen.seed));
    for (std::int64_t i = 0; i < chosen.runs; ++i) {
        const auto f = static_cast<std::size_t>(chosen.function < 0 ? i % functions : chosen.function);
        const int root = static_cast<int>((chosen.function < 0 ? i / functions : i) % ranks);
        const auto what = static_cast<function>(f);
        const std::uint64_t key = random.any();
        if (random.below(3) == 0) run<float>(chosen, what, key, root, all[f]);
        else run<double>(chosen, what, key, root, all[f]);
    }
    return all;
}

/// Adds the differences of all ranks, on all ranks.
void add_ranks(std::vector<tally>& all) {
    for (tally& one : all) {
        const std::int64_t calls = one.calls;  // of all ranks together
        MPI_Allreduce(MPI_IN_PLACE, &one, tally_size, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        one.calls = calls;
    }
}

void print_row(const char* name, const tally& one) {
    std::printf("%-20s %6lld  %-24s  %-24s  %-24s  %s\n", name, static_cast<long long>(one.calls),
                one.canonical.text().c_str(), one.forms.text().c_str(), one.lengths.text().c_str(),
                one.places.text().c_str());
}

/// Prints the rows, and a line of all.
void print(const std::vector<tally>& all, const settings& chosen) {
    tally sum;
    std::printf("%-20s %6s  %-24s  %-24s  %-24s  %s\n", "function", "calls", "differ from canonical", "between forms",
                "between lengths", "between places");
    for (std::size_t f = 0; f < all.size(); ++f) {
        if (all[f].calls == 0) continue;
        print_row(names[f], all[f]);
        sum.calls += all[f].calls;
        for (const auto part : {&tally::canonical, &tally::forms, &tally::lengths, &tally::places}) {
            (sum.*part).differing += (all[f].*part).differing;
            (sum.*part).compared += (all[f].*part).compared;
        }
    }
    std::printf(
        "same_bits: %s, ranks %d, seed %lld: %lld calls, %s elements differ from the canonical tree, %s between "
        "forms, %s between lengths, %s between places\n",
        two_processes::mpi_name().c_str(), ranks, static_cast<long long>(chosen.seed),
        static_cast<long long>(sum.calls), sum.canonical.text().c_str(), sum.forms.text().c_str(),
        sum.lengths.text().c_str(), sum.places.text().c_str());
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    settings chosen;
    if (const std::string mistake = read(argc, argv, chosen); !mistake.empty()) {
        if (rank == 0) std::fprintf(stderr, "%s\n", mistake.c_str());
        MPI_Finalize();
        return 2;
    }
    std::vector<tally> all = make_runs(chosen);
    add_ranks(all);
    if (rank == 0) print(all, chosen);
    const bool differs = std::any_of(all.begin(), all.end(), [](const tally& t) { return t.canonical.differing > 0; });
    MPI_Finalize();
    return chosen.expect_canonical && differs ? 1 : 0;
}
