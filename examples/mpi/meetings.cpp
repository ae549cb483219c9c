#include "meetings.hpp"

#include <map>
#include <memory>
#include <vector>

#include "communicator_state.hpp"
#include "environment.hpp"
#include "never_destroyed.hpp"
#include "nodes.hpp"
#include "progress.hpp"

namespace collsched::preload {

namespace {

/// Sends an empty message, and receives one.
void exchange(MPI_Comm comm, int to, int from, int tag) {
    complete_both([&](MPI_Request* r) { return PMPI_Isend(nullptr, 0, MPI_BYTE, to, tag, comm, r); },
                  [&](MPI_Request* r) { return PMPI_Irecv(nullptr, 0, MPI_BYTE, from, tag, comm, r); },
                  MPI_STATUS_IGNORE);
}

}  // namespace

void meet(MPI_Comm comm) {
    if (comm == MPI_COMM_NULL || !mpi_is_up()) return;
    if (communicator_state* on = communicator_state::of(comm)) on->meet();
    else meet_by_mpi(comm);
}

/// A barrier of an intercommunicator waits for the ranks of the other group alone. Those enter the second one when all
/// ranks of this group have entered the first.
int meet_by_mpi(MPI_Comm comm) {
    const auto barrier = [&] { return complete([&](MPI_Request* request) { return PMPI_Ibarrier(comm, request); }); };
    int inter = 0;
    PMPI_Comm_test_inter(comm, &inter);
    const int error = barrier();
    return error != MPI_SUCCESS || inter == 0 ? error : barrier();
}

void meet(MPI_Comm comm, MPI_Group group, int tag) {
    if (comm == MPI_COMM_NULL || group == MPI_GROUP_NULL || !mpi_is_up()) return;
    communicator_state* const on = communicator_state::of(comm);
    if (on == nullptr || on->own() == MPI_COMM_NULL) return;
    int ranks = 0, mine = 0;
    PMPI_Group_size(group, &ranks);
    PMPI_Group_rank(group, &mine);
    if (mine == MPI_UNDEFINED) return;
    const std::vector<int> there = ranks_in(on->own(), group);
    for (int distance = 1; distance < ranks; distance *= 2) {
        const auto at = [&](int r) { return there[static_cast<std::size_t>((r + ranks) % ranks)]; };
        exchange(on->own(), at(mine + distance), at(mine - distance), on->tag_of_group(tag));
    }
}

void meet(MPI_Comm local, int leader, MPI_Comm peer, int remote_leader, int tag) {
    if (local == MPI_COMM_NULL || !mpi_is_up()) return;
    int mine = 0;
    PMPI_Comm_rank(local, &mine);
    meet(local);
    if (mine == leader) exchange(peer, remote_leader, remote_leader, tag);
    meet(local);
}

namespace {

/// The communicators on which windows or files were made.
template <class Handle>
class origins {
  public:
    /// Remembers a handle that was made.
    int note(int error, const Handle* made, MPI_Comm comm) {
        if (error != MPI_SUCCESS || !mpi_is_up()) return error;
        const guard hold;
        if (communicator_state* on = communicator_state::of(comm)) all_[*made] = on->shared_from_this();
        return error;
    }
    void meet(Handle one) const {
        if (const std::shared_ptr<communicator_state> on = find(one)) on->meet();
    }
    /// Meets for the last time.
    void leave(Handle one) {
        meet(one);
        const guard hold;
        all_.erase(one);
    }

  private:
    std::shared_ptr<communicator_state> find(Handle one) const {
        const guard hold;
        const auto found = all_.find(one);
        return found == all_.end() ? nullptr : found->second;
    }

    std::map<Handle, std::shared_ptr<communicator_state>> all_;
};

constinit never_destroyed<origins<MPI_Win>> windows;
constinit never_destroyed<origins<MPI_File>> files;

template <auto Native, class... Arguments>
int met(MPI_File file, Arguments... given) {
    files->meet(file);
    return Native(file, given...);
}

}  // namespace

}  // namespace collsched::preload

