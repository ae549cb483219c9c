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

namespace examples {

/// The secret that the ranks of a group share: 16 to 4096 bytes from a random source. Its memory is overwritten when it
/// is released.
class tcp_key {
  public:
    static constexpr std::size_t least = 16, most = 4096;  ///< size in bytes

    /// No key.
    tcp_key() = default;
    explicit tcp_key(std::span<const std::byte> bytes) : bytes_(bytes.begin(), bytes.end()) {}
    tcp_key(const tcp_key&) = default;
    tcp_key(tcp_key&& from) noexcept : bytes_(std::exchange(from.bytes_, {})) {}
    tcp_key& operator=(tcp_key from) noexcept {
        std::swap(bytes_, from.bytes_);
        return *this;
    }
    ~tcp_key() { OPENSSL_cleanse(bytes_.data(), bytes_.size()); }

    bool empty() const { return bytes_.empty(); }
    /// Returns whether there is no key, or one of a size in range.
    bool valid() const { return empty() || (bytes_.size() >= least && bytes_.size() <= most); }
    std::span<const std::byte> bytes() const { return bytes_; }

  private:
    std::vector<std::byte> bytes_;
};

/// Reads a key from a regular file that belongs to this user or to root and permits nothing to other users. All bytes
/// of the file are the key. Returns "", or the reason why there is no key, as "got ..., expected ...".
inline std::string read_key(const std::string& path, tcp_key& key) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // the open of a pipe does not block
    if (fd < 0) return "got " + path + " (" + std::strerror(errno) + "), expected a readable file";
    struct stat file{};
    std::string problem;
    std::byte bytes[tcp_key::most + 1];
    std::size_t size = 0;
    if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode)) {
        problem = "got " + path + ", expected a regular file";
    } else if (file.st_uid != geteuid() && file.st_uid != 0) {
        problem = "got " + path + " of user " + std::to_string(file.st_uid) + ", expected a file of this user";
    } else if ((file.st_mode & 077) != 0) {
        problem = "got " + path + " with rights of group or others, expected mode 0600 or 0400";
    } else {
        ssize_t now = 1;
        while (size < sizeof bytes && (now = read(fd, bytes + size, sizeof bytes - size)) > 0)
            size += static_cast<std::size_t>(now);
        tcp_key found(std::span(bytes, size));
        if (now < 0 || found.empty() || !found.valid())
            problem = "got " + path + " of " + std::to_string(size) + (size > tcp_key::most ? " or more" : "") +
                      " bytes, expected 16..4096";
        else key = std::move(found);
    }
    OPENSSL_cleanse(bytes, sizeof bytes);
    close(fd);
    return problem;
}

}  // namespace examples
