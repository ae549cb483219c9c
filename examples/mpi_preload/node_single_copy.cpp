#include "node_single_copy.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "collsched/execute/shared_memory/detail/process_copy.hpp"
#include "native_mpi.hpp"
#include "node_transport.hpp"

namespace collsched::preload {

namespace {

/// Returns the reason why the memory of a process cannot be read, or null.
const char* refusal_to_read(const collsched::detail::process_seat& seat, pid_t process) {
    if (!collsched::detail::is_own_process(process)) return "a process of another user or with protected memory";
    std::uint64_t seen = 0;
    errno = 0;
    if (!collsched::detail::read_process(process, seat.secret_at, &seen, sizeof seen))
        return errno != 0 ? std::strerror(errno) : "process_vm_readv was incomplete";
    return seen == seat.secret ? nullptr : "process_vm_readv returned other bytes";
}

}  // namespace

readable_processes find_readable(const process_group& group) {
    readable_processes found;
    for (rank_t r = 0; r < group.ranks(); ++r) {
        const collsched::detail::process_seat& seat = group.segment().seat(r);
        const pid_t process = seat.pid;  // once: the checks are of this process
        found.of_ranks.push_back(process);
        if (r == group.rank()) continue;
        if (const char* const refusal = refusal_to_read(seat, process)) return {{}, refusal};
    }
    return found;
}

void node_transport::use_single_copy(std::vector<pid_t> processes) {
    processes_ = std::move(processes);
    longest_small_ = std::min(longest_small_, single_copy_from - 1);
}

/// Copies the message that has waited longest in the memory of another process, and ends its send. While there is no
/// room for the record that ends it, the receive does not end either: nobody might poll afterwards.
void node_transport::copy_next() {
    const copy next = copies_.front();
    copies_.pop();
    link& to = of(next.peer);
    if (to.broken) return;
    if (!to.waiting.empty() || to.out.reserve({0, copied, next.about.send, 0}) == nullptr) return copies_.push(next);
    incoming* const receive = receives_.find(next.receive);
    bool taken = false;
    if (receive != nullptr) {
        const collsched::detail::remote_message message{.guard = next.about.guard, .id = next.about.send};
        const send_part bytes{static_cast<const std::byte*>(collsched::detail::address(next.about.data)),
                              next.about.size};
        taken = receive->target.take_part(
            collsched::detail::process_memory{processes_[static_cast<std::size_t>(next.peer)], message}, bytes);
        finish(receives_, *receive, taken ? 0 : error_of_lost(call_of(receive->name)));
    }
    to.out.set_value(taken ? 1 : 0);
    to.out.commit();
}

/// Ends a send whose message the peer has copied, or failed to copy. Returns false if no correct rank does so.
bool node_transport::end_send(rank_t peer, const ring_entry& record) {
    outgoing* const send = sends_.find(record.id);
    if (send == nullptr) return true;  // cancelled
    if (send->name.peer != peer || send->receive != 0 || processes_.empty()) return false;
    finish(sends_, *send, record.value == 1 ? 0 : MPI_ERR_INTERN);
    return true;
}

}  // namespace collsched::preload