using namespace collsched::preload;

int MPI_Win_create(void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win* made) {
    meet(comm);
    return windows->note(PMPI_Win_create(base, size, unit, info, comm, made), made, comm);
}

int MPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* made) {
    meet(comm);
    return windows->note(PMPI_Win_allocate(size, unit, info, comm, base, made), made, comm);
}

int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* made) {
    meet(comm);
    return windows->note(PMPI_Win_allocate_shared(size, unit, info, comm, base, made), made, comm);
}

int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* made) {
    meet(comm);
    return windows->note(PMPI_Win_create_dynamic(info, comm, made), made, comm);
}

int MPI_Win_fence(int asserted, MPI_Win window) {
    windows->meet(window);
    return PMPI_Win_fence(asserted, window);
}

int MPI_Win_wait(MPI_Win window) {
    if (nothing_in_flight()) return PMPI_Win_wait(window);
    return drive([&](int* flag) { return PMPI_Win_test(window, flag); });
}

int MPI_Win_test(MPI_Win window, int* flag) {
    progress();
    return PMPI_Win_test(window, flag);
}

int MPI_Win_free(MPI_Win* window) {
    windows->leave(*window);
    return PMPI_Win_free(window);
}

int MPI_File_open(MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* made) {
    meet(comm);
    return files->note(PMPI_File_open(comm, name, mode, info, made), made, comm);
}

int MPI_File_close(MPI_File* file) {
    files->leave(*file);
    return PMPI_File_close(file);
}

int MPI_File_set_size(MPI_File file, MPI_Offset size) { return met<PMPI_File_set_size>(file, size); }

int MPI_File_preallocate(MPI_File file, MPI_Offset size) { return met<PMPI_File_preallocate>(file, size); }

int MPI_File_set_info(MPI_File file, MPI_Info info) { return met<PMPI_File_set_info>(file, info); }

int MPI_File_set_view(MPI_File file, MPI_Offset begin, MPI_Datatype element, MPI_Datatype pattern, const char* form,
                      MPI_Info info) {
    return met<PMPI_File_set_view>(file, begin, element, pattern, form, info);
}

int MPI_File_set_atomicity(MPI_File file, int flag) { return met<PMPI_File_set_atomicity>(file, flag); }

int MPI_File_sync(MPI_File file) { return met<PMPI_File_sync>(file); }

int MPI_File_seek_shared(MPI_File file, MPI_Offset offset, int from) {
    return met<PMPI_File_seek_shared>(file, offset, from);
}

/// The collective functions that read and write, each with the types of its buffer and count.
#define COLLSCHED_AT(name, Buffer, Integer)                                                              \
    int MPI_File_##name(MPI_File file, MPI_Offset offset, Buffer data, Integer count, MPI_Datatype type, \
                        MPI_Status* status) {                                                            \
        return met<PMPI_File_##name>(file, offset, data, count, type, status);                           \
    }
#define COLLSCHED_HERE(name, Buffer, Integer)                                                               \
    int MPI_File_##name(MPI_File file, Buffer data, Integer count, MPI_Datatype type, MPI_Status* status) { \
        return met<PMPI_File_##name>(file, data, count, type, status);                                      \
    }
#define COLLSCHED_BEGIN_AT(name, Buffer, Integer)                                                          \
    int MPI_File_##name(MPI_File file, MPI_Offset offset, Buffer data, Integer count, MPI_Datatype type) { \
        return met<PMPI_File_##name>(file, offset, data, count, type);                                     \
    }
#define COLLSCHED_BEGIN(name, Buffer, Integer)                                          \
    int MPI_File_##name(MPI_File file, Buffer data, Integer count, MPI_Datatype type) { \
        return met<PMPI_File_##name>(file, data, count, type);                          \
    }
#define COLLSCHED_END(name, Buffer)                                       \
    int MPI_File_##name(MPI_File file, Buffer data, MPI_Status* status) { \
        return met<PMPI_File_##name>(file, data, status);                 \
    }

