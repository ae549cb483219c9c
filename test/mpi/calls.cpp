#include <dlfcn.h>
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

/// calls [KEY=VALUE | KEY=VALUE=RANK | dlsym]...: the calls for choices_test.py. An info key is given to a duplicate
/// and to a split of MPI_COMM_WORLD; with RANK it is given on that rank alone.

namespace {

int rank = 0, ranks = 1;
int failures = 0;

void expect(bool right, const char* what) {
    if (right) return;
    ++failures;
    std::printf("rank %d: wrong %s\n", rank, what);
}

using allreduce_type = int(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);

void sum(allreduce_type* allreduce, int count, MPI_Comm comm) {
    const std::vector<double> in(static_cast<std::size_t>(count), rank + 1.0);
    std::vector<double> out(in.size());
    allreduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, comm);
    for (const double one : out) expect(one == ranks * (ranks + 1) / 2.0, "sum");
}

/// Keeps the operand of the first rank: associative, and not commutative.
void keep_first(void* in, void* inout, int* count, MPI_Datatype*) {
    std::memcpy(inout, in, static_cast<std::size_t>(*count) * sizeof(int));
}

void ordered(MPI_Comm comm) {
    MPI_Op op;
    MPI_Op_create(keep_first, 0, &op);
    std::array<int, 16> in{}, out{};
    in.fill(rank);
    MPI_Allreduce(in.data(), out.data(), 16, MPI_INT, op, comm);
    for (const int one : out) expect(one == 0, "first operand");
    MPI_Op_free(&op);
}

void forms() {
    std::array<double, 2> in{1, 1}, out{};
    MPI_Request request;
    MPI_Iallreduce(in.data(), out.data(), 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(out[1] == ranks, "non-blocking sum");
    std::vector<double> data(8192, rank == 0 ? 7 : 0);
    MPI_Bcast(data.data(), 8192, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    expect(data.back() == 7, "broadcast");
    std::vector<int> counts(static_cast<std::size_t>(ranks), 1), displs(counts), all(counts);
    for (int r = 0; r < ranks; ++r) displs[static_cast<std::size_t>(r)] = r;
    MPI_Gatherv(&rank, 1, MPI_INT, all.data(), counts.data(), displs.data(), MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) expect(all.back() == ranks - 1, "gatherv");
}

void with_info(std::string key) {
    std::string value = key.substr(key.find('=') + 1);
    key.resize(key.find('='));
    bool mine = true;
    if (const std::size_t last = value.rfind('='); last != value.npos && value[last - 1] == ',') {
        mine = rank == std::stoi(value.substr(last + 1));
        value.resize(last - 1);
    }
    MPI_Info info;
    MPI_Info_create(&info);
    if (mine) MPI_Info_set(info, key.c_str(), value.c_str());
    MPI_Comm twin, split;
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &twin);
    sum(MPI_Allreduce, 3, twin);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &split);
    sum(MPI_Allreduce, 5, split);
    MPI_Comm_set_info(split, info);
    sum(MPI_Allreduce, 5, split);
    MPI_Info_free(&info);
    MPI_Comm_free(&twin);
    MPI_Comm_free(&split);
}

void by_dlsym() {
    auto* found = reinterpret_cast<allreduce_type*>(dlsym(RTLD_DEFAULT, "MPI_Allreduce"));
    auto* counter = reinterpret_cast<long (*)(const char*, int)>(dlsym(RTLD_DEFAULT, "collsched_mpi_calls"));
    if (found == nullptr || counter == nullptr) return expect(false, "symbols");
    const long before = counter("allreduce", 0);
    sum(found, 4, MPI_COMM_WORLD);
    expect(counter("allreduce", 0) == before + 1, "function by dlsym: not the library's");
}

}  // namespace

int main(int count, char** values) {
    MPI_Init(&count, &values);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 10; ++i) sum(MPI_Allreduce, 4, MPI_COMM_WORLD);
    ordered(MPI_COMM_WORLD);
    forms();
    for (int i = 1; i < count; ++i)
        if (std::strcmp(values[i], "dlsym") == 0) by_dlsym();
        else with_info(values[i]);
    MPI_Pcontrol(1);
    int all = 0;
    PMPI_Reduce(&failures, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) std::printf("%d failures\n", all);
    MPI_Finalize();
    return failures == 0 ? 0 : 1;
}
