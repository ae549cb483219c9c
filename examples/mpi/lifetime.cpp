#include "communicator_state.hpp"
#include "environment.hpp"
#include "greeting.hpp"
#include "given_cluster.hpp"
#include "info_keys.hpp"
#include "kept_states.hpp"
#include "meetings.hpp"
#include "native_mpi.hpp"
#include "node.hpp"
#include "nodes.hpp"
#include "report.hpp"
#include "requests.hpp"
#include "selection.hpp"
#include "start_checks.hpp"
#include "table.hpp"

using namespace collsched::preload;

namespace {

/// The first blocking collective call on a communicator makes the state of this library. Non-blocking calls may not
/// block for that, so the state is made together with the communicator, which is a collective operation. Otherwise
/// (after MPI_Comm_idup, for example) non-blocking calls go to the MPI library until the first blocking call: on all
/// ranks alike, since their calls on a communicator come in the same order.
int attached(int error, const MPI_Comm* made) {
    if (error == MPI_SUCCESS && mpi_is_up() && *made != MPI_COMM_NULL && communicator_state::of(*made) == nullptr)
        communicator_state::attach(*made);
    return error;
}

/// Makes a communicator with the ranks of another one, by f(). While the ranks meet, they agree on the state for it.
template <class F>
int duplicated(MPI_Comm comm, MPI_Comm* made, F f) {
    communicator_state* const on = comm != MPI_COMM_NULL && mpi_is_up() ? communicator_state::of(comm) : nullptr;
    if (on == nullptr || on->own() == MPI_COMM_NULL) {
        meet(comm);
        return attached(f(), made);
    }
    next_state next(comm);
    agreed_numbers maxima = next.proposal();
    if (!on->agree(maxima)) return attached(f(), made);
    next.decide(maxima);
    const int error = f();
    if (error == MPI_SUCCESS) communicator_state::attach(*made, next);
    return error;
}

void attach_world() {
    note_mpi_is_up(true);
    environment& all = the_environment();
    all.any_threaded = check_ranks(all.threaded);
    MPI_Comm beside = MPI_COMM_NULL;
    PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &beside);
    find_nodes(beside, ranks_per_node());
    if (wanted_shared_memory() != shared_memory_use::none) join_node(beside, wanted_shared_memory());
    all.probed = beside;
    const ::collsched::text_file::log inputs;
    share_cluster();
    share_table();
    begin_report(inputs);
    communicator_state* const world = communicator_state::attach(MPI_COMM_WORLD);
    if (verbose() && world != nullptr && world->rank() == 0) print_line(greeting(*world));
}

/// Gives a new communicator the algorithms of its info.
int with_info(int error, const MPI_Comm* made, MPI_Info info) {
    if (error != MPI_SUCCESS || !mpi_is_up() || *made == MPI_COMM_NULL) return error;
    if (communicator_state* const on = communicator_state::of(*made)) take_info(*on, info);
    return error;
}

/// In MPI-3 a duplicate has the info of its original, in MPI-4 it has none.
void inherit([[maybe_unused]] MPI_Comm original, [[maybe_unused]] MPI_Comm made) {
#if MPI_VERSION < 4
    if (!mpi_is_up() || made == MPI_COMM_NULL) return;
    const communicator_state* const from = communicator_state::of(original);
    if (from == nullptr || from->preferred() == nullptr) return;
    const wishes given = *from->preferred();
    if (communicator_state* const on = communicator_state::of(made)) on->prefer(given);
#endif
}

}  // namespace

int MPI_Init(int* argc, char*** argv) {
    check_mpi();
    const int error = PMPI_Init(argc, argv);
    if (error == MPI_SUCCESS) attach_world();
    return error;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    check_mpi();
    const int error = PMPI_Init_thread(argc, argv, required, provided);
    if (error == MPI_SUCCESS) attach_world();
    return error;
}

int MPI_Finalize() {
    reclaim();
    end_report();
    for (const MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) communicator_state::detach(comm);
    delete_kept();
    PMPI_Comm_free(&the_environment().self);
    // Where another library has made the call of MPI_Init, there is none.
    if (the_environment().probed != MPI_COMM_NULL) PMPI_Comm_free(&the_environment().probed);
    note_mpi_is_up(false);
    return PMPI_Finalize();
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
    const int error = duplicated(comm, made, [&] { return PMPI_Comm_dup(comm, made); });
    if (error == MPI_SUCCESS) inherit(comm, *made);
    return error;
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made) {
    return with_info(duplicated(comm, made, [&] { return PMPI_Comm_dup_with_info(comm, info, made); }), made, info);
}

