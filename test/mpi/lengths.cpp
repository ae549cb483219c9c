#include <fcntl.h>
#include <fnmatch.h>
#include <mpi.h>
#if defined(OPEN_MPI) && MPI_VERSION < 4
#include <mpi-ext.h>
#define MPI4(name) MPIX_##name
#else
#define MPI4(name) MPI_##name
#endif
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

/// lengths FILE FIRST SECONDS PATTERN...: collective calls whose ranks disagree on the length of a block, from the FIRST
/// case on, without those whose names match a pattern. Each rank appends a line per case to FILE: the case, the rank, 0 or
/// the class of its error (`truncate`, or a number), a hash of its result, and whether memory beyond its result has
/// changed. A rank that is in a case for SECONDS appends `hang`, and the program ends.

namespace {

enum class function {
    bcast,
    scatter,
    scatterv,
    gather,
    gatherv,
    allgather,
    allgatherv,
    alltoall,
    alltoallv,
    alltoallw,
    reduce,
    allreduce,
    reduce_scatter,
    reduce_scatter_block,
    scan,
    exscan,
};
using enum function;
constexpr std::array function_names = {
    "bcast",    "scatter",   "scatterv",  "gather", "gatherv",   "allgather",      "allgatherv",
    "alltoall", "alltoallv", "alltoallw", "reduce", "allreduce", "reduce_scatter", "reduce_scatter_block",
    "scan",     "exscan"};

/// The blocks whose length differs: a rank's own one; those of ranks other than the root, or from the last rank to rank 0;
/// those of the last rank; all.
enum class blocks { own, other, last, all };
constexpr std::array block_names = {"own", "other", "last", "all"};
constexpr std::array form_names = {"blocking", "nonblocking", "persistent"};

int rank = 0, ranks = 1, file = -1;
char hang_line[160];
int hang_length = 0;

#ifdef __SANITIZE_ADDRESS__
#define ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#define ADDRESS_SANITIZER __has_feature(address_sanitizer)
#else
#define ADDRESS_SANITIZER 0
#endif
/// Ints beyond each result. The address sanitizer finds what is written there by itself.
constexpr std::size_t margin = ADDRESS_SANITIZER ? 0 : 40000;

struct disagreement {
    function what = bcast;
    blocks which = blocks::all;
    bool longer = true;
    int form = 0;
    int length = 100;   ///< of the other blocks, in elements
    bool gaps = false;  ///< elements of an int and a gap

    std::string name() const {
        const auto at = [](auto one) { return static_cast<std::size_t>(one); };
        return std::string(function_names[at(what)]) + "/" + block_names[at(which)] + (longer ? "-long" : "-short") +
               "/" + form_names[at(form)] + "/" + std::to_string(length) + (gaps ? "-gaps" : "");
    }
};

bool reduces(function f) { return f >= reduce; }
bool has_root(function f) { return f <= gatherv || f == reduce; }
bool exchanges(function f) { return f == alltoallv || f == alltoallw; }

bool applies(function f, blocks which) {
    const bool has_own = f == scatter || f == scatterv || f == gather || f == gatherv || exchanges(f);
    switch (which) {
        case blocks::own: return has_own;
        case blocks::other: return has_own || f == bcast || reduces(f);
        case blocks::last: return true;
        case blocks::all: return !reduces(f) && f != bcast;
    }
    return false;
}

/// Returns the surplus in elements of the block between two ranks: of what is sent, or if `by_receiver` of what is not
/// expected. The root is rank 0.
int surplus(const disagreement& one, int from, int to) {
    const bool rooted = has_root(one.what) || reduces(one.what);
    const bool down = one.what == bcast || one.what == scatter || one.what == scatterv;
    const int peer = down ? to : from;
    const bool differs = one.which == blocks::own     ? from == to && (!exchanges(one.what) || from == ranks - 1)
                         : one.which == blocks::other ? (rooted ? peer != 0 : from == ranks - 1 && to == 0)
                         : one.which == blocks::last  ? peer == ranks - 1
                                                      : true;
    return differs ? (one.longer ? one.length / 2 : -one.length / 2) : 0;
}

/// The arguments of this rank, with one count per peer.
struct arguments {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Datatype type = MPI_INT;
    int stride = 1;  ///< ints per element
    std::vector<int> in, out, sent, received, sent_at, received_at;
    std::vector<MPI_Datatype> types;
    std::size_t result = 0;  ///< ints of the output that may be written
};

int sum_of(const std::vector<int>& counts) {
    int sum = 0;
    for (const int one : counts) sum += one;
    return sum;
}

std::vector<int> offsets_of(const std::vector<int>& counts) {
    std::vector<int> offsets(counts.size());
    for (std::size_t i = 1; i < counts.size(); ++i) offsets[i] = offsets[i - 1] + counts[i - 1];
    return offsets;
}

/// Fills in the counts. For scatter and bcast, whose root has one count, the receiver's differs, and elsewhere the sender's.
void count_blocks(const disagreement& one, arguments& made) {
    const bool by_receiver = one.what == bcast || one.what == scatter;
    const bool rooted = has_root(one.what);
    const bool down = one.what == scatter || one.what == scatterv || one.what == bcast;
    for (int peer = 0; peer < ranks; ++peer) {
        const bool sends = !rooted || (down ? rank == 0 : peer == 0);
        const bool receives = !rooted || (down ? peer == 0 : rank == 0);
        made.sent.push_back(!sends ? 0 : one.length + (by_receiver ? 0 : surplus(one, rank, peer)));
        made.received.push_back(!receives ? 0 : one.length - (by_receiver ? surplus(one, peer, rank) : 0));
    }
    made.sent_at = offsets_of(made.sent);
    made.received_at = offsets_of(made.received);
}

void make_buffers(const disagreement& one, arguments& made) {
    const bool blocks_out = one.what == scatter || one.what == scatterv || one.what == alltoall || exchanges(one.what);
    const bool inward = one.what == reduce_scatter || one.what == reduce_scatter_block;
    int sent = blocks_out || inward ? sum_of(made.sent) : made.sent[0];
    int received = sum_of(made.received);
    if (reduces(one.what)) received = made.sent[static_cast<std::size_t>(one.what == reduce_scatter ? rank : 0)];
    if (one.what == bcast) received = rank == 0 ? sent : made.received[0];
    if (one.what == reduce && rank != 0) received = 0;
    const auto ints = [&](int count) {
        return static_cast<std::size_t>(count) * static_cast<std::size_t>(made.stride);
    };
    for (std::size_t i = 0; i < ints(sent); ++i) made.in.push_back(1000003 * rank + static_cast<int>(i));
    made.result = ints(received);
    made.out.assign(made.result + margin, -1);
    if (one.what == bcast && rank == 0) std::copy(made.in.begin(), made.in.end(), made.out.begin());
}

arguments arguments_of(const disagreement& one, MPI_Comm comm) {
    arguments made;
    made.comm = comm;
    made.stride = one.gaps ? 2 : 1;
    if (one.gaps) {
        MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &made.type);
        MPI_Type_commit(&made.type);
    }
    count_blocks(one, made);
    made.types.assign(static_cast<std::size_t>(ranks), made.type);
    make_buffers(one, made);
    return made;
}

