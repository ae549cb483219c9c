#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "collsched/execute/shared_memory/detail/process_segment.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Opens the shared memory object of a name, as of shm_open, or creates an empty one, which this user alone may open.
///
/// An existing object must be a regular file of one name, belong to the effective user, and permit nothing to others;
/// otherwise EPERM. The descriptor is what is checked, so the object cannot be exchanged after the check. A symbolic link is
/// not followed (ELOOP).
///
/// @return EAGAIN if another process took the name away at the same time, and a second attempt is due; otherwise an error
///         of the system, or none
inline group_error open_private(const char* name, open_file& file) {
    constexpr int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC;
    int fd = ::shm_open(name, flags | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
    if (fd < 0 && errno == EEXIST) {
        fd = ::shm_open(name, flags, 0);
        if (fd < 0 && errno == ENOENT) return {EAGAIN, "shm_open"};
    }
    if (fd < 0) return {errno, "shm_open"};
    file = open_file(fd);
    struct stat found{};
    if (::fstat(fd, &found) != 0) return {errno, "fstat"};
    if (!S_ISREG(found.st_mode)) return {EPERM, "name: got a file of another type, expected shared memory"};
    if (found.st_uid != ::geteuid()) return {EPERM, "name: got a file of another user, expected one of this user"};
    if ((found.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return {EPERM, "name: got a file that other users may open, expected mode 0600"};
    if (found.st_nlink > 1) return {EPERM, "name: got a file of several names, expected one name"};
    return {};
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