int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info) {
    meet(comm);
    const int error = PMPI_Comm_set_info(comm, info);
    if (error != MPI_SUCCESS || !mpi_is_up()) return error;
    communicator_state* on = communicator_state::of(comm);
    if (on == nullptr) on = communicator_state::attach(comm);
    if (on != nullptr) take_info(*on, info);
    return error;
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
    meet(comm);
    return attached(PMPI_Comm_split(comm, color, key, made), made);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
    meet(comm);
    return attached(PMPI_Comm_split_type(comm, type, key, info, made), made);
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
    meet(comm);
    return attached(PMPI_Comm_create(comm, group, made), made);
}

/// Threads may each make one of these at a time. Open MPI 4.1 supports that only if no thread makes a communicator of
/// another kind or group meanwhile, so no state is made here.
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
    meet(comm, group, tag);
    const int error = PMPI_Comm_create_group(comm, group, tag, made);
#ifdef OPEN_MPI
    if (error == MPI_SUCCESS && *made != MPI_COMM_NULL && the_environment().any_threaded) {
        communicator_state::attach(*made, "made by MPI_Comm_create_group in a program with MPI_THREAD_MULTIPLE");
        return error;
    }
#endif
    return attached(error, made);
}

int MPI_Intercomm_merge(MPI_Comm inter, int high, MPI_Comm* made) {
    meet(inter);
    return attached(PMPI_Intercomm_merge(inter, high, made), made);
}

int MPI_Cart_create(MPI_Comm comm, int dimensions, const int sizes[], const int periods[], int reorder,
                    MPI_Comm* made) {
    meet(comm);
    return attached(PMPI_Cart_create(comm, dimensions, sizes, periods, reorder, made), made);
}

int MPI_Cart_sub(MPI_Comm comm, const int remaining[], MPI_Comm* made) {
    meet(comm);
    return attached(PMPI_Cart_sub(comm, remaining, made), made);
}

int MPI_Graph_create(MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder, MPI_Comm* made) {
    meet(comm);
    return attached(PMPI_Graph_create(comm, nodes, index, edges, reorder, made), made);
}

int MPI_Dist_graph_create(MPI_Comm comm, int nodes, const int sources[], const int degrees[], const int targets[],
                          const int weights[], MPI_Info info, int reorder, MPI_Comm* made) {
    meet(comm);
    return attached(PMPI_Dist_graph_create(comm, nodes, sources, degrees, targets, weights, info, reorder, made), made);
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int in, const int sources[], const int source_weights[], int out,
                                   const int targets[], const int target_weights[], MPI_Info info, int reorder,
                                   MPI_Comm* made) {
    meet(comm);
    return attached(PMPI_Dist_graph_create_adjacent(comm, in, sources, source_weights, out, targets, target_weights,
                                                    info, reorder, made),
                    made);
}

int MPI_Intercomm_create(MPI_Comm local, int leader, MPI_Comm peer, int remote_leader, int tag, MPI_Comm* made) {
    meet(local, leader, peer, remote_leader, tag);
    return PMPI_Intercomm_create(local, leader, peer, remote_leader, tag, made);
}

int MPI_Comm_spawn(const char* command, char* values[], int most, MPI_Info info, int root, MPI_Comm comm,
                   MPI_Comm* made, int errors[]) {
    meet(comm);
    return PMPI_Comm_spawn(command, values, most, info, root, comm, made, errors);
}

int MPI_Comm_spawn_multiple(int count, char* commands[], char** values[], const int most[], const MPI_Info infos[],
                            int root, MPI_Comm comm, MPI_Comm* made, int errors[]) {
    meet(comm);
    return PMPI_Comm_spawn_multiple(count, commands, values, most, infos, root, comm, made, errors);
}

int MPI_Comm_disconnect(MPI_Comm* comm) {
    meet(*comm);
    return PMPI_Comm_disconnect(comm);
}

int MPI_Type_free(MPI_Datatype* type) { return free_type(type); }

int MPI_Op_free(MPI_Op* op) { return free_op(op); }

COLLSCHED_ALSO_PMPI(MPI_, , Init, Init_thread, Finalize, Comm_dup, Comm_dup_with_info, Comm_set_info, Comm_split,
                    Comm_split_type, Comm_create, Comm_create_group, Intercomm_merge, Cart_create, Cart_sub,
                    Graph_create, Dist_graph_create, Dist_graph_create_adjacent, Intercomm_create, Comm_spawn,
                    Comm_spawn_multiple, Comm_disconnect, Type_free, Op_free);
