#pragma once

#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>

#include "collsched/execute/shared_memory/detail/note.hpp"
#include "collsched/execute/shared_memory/detail/part_walk.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Lists of this many entries are on the stack, and each costs one system call.
inline constexpr std::size_t vm_entries = 64;

/// A message of more parts is not copied: it bounds the system calls that another process can cause.
inline constexpr std::uint64_t most_remote_parts = 1 << 16;

inline void* address(std::uint64_t at) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(at)); }

/// Reads memory of another process.
inline bool read_process(pid_t process, std::uint64_t from, void* into, std::size_t size) {
    const iovec here{into, size}, there{address(from), size};
    return process_vm_readv(process, &here, 1, &there, 1, 0) == static_cast<ssize_t>(size);
}

/// Reads `bytes` that `there` and `here` name, and then the guard. Both lists have an entry to spare at the end.
/// Returns whether all was read and the guard holds the id, so that the bytes read before it are those of the message.
inline bool read_guarded(pid_t process, const remote_message& message, bytes_t bytes, std::span<iovec> there,
                         std::span<iovec> here) {
    std::uint64_t seen = 0;
    there.back() = {address(message.guard), sizeof seen};
    here.back() = {&seen, sizeof seen};
    const ssize_t all = static_cast<ssize_t>(bytes) + static_cast<ssize_t>(sizeof seen);
    return process_vm_readv(process, here.data(), here.size(), there.data(), there.size(), 0) == all &&
           seen == message.id;
}

/// Copies what `from` names in the memory of another process.
inline bool read_parts(pid_t process, const remote_message& message, part_walk<send_part> from,
                       part_walk<receive_part>& into) {
    constexpr bytes_t part = bytes_t{1} << 30;  // a call reads less than 2 GiB
    std::array<iovec, vm_entries + 1> there, here;
    while (!from.done()) {
        // The same bytes at both ends: name there what fits, here what is as long, and there again if that is less.
        const part_walk<send_part> start = from;
        std::size_t theirs = 0, ours = 0;
        const bytes_t offered = from.name<iovec>(part, std::span(there).first(vm_entries), theirs);
        const bytes_t taken = into.name<iovec>(offered, std::span(here).first(vm_entries), ours);
        if (taken == 0) return false;
        if (taken < offered) {
            from = start;
            from.name<iovec>(taken, std::span(there).first(vm_entries), theirs);
        }
        if (!read_guarded(process, message, taken, std::span(there).first(theirs + 1), std::span(here).first(ours + 1)))
            return false;
    }
    return true;
}

/// Finds the one part of a message of one part. @param size  bytes of the message
inline bool read_only_part(pid_t process, const remote_message& message, bytes_t size, send_part& part) {
    if (message.count == 0) {
        part = {static_cast<const std::byte*>(address(message.parts)), size};
        return true;
    }
    iovec there[2] = {{address(message.parts), sizeof part}, {}}, here[2] = {{&part, sizeof part}, {}};
    return message.count == 1 && read_guarded(process, message, static_cast<bytes_t>(sizeof part), there, here);
}

/// Copies a message of `size` bytes straight from the memory of another process. `into` has as many bytes or more.
/// Writes to `into` alone, whatever the other process has written. False if the copy is not permitted, the other
/// process took the message back meanwhile, or its parts are more than 65536 or of other sizes; part of `into` may be
/// written.
inline bool copy_from_process(pid_t process, const remote_message& message, bytes_t size,
                              std::span<const receive_part> into) {
    std::array<send_part, detail::vm_entries> parts;
    part_walk<receive_part> to(into);
    bytes_t left = size;
    if (message.count > detail::most_remote_parts) return false;
    for (std::uint64_t first = 0; first < message.count;) {
        const std::uint64_t rest = message.count - first, n = rest < parts.size() ? rest : parts.size();
        const bytes_t bytes = static_cast<bytes_t>(n * sizeof(send_part));
        std::array<iovec, 2> there, here;
        there[0] = {detail::address(message.parts + first * sizeof(send_part)), n * sizeof(send_part)};
        here[0] = {parts.data(), n * sizeof(send_part)};
        if (!detail::read_guarded(process, message, bytes, there, here)) return false;
        for (const send_part& part : std::span(parts).first(static_cast<std::size_t>(n))) {
            if (part.size < 0 || part.size > left) return false;
            left -= part.size;
        }
        if (!detail::read_parts(process, message, part_walk(std::span<const send_part>(parts.data(), n)), to))
            return false;
        first += n;
    }
    return left == 0;
}

/// The memory of a message of another process, for message_target. Each function returns false where the kernel does not
/// permit the copy, or the other process has taken the message back.
struct process_memory {
    pid_t process = 0;
    remote_message message;

    /// Finds the part of a message of one part and so many bytes.
    bool read_only_part(bytes_t size, send_part& part) const {
        return detail::read_only_part(process, message, size, part);
    }
    /// Reads bytes of a part.
    bool read(const std::byte* from, std::byte* into, bytes_t size) const {
        iovec there[2] = {{const_cast<std::byte*>(from), static_cast<std::size_t>(size)}, {}};
        iovec here[2] = {{into, static_cast<std::size_t>(size)}, {}};
        return read_guarded(process, message, size, there, here);
    }
    /// Copies a message of one part.
    bool copy(const send_part& part, std::span<const receive_part> into) const {
        part_walk<receive_part> to(into);
        return read_parts(process, message, part_walk(std::span(&part, 1)), to);
    }
    /// Copies the whole message, which has so many bytes.
    bool copy(bytes_t size, std::span<const receive_part> into) const {
        send_part part;
        if (message.count == 0) return read_only_part(size, part) && copy(part, into);
        return copy_from_process(process, message, size, into);
    }
};

/// Whether a process belongs to the effective user of this one and lets its user read its memory. A peer names the
/// process to be read; without this check it could name one of another user, which this process may read and the peer
/// may not.
inline bool is_own_process(pid_t process) {
    char path[32];
    std::snprintf(path, sizeof path, "/proc/%d", static_cast<int>(process));
    struct stat found{};
    return process > 0 && ::stat(path, &found) == 0 && found.st_uid == ::geteuid();
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
