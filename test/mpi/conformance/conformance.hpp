#pragma once

#include <sched.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <vector>

#include "examples/mpi/native_of_program.hpp"

/// Common parts of the conformance program. Each part calls the interposed functions, and the MPI library's own by
/// their PMPI_ names, and compares the memory afterwards, including gaps.

namespace conformance {

/// The form of an interposed function.
enum class form { blocking, nonblocking, persistent };
constexpr const char* name_of(form f) {
    return f == form::blocking ? "blocking" : f == form::nonblocking ? "non-blocking" : "persistent";
}
inline constexpr form forms[] = {form::blocking, form::nonblocking, form::persistent};

/// The form of a call: the MPI library's blocking function, or an interposed form, started `starts` times if it is
/// persistent, with the wide integers of MPI-4 if `wide`.
struct manner {
    bool native = false;
    form which = form::blocking;
    bool wide = false;
    int starts = 2;
};

/// Returns all manners except the native one.
inline std::vector<manner> manners() {
    std::vector<manner> all;
    for (const bool wide : {false, MPI_VERSION >= 4})
        for (const form which : forms)
            if (wide || all.size() < 3) all.push_back({.which = which, .wide = wide});
    return all;
}

/// Counts, or displacements, for functions with narrow integers and with wide ones.
class integers {
  public:
    explicit integers(std::size_t size = 0) : narrow_(size) {}

    std::size_t size() const { return narrow_.size(); }
    int& operator[](std::size_t i) { return narrow_[i]; }
    int operator[](std::size_t i) const { return narrow_[i]; }
    void push_back(int one) { narrow_.push_back(one); }

    operator const int*() const { return narrow_.data(); }
    template <class Wide>
        requires std::is_same_v<Wide, MPI_Count> || std::is_same_v<Wide, MPI_Aint>
    operator const Wide*() const {
        std::vector<Wide>& into = std::get<std::is_same_v<Wide, MPI_Count> ? 0 : 1>(wide_);
        into.assign(narrow_.begin(), narrow_.end());
        return into.data();
    }