COLLSCHED_AT(read_at_all, void*, int)
COLLSCHED_AT(write_at_all, const void*, int)
COLLSCHED_HERE(read_all, void*, int)
COLLSCHED_HERE(write_all, const void*, int)
COLLSCHED_HERE(read_ordered, void*, int)
COLLSCHED_HERE(write_ordered, const void*, int)
COLLSCHED_BEGIN_AT(read_at_all_begin, void*, int)
COLLSCHED_BEGIN_AT(write_at_all_begin, const void*, int)
COLLSCHED_BEGIN(read_all_begin, void*, int)
COLLSCHED_BEGIN(write_all_begin, const void*, int)
COLLSCHED_BEGIN(read_ordered_begin, void*, int)
COLLSCHED_BEGIN(write_ordered_begin, const void*, int)
COLLSCHED_END(read_at_all_end, void*)
COLLSCHED_END(write_at_all_end, const void*)
COLLSCHED_END(read_all_end, void*)
COLLSCHED_END(write_all_end, const void*)
COLLSCHED_END(read_ordered_end, void*)
COLLSCHED_END(write_ordered_end, const void*)

#if MPI_VERSION >= 4

int MPI_Win_create_c(void* base, MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, MPI_Win* made) {
    meet(comm);
    return windows->note(PMPI_Win_create_c(base, size, unit, info, comm, made), made, comm);
}

int MPI_Win_allocate_c(MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* made) {
    meet(comm);
    return windows->note(PMPI_Win_allocate_c(size, unit, info, comm, base, made), made, comm);
}

int MPI_Win_allocate_shared_c(MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* made) {
    meet(comm);
    return windows->note(PMPI_Win_allocate_shared_c(size, unit, info, comm, base, made), made, comm);
}

COLLSCHED_AT(read_at_all_c, void*, MPI_Count)
COLLSCHED_AT(write_at_all_c, const void*, MPI_Count)
COLLSCHED_HERE(read_all_c, void*, MPI_Count)
COLLSCHED_HERE(write_all_c, const void*, MPI_Count)
COLLSCHED_HERE(read_ordered_c, void*, MPI_Count)
COLLSCHED_HERE(write_ordered_c, const void*, MPI_Count)
COLLSCHED_BEGIN_AT(read_at_all_begin_c, void*, MPI_Count)
COLLSCHED_BEGIN_AT(write_at_all_begin_c, const void*, MPI_Count)
COLLSCHED_BEGIN(read_all_begin_c, void*, MPI_Count)
COLLSCHED_BEGIN(write_all_begin_c, const void*, MPI_Count)
COLLSCHED_BEGIN(read_ordered_begin_c, void*, MPI_Count)
COLLSCHED_BEGIN(write_ordered_begin_c, const void*, MPI_Count)

COLLSCHED_ALSO_PMPI(MPI_, , Win_create_c, Win_allocate_c, Win_allocate_shared_c);
COLLSCHED_ALSO_PMPI(MPI_File_, , read_at_all_c, write_at_all_c, read_all_c, write_all_c, read_ordered_c,
                    write_ordered_c, read_at_all_begin_c, write_at_all_begin_c, read_all_begin_c, write_all_begin_c,
                    read_ordered_begin_c, write_ordered_begin_c);

#endif

COLLSCHED_ALSO_PMPI(MPI_, , Win_create, Win_allocate, Win_allocate_shared, Win_create_dynamic, Win_fence, Win_wait,
                    Win_test, Win_free, File_open, File_close, File_set_size, File_preallocate, File_set_info,
                    File_set_view, File_set_atomicity, File_sync, File_seek_shared);
COLLSCHED_ALSO_PMPI(MPI_File_, , read_at_all, write_at_all, read_all, write_all, read_ordered, write_ordered,
                    read_at_all_begin, write_at_all_begin, read_all_begin, write_all_begin, read_ordered_begin,
                    write_ordered_begin, read_at_all_end, write_at_all_end, read_all_end, write_all_end,
                    read_ordered_end, write_ordered_end);
