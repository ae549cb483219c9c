#pragma once

#include <fcntl.h>
#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The secret that the ranks of a group share: 16 to 4096 bytes from a random source. Its memory is overwritten when it
/// is released.
class tcp_key {
  public:
    static constexpr std::size_t min_bytes = 16;    ///< size of the shortest key
    static constexpr std::size_t max_bytes = 4096;  ///< size of the longest key

    /// No key.
    tcp_key() = default;
    /// A key of these bytes. @param bytes  min_bytes to max_bytes, else valid() is false
    explicit tcp_key(std::span<const std::byte> bytes) : bytes_(bytes.begin(), bytes.end()) {}
    tcp_key(const tcp_key&) = default;
    tcp_key(tcp_key&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
    tcp_key& operator=(tcp_key other) noexcept {
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~tcp_key() { OPENSSL_cleanse(bytes_.data(), bytes_.size()); }

    /// Returns whether there is no key.
    bool empty() const { return bytes_.empty(); }
    /// Returns whether there is no key, or one of a size in range.
    bool valid() const { return empty() || (bytes_.size() >= min_bytes && bytes_.size() <= max_bytes); }
    /// Returns the key. @return its bytes, which live as long as this object
    std::span<const std::byte> bytes() const { return bytes_; }

    /// Reads this key from a regular file that belongs to this user or to root and permits nothing to other users. All
    /// bytes of the file are the key.
    /// @return "", or the reason why the key is unchanged, as "got ..., expected ..."
    std::string read(const std::string& path);

  private:
    std::vector<std::byte> bytes_;
};

inline std::string tcp_key::read(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // the open of a pipe does not block
    if (fd < 0) return "got " + path + " (" + std::strerror(errno) + "), expected a readable file";
    struct stat file{};
    std::string problem;
    std::byte bytes[max_bytes + 1];
    std::size_t size = 0;
    if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode)) {
        problem = "got " + path + ", expected a regular file";
    } else if (file.st_uid != geteuid() && file.st_uid != 0) {
        problem = "got " + path + " of user " + std::to_string(file.st_uid) + ", expected a file of this user";
    } else if ((file.st_mode & 077) != 0) {
        problem = "got " + path + " with rights of group or others, expected mode 0600 or 0400";
    } else {
        ssize_t count = 1;
        while (size < sizeof bytes && (count = ::read(fd, bytes + size, sizeof bytes - size)) > 0)
            size += static_cast<std::size_t>(count);
        tcp_key content(std::span(bytes, size));
        if (count < 0 || content.empty() || !content.valid())
            problem = "got " + path + " of " + std::to_string(size) + (size > max_bytes ? " or more" : "") +
                      " bytes, expected 16..4096";
        else *this = std::move(content);
    }
    OPENSSL_cleanse(bytes, sizeof bytes);
    ::close(fd);
    return problem;
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