  private:
    std::vector<int> narrow_;
    mutable std::tuple<std::vector<MPI_Count>, std::vector<MPI_Aint>> wide_;
};

/// Ranks up to which calls are made on every kind of communicator. More ranks take long where they share cores.
inline constexpr int most_thorough = 4;
/// Number of compared calls.
inline long calls_compared = 0;

/// Prints an error and aborts.
[[noreturn]] inline void fail(const char* what, const char* detail) {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::fprintf(stderr, "rank %d: %s: %s\n", rank, what, detail);
    std::fflush(stderr);
    PMPI_Abort(MPI_COMM_WORLD, 1);
    std::exit(1);
}

/// Fails unless `holds`.
inline void expect(bool holds, const char* what, const char* detail = "does not hold") {
    ++calls_compared;
    if (!holds) fail(what, detail);
}

/// Returns the class of an error.
inline int class_of(int error) {
    int found = MPI_SUCCESS;
    PMPI_Error_class(error, &found);
    return found;
}

/// Makes a call in one of its forms.
template <class Blocking, class Begin, class Init>
int make(const manner& how, Blocking blocking, Begin begin, Init init) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (how.which == form::blocking) return blocking();
    if (how.which == form::nonblocking) {
        const int error = begin(&request);
        return error != MPI_SUCCESS ? error : MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    int error = init(&request);
    for (int i = 0; i < how.starts && error == MPI_SUCCESS; ++i) {
        error = MPI_Start(&request);
        if (error == MPI_SUCCESS) error = MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    return error;
}

#if MPI_VERSION >= 4
#define CONFORMANCE_INIT(name, ...) MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, r)
#define CONFORMANCE_WIDE(how, name, small, ...)                           \
    ::conformance::make(                                                  \
        how, [&] { return MPI_##name##_c(__VA_ARGS__); },                 \
        [&](MPI_Request* r) { return MPI_I##small##_c(__VA_ARGS__, r); }, \
        [&](MPI_Request* r) { return MPI_##name##_init_c(__VA_ARGS__, MPI_INFO_NULL, r); })
#else
#define CONFORMANCE_INIT(name, ...) MPIX_##name##_init(__VA_ARGS__, MPI_INFO_NULL, r)
#define CONFORMANCE_WIDE(how, name, small, ...) MPI_ERR_UNSUPPORTED_OPERATION
#endif

/// Calls the MPI library's function. With MPICH and many ranks it uses the non-blocking form: the blocking one does not
/// yield, and more ranks than cores require that.
template <class Blocking, class Begin>
int make_native(Blocking blocking, Begin begin) {
    int ranks = 0, flag = 0;
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
#ifdef MPICH
    const bool gives_way = ranks <= 2;
#else
    const bool gives_way = true;
#endif
    if (gives_way) return blocking();
    MPI_Request request = MPI_REQUEST_NULL;
    int error = begin(&request);
    while (error == MPI_SUCCESS && flag == 0) {
        error = PMPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        sched_yield();
    }
    return error;
}

/// CALL_NARROW(how, Allreduce, allreduce, arguments...): the three forms of one call, or the MPI's own.
#define CALL_NARROW(how, name, small, ...)                                                                    \
    ((how).native ? ::conformance::make_native([&] { return PMPI_##name(__VA_ARGS__); },                      \
                                               [&](MPI_Request* r) { return PMPI_I##small(__VA_ARGS__, r); }) \
                  : ::conformance::make(                                                                      \
                        how, [&] { return MPI_##name(__VA_ARGS__); },                                         \
                        [&](MPI_Request* r) { return MPI_I##small(__VA_ARGS__, r); },                         \
                        [&](MPI_Request* r) { return CONFORMANCE_INIT(name, __VA_ARGS__); }))

/// As CALL_NARROW, and also with wide integers.
#define CALL(how, name, small, ...) \
    ((how).wide ? CONFORMANCE_WIDE(how, name, small, __VA_ARGS__) : CALL_NARROW(how, name, small, __VA_ARGS__))

/// A communicator and this rank in it.
struct group {
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0, size = 1;
    const char* name = "";

    group(MPI_Comm of, const char* called) : comm(of), name(called) {
        PMPI_Comm_rank(of, &rank);
        PMPI_Comm_size(of, &size);
    }
};

/// Returns the roots to test: if there are many ranks, the first, the last, and one between.
inline std::vector<int> roots(const group& on) {
    if (on.size > 4) return {0, on.size / 2, on.size - 1};
    std::vector<int> all;
    for (int root = 0; root < on.size; ++root) all.push_back(root);
    return all;
}

/// Returns a reproducible value that differs between ranks and positions.
inline int value(int rank, std::size_t i) {
    return static_cast<int>((static_cast<std::size_t>(rank) * 7919 + i * 31) % 1009);
}

/// Returns integers that a call will change. Both runs start with the same ones.
inline std::vector<int> filled(int rank, std::size_t count) {
    std::vector<int> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = value(rank, i);
    return all;
}

/// Calls body(how, memory) twice, natively and interposed, each with the same `begin` in memory, and compares the
/// memory afterwards.
template <class Body>
void compare(const char* what, const group& on, manner how, const std::vector<int>& begin, Body body) {
    std::vector<int> native = begin, ours = begin;
    const int native_error = body(manner{.native = true}, native.data());
    const int error = body(how, ours.data());
    ++calls_compared;
    char detail[200];
    if (error != native_error) {
        std::snprintf(detail, sizeof detail, "%s, %s: error %d instead of %d", on.name, name_of(how.which), error,
                      native_error);
        fail(what, detail);
    }
    for (std::size_t i = 0; i < begin.size(); ++i) {
        if (native[i] == ours[i]) continue;
        std::snprintf(detail, sizeof detail, "%s of %d ranks, rank %d, %s: int %zu of %zu is %d instead of %d", on.name,
                      on.size, on.rank, name_of(how.which), i, begin.size(), ours[i], native[i]);
        fail(what, detail);
    }
}

/// The memory layout of elements of one type signature: `ints` ints per element, `stride` ints from one element to the
/// next.
struct layout {
    MPI_Datatype type = MPI_INT;
    std::size_t ints = 1, stride = 1;
    bool made = false;
};

layout plain_ints(std::size_t ints);   ///< contiguous
layout spread_ints(std::size_t ints);  ///< with gaps
void free_layout(layout& one);

void moving(const group& on);
void irregular(const group& on);
void reductions(const group& on);
void requests(const group& on);
void repeats(const group& on);
void lengths(const group& on);
void absolutes(const group& on);
void one_buffer(const group& on);
void oddities(const group& on);
void errors(const group& on);
void driven(const group& on);
void lifetimes();
void intercommunicators();
void threads();
void large(const group& on);

}  // namespace conformance
