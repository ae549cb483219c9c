#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The reason why processes form no group: the error number of the system (errno), and the object of the failed call. A
/// value-initialized one is no error.
struct group_error {
    int number = 0;
    const char* object = nullptr;

    explicit operator bool() const { return number != 0; }
};

/// A file descriptor that is closed when it goes.
class open_file {
  public:
    open_file() = default;
    explicit open_file(int fd) : fd_(fd) {}
    open_file(open_file&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    open_file& operator=(open_file&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~open_file() {
        if (fd_ >= 0) ::close(fd_);
    }

    bool is_open() const { return fd_ >= 0; }
    int number() const { return fd_; }

    /// Locks one byte for all processes that share this open file. The kernel unlocks it when the last such process has
    /// ended, be it a zombie. 0 or errno; EAGAIN where another holds it.
    int lock(std::int64_t byte) const { return locked(F_WRLCK, byte); }
    int unlock(std::int64_t byte) const { return locked(F_UNLCK, byte); }
    /// Whether anyone who opened the file apart from this holds one of these bytes; all from the first on if count is
    /// 0.
    bool is_locked(std::int64_t first, std::int64_t count = 1) const {
        struct flock lock = range_lock(F_WRLCK, first, count);
        return ::fcntl(fd_, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
    }

  private:
    static struct flock range_lock(int type, std::int64_t first, std::int64_t count = 1) {
        struct flock lock{};
        lock.l_type = static_cast<short>(type);
        lock.l_whence = SEEK_SET;
        lock.l_start = first;
        lock.l_len = count;
        return lock;
    }
    int locked(int type, std::int64_t byte) const {
        struct flock lock = range_lock(type, byte);
        return ::fcntl(fd_, F_OFD_SETLK, &lock) == 0 ? 0 : errno;
    }

    int fd_ = -1;
};

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
    struct stat status{};
    if (::fstat(fd, &status) != 0) return {errno, "fstat"};
    if (!S_ISREG(status.st_mode)) return {EPERM, "name: got a file of another type, expected shared memory"};
    if (status.st_uid != ::geteuid()) return {EPERM, "name: got a file of another user, expected one of this user"};
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return {EPERM, "name: got a file that other users may open, expected mode 0600"};
    if (status.st_nlink > 1) return {EPERM, "name: got a file of several names, expected one name"};
    return {};
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