/// Calls one of the three forms of a function. Sets the request of the last two.
template <class Blocking, class Nonblocking, class Persistent, class... Arguments>
int call_form(int form, MPI_Request* request, Blocking blocking, Nonblocking nonblocking, Persistent persistent,
              Arguments... given) {
    if (form == 0) return blocking(given...);
    if (form == 1) return nonblocking(given..., request);
    return persistent(given..., MPI_INFO_NULL, request);
}
#define CALL(name, small, ...) \
    call_form(one.form, request, MPI_##name, MPI_I##small, MPI4(name##_init), __VA_ARGS__, with.comm)

int move(const disagreement& one, arguments& with, MPI_Request* request) {
    const int sent = with.sent[0], received = with.received[0];
    const int *counts = with.sent.data(), *at = with.sent_at.data(), *out_counts = with.received.data(),
              *out_at = with.received_at.data();
    int *const in = with.in.data(), *const out = with.out.data();
    const MPI_Datatype type = with.type;
    switch (one.what) {
        case bcast: return CALL(Bcast, bcast, out, rank == 0 ? sent : received, type, 0);
        case scatter: return CALL(Scatter, scatter, in, sent, type, out, received, type, 0);
        case scatterv: return CALL(Scatterv, scatterv, in, counts, at, type, out, received, type, 0);
        case gather: return CALL(Gather, gather, in, sent, type, out, received, type, 0);
        case gatherv: return CALL(Gatherv, gatherv, in, sent, type, out, out_counts, out_at, type, 0);
        case allgather: return CALL(Allgather, allgather, in, sent, type, out, received, type);
        case allgatherv: return CALL(Allgatherv, allgatherv, in, sent, type, out, out_counts, out_at, type);
        case alltoall: return CALL(Alltoall, alltoall, in, sent, type, out, received, type);
        case alltoallv: return CALL(Alltoallv, alltoallv, in, counts, at, type, out, out_counts, out_at, type);
        default: break;
    }
    const auto bytes = [&](std::vector<int>& places) {
        for (int& place : places) place *= with.stride * static_cast<int>(sizeof(int));
    };
    bytes(with.sent_at), bytes(with.received_at);
    const MPI_Datatype* const types = with.types.data();
    return CALL(Alltoallw, alltoallw, in, counts, at, types, out, out_counts, out_at, types);
}

int combine(const disagreement& one, arguments& with, MPI_Request* request) {
    const int count = with.sent[0];
    int *const in = with.in.data(), *const out = with.out.data();
    switch (one.what) {
        case reduce: return CALL(Reduce, reduce, in, out, count, MPI_INT, MPI_SUM, 0);
        case allreduce: return CALL(Allreduce, allreduce, in, out, count, MPI_INT, MPI_SUM);
        case scan: return CALL(Scan, scan, in, out, count, MPI_INT, MPI_SUM);
        case exscan: return CALL(Exscan, exscan, in, out, count, MPI_INT, MPI_SUM);
        case reduce_scatter: return CALL(Reduce_scatter, reduce_scatter, in, out, with.sent.data(), MPI_INT, MPI_SUM);
        default: return CALL(Reduce_scatter_block, reduce_scatter_block, in, out, count, MPI_INT, MPI_SUM);
    }
}

/// Returns the first error of a call, its start and its completion.
int run(const disagreement& one, arguments& with) {
    MPI_Request request = MPI_REQUEST_NULL;
    int error = reduces(one.what) ? combine(one, with, &request) : move(one, with, &request);
    if (error != MPI_SUCCESS || one.form == 0) return error;
    if (one.form == 2) error = MPI_Start(&request);
    if (error == MPI_SUCCESS) error = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (one.form == 2 && request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    return error;
}

void append(const char* line, int length) {
    if (write(file, line, static_cast<std::size_t>(length)) != length) _exit(4);
}

/// Returns whether an int of the result has been sent. In an allgather, what the MPIs leave in the rest of a block that is
/// too short depends on their algorithm.
bool was_sent(const disagreement& one, const arguments& with, std::size_t at) {
    if (one.what != allgather && one.what != allgatherv) return true;
    const int element = static_cast<int>(at) / with.stride;
    const int from = element / one.length;
    return element % one.length < one.length + surplus(one, from, rank);
}

std::string class_of(int error) {
    int error_class = MPI_SUCCESS;
    if (error != MPI_SUCCESS) MPI_Error_class(error, &error_class);
    return error_class == MPI_ERR_TRUNCATE ? "truncate" : std::to_string(error_class);
}

void report(const disagreement& one, const arguments& with, int error) {
    unsigned hash = 2166136261U;
    bool beyond = false;
    for (std::size_t i = 0; i < with.result; ++i)
        if (was_sent(one, with, i)) hash = (hash ^ static_cast<unsigned>(with.out[i])) * 16777619U;
    for (std::size_t i = with.result; i < with.out.size(); ++i) beyond = beyond || with.out[i] != -1;
    char line[160];
    append(line, std::snprintf(line, sizeof line, "%s %d %s %08x %d\n", one.name().c_str(), rank,
                               class_of(error).c_str(), hash, beyond));
}

void end_hanging(int) {
    append(hang_line, hang_length);
    _exit(3);
}

/// Runs a case on a communicator that only cases without errors have used. Buffers are kept after an error, since messages
/// may still arrive.
void try_case(const disagreement& one, unsigned seconds) {
    static MPI_Comm comm = MPI_COMM_NULL;
    if (comm == MPI_COMM_NULL) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    }
    hang_length = std::snprintf(hang_line, sizeof hang_line, "%s %d hang 0 0\n", one.name().c_str(), rank);
    arguments& with = *new arguments(arguments_of(one, comm));
    alarm(seconds);
    const int error = run(one, with);
    report(one, with, error);
    hang_length = 0;
    int any_error = error != MPI_SUCCESS ? 1 : 0;
    PMPI_Allreduce(MPI_IN_PLACE, &any_error, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    alarm(0);
    if (any_error != 0) comm = MPI_COMM_NULL;
    else delete &with;
}

std::vector<disagreement> all_cases() {
    std::vector<disagreement> all;
    for (int f = 0; f <= static_cast<int>(exscan); ++f)
        for (int which = 0; which < 4; ++which)
            for (int form = 0; form < 3; ++form)
                for (const bool longer : {true, false})
                    for (const int length : {100, 30000})
                        for (const bool gaps : {false, true}) {
                            const disagreement one{
                                static_cast<function>(f), static_cast<blocks>(which), longer, form, length, gaps};
                            if (applies(one.what, one.which) && !(gaps && (length > 100 || reduces(one.what))))
                                all.push_back(one);
                        }
    return all;
}

}  // namespace

int main(int count, char** values) {
    if (count < 4) return 2;
    MPI_Init(&count, &values);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    std::signal(SIGALRM, end_hanging);
    file = open(values[1], O_WRONLY | O_APPEND | O_CREAT, 0600);
    const std::vector<disagreement> all = all_cases();
    for (std::size_t i = static_cast<std::size_t>(std::atoi(values[2])); i < all.size(); ++i) {
        char line[160];
        const auto matches = [&](const char* pattern) { return fnmatch(pattern, all[i].name().c_str(), 0) == 0; };
        if (std::any_of(values + 4, values + count, matches)) continue;
        if (rank == 0) append(line, std::snprintf(line, sizeof line, "begin %zu %s\n", i, all[i].name().c_str()));
        try_case(all[i], static_cast<unsigned>(std::atoi(values[3])));
    }
    if (rank == 0) append("end\n", 4);
    _exit(0);
}
