#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collsched/core/byte_range.hpp"
#include "collsched/core/rank.hpp"

namespace examples {

using namespace collsched;

/// Memory of one rank that the other ranks may read: a file of shared memory, mapped by each.
class staged_window {
  public:
    staged_window() = default;
    staged_window(const staged_window&) = delete;
    staged_window& operator=(const staged_window&) = delete;
    staged_window(staged_window&& other) noexcept : memory_(std::exchange(other.memory_, {})) {}
    ~staged_window() {
        if (memory_.data() != nullptr) ::munmap(memory_.data(), memory_.size());
    }

    /// Makes the file "/name" and maps it.
    /// @param name  name for shm_open, which no file has yet
    /// @param size  bytes, 1 or more
    /// @return 0, or an error number of the system
    int make(const std::string& name, bytes_t size) {
        const int file = ::shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file < 0) return errno;
        int error = ::ftruncate(file, size) == 0 ? 0 : errno;
        if (error == 0) error = map(file, size, PROT_READ | PROT_WRITE);
        ::close(file);
        if (error != 0) ::shm_unlink(name.c_str());
        return error;
    }
    /// Maps the file of another rank for reading: it must belong to the effective user, permit nothing to others, and
    /// have the size.
    /// @param name,size  as those of make() in the other process
    /// @return 0, or an error number of the system
    int open(const std::string& name, bytes_t size) {
        const int file = ::shm_open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
        if (file < 0) return errno;
        struct stat found{};
        int error = ::fstat(file, &found) == 0 ? 0 : errno;
        if (error == 0 && (found.st_uid != ::geteuid() || (found.st_mode & 077) != 0)) error = EPERM;
        if (error == 0 && found.st_size != size) error = EPROTO;
        if (error == 0) error = map(file, size, PROT_READ);
        ::close(file);
        return error;
    }
    /// Returns the bytes. @return no bytes before make() or open() has succeeded
    std::span<std::byte> bytes() const { return memory_; }

  private:
    int map(int file, bytes_t size, int access) {
        void* const at = ::mmap(nullptr, static_cast<std::size_t>(size), access, MAP_SHARED, file, 0);
        if (at == MAP_FAILED) return errno;
        memory_ = {static_cast<std::byte*>(at), static_cast<std::size_t>(size)};
        return 0;
    }

    std::span<std::byte> memory_;
};

}  // namespace examples
