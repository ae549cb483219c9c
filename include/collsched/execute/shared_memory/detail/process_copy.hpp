#pragma once

#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>

#include "collsched/execute/shared_memory/detail/message_record.hpp"
#include "collsched/execute/detail/part_cursor.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Lists of this many entries are on the stack, and each costs one system call.
inline constexpr std::size_t vm_entries = 64;

/// A message of more parts is not copied: it bounds the system calls that another process can cause.
inline constexpr std::uint64_t most_remote_parts = 1 << 16;

inline void* address(std::uint64_t at) { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(at)); }

/// Reads memory of another process.
inline bool read_process(pid_t process, std::uint64_t from, void* into, std::size_t size) {
    const iovec local{into, size}, remote{address(from), size};
    return process_vm_readv(process, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(size);
}

/// The memory of a message of another process, for message_target. Each function returns false where the kernel does not
/// permit the copy, or the other process has taken the message back, and writes to its target alone, whatever the other
/// process has written. Then a part of the target may be written.
struct process_memory {
    pid_t process = 0;
    remote_message message;

    /// Finds the part of a message of one part and so many bytes.
    bool read_only_part(bytes_t size, message::send_part& part) const {
        if (message.count == 0) {
            part = {static_cast<const std::byte*>(address(message.parts)), size};
            return true;
        }
        return message.count == 1 && read(address(message.parts), &part, sizeof part);
    }
    /// Reads bytes of a part.
    bool read(const std::byte* from, std::byte* into, bytes_t size) const {
        return read(static_cast<const void*>(from), into, static_cast<std::size_t>(size));
    }
    /// Copies a message of one part.
    bool copy(const message::send_part& part, std::span<const message::receive_part> into) const {
        part_cursor<message::receive_part> target(into);
        return read_parts(part_cursor(std::span(&part, 1)), target);
    }
    /// Copies a message of so many bytes. `into` has as many bytes or more. Returns false also if the parts of the message
    /// are more than 65536 or of other sizes.
    bool copy(bytes_t size, std::span<const message::receive_part> into) const {
        std::array<message::send_part, vm_entries> parts;
        if (message.count == 0) return read_only_part(size, parts[0]) && copy(parts[0], into);
        if (message.count > most_remote_parts) return false;
        part_cursor<message::receive_part> target(into);
        bytes_t remaining = size;
        for (std::uint64_t first = 0; first < message.count; first += vm_entries) {
            const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(message.count - first, vm_entries));
            const std::span<const message::send_part> list(parts.data(), n);
            if (!read(address(message.parts + first * sizeof(message::send_part)), parts.data(),
                      n * sizeof(message::send_part)))
                return false;
            for (const message::send_part& part : list) {
                if (part.size < 0 || part.size > remaining) return false;
                remaining -= part.size;
            }
            if (!read_parts(part_cursor(list), target)) return false;
        }
        return remaining == 0;
    }

  private:
    /// Reads `bytes` that `remote` and `local` name, and then the guard. Both lists have an entry to spare at the end.
    /// Returns whether all was read and the guard holds the id, so that the bytes read before it are those of the message.
    bool read_guarded(std::size_t bytes, std::span<iovec> remote, std::span<iovec> local) const {
        std::uint64_t guard = 0;
        remote.back() = {address(message.guard), sizeof guard};
        local.back() = {&guard, sizeof guard};
        return process_vm_readv(process, local.data(), local.size(), remote.data(), remote.size(), 0) ==
                   static_cast<ssize_t>(bytes + sizeof guard) &&
               guard == message.id;
    }
    bool read(const void* from, void* into, std::size_t size) const {
        iovec remote[2] = {{const_cast<void*>(from), size}, {}}, local[2] = {{into, size}, {}};
        return read_guarded(size, remote, local);
    }
    /// Copies the bytes of a list of parts in the memory of the other process.
    bool read_parts(part_cursor<message::send_part> from, part_cursor<message::receive_part>& into) const {
        constexpr bytes_t limit = bytes_t{1} << 30;  // a call reads less than 2 GiB
        std::array<iovec, vm_entries + 1> remote, local;
        const auto remote_list = std::span(remote).first(vm_entries), local_list = std::span(local).first(vm_entries);
        while (!from.done()) {
            // The same bytes at both ends: name remote bytes, local ones of that length, and remote ones again if these
            // are less.
            const part_cursor<message::send_part> start = from;
            std::size_t remote_count = 0, local_count = 0;
            const bytes_t available = from.name(limit, remote_list, remote_count);
            const bytes_t length = into.name(available, local_list, local_count);
            if (length == 0) return false;
            if (length < available) {
                from = start;
                from.name(length, remote_list, remote_count);
            }
            if (!read_guarded(static_cast<std::size_t>(length), std::span(remote).first(remote_count + 1),
                              std::span(local).first(local_count + 1)))
                return false;
        }
        return true;
    }
};

/// Whether a process belongs to the effective user of this one and lets its user read its memory. A peer names the
/// process to be read; without this check it could name one of another user, which this process may read and the peer
/// may not.
inline bool is_own_process(pid_t process) {
    char path[32];
    std::snprintf(path, sizeof path, "/proc/%d", static_cast<int>(process));
    struct stat status{};
    return process > 0 && ::stat(path, &status) == 0 && status.st_uid == ::geteuid();
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
