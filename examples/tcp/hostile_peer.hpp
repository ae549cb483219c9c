#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <utility>

#include "frame.hpp"

namespace examples {

/// The other end of a connection, for tests: a program that may send any bytes at any time.
class hostile_peer {
  public:
    /// Connects to a port of this node. Without `waits` the connection may be made later.
    explicit hostile_peer(std::uint16_t port, bool waits = true)
        : hostile_peer(socket(AF_INET, SOCK_STREAM | (waits ? 0 : SOCK_NONBLOCK), 0)) {
        sockaddr_in to{
            .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
        connected_ = ::connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0;
    }
    /// Takes over a socket.
    explicit hostile_peer(int fd) : fd_(fd) {
        const timeval patience{.tv_sec = 20, .tv_usec = 0};
        setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    }
    hostile_peer(hostile_peer&& from) noexcept : fd_(std::exchange(from.fd_, -1)), connected_(from.connected_) {}
    hostile_peer& operator=(hostile_peer&& from) noexcept {
        std::swap(fd_, from.fd_);
        std::swap(connected_, from.connected_);
        return *this;
    }
    ~hostile_peer() { hang_up(); }

    bool is_connected() const { return connected_; }
    bool has_socket() const { return fd_ >= 0; }
    void hang_up() {
        if (fd_ >= 0) close(std::exchange(fd_, -1));
    }

    /// Returns false if the other end has closed the connection, or receives nothing for 20 seconds.
    bool send(const void* bytes, std::size_t size) {
        const auto* at = static_cast<const char*>(bytes);
        while (size > 0) {
            const ssize_t sent = ::send(fd_, at, size, MSG_NOSIGNAL);
            if (sent <= 0) return false;
            at += sent;
            size -= static_cast<std::size_t>(sent);
        }
        return true;
    }
    bool send(const frame& f) { return send(&f, sizeof f); }

    /// Returns false if the connection ends first, or nothing arrives for 20 seconds.
    bool receive(frame& f) { return recv(fd_, &f, sizeof f, MSG_WAITALL) == static_cast<ssize_t>(sizeof f); }
    /// Reads and drops all bytes until the other end closes the connection. Returns false after 20 seconds without
    /// bytes.
    bool drain() {
        char waste[4096];
        ssize_t size = 1;
        while (size > 0) size = recv(fd_, waste, sizeof waste, 0);
        return size == 0 || errno != EAGAIN;
    }

  private:
    int fd_ = -1;
    bool connected_ = false;
};

}  // namespace examples
