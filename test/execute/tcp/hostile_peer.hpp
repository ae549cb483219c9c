#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <utility>

#include "collsched/execute/tcp/detail/greeting.hpp"

namespace support {

using namespace collsched;
using namespace collsched::detail::tcp;

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
        const timeval timeout{.tv_sec = 20, .tv_usec = 0};
        setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
        setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    }
    hostile_peer(hostile_peer&& from) noexcept
        : local(from.local), remote(from.remote), fd_(std::exchange(from.fd_, -1)), connected_(from.connected_) {}
    hostile_peer& operator=(hostile_peer&& from) noexcept {
        std::swap(local, from.local);
        std::swap(remote, from.remote);
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

    /// Closes the connection by a reset.
    void reset() {
        const linger at_once{.l_onoff = 1, .l_linger = 0};
        setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        hang_up();
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
    template <class T>
    bool receive(T& x) {
        return recv(fd_, &x, sizeof x, MSG_WAITALL) == static_cast<ssize_t>(sizeof x);
    }

    /// Sends the greeting of a rank and reads the reply. Returns false if there is none.
    bool greet(const frame& hello) {
        local = {.hello = hello, .nonce = {}};
        return renew(local.nonce) && send(&local, sizeof local) && receive(remote);
    }
    /// Proves a key after `greet`, and reads the acceptance. Returns its error, or -1 if there is no proved acceptance.
    std::int64_t prove_key(const detail::tcp_key& key = {}) {
        const digest proof = prove(key, side::connecting, local, remote);
        acceptance reply;
        if (!send(&proof, sizeof proof) || !receive(reply)) return -1;
        return equal_digests(reply.proof, prove(key, side::accepting, local, remote, reply.error)) ? reply.error : -1;
    }
    /// Connects as a rank does. Returns the error of the acceptance, or -1 if there is none.
    std::int64_t enter(const frame& hello, const detail::tcp_key& key = {}) {
        return greet(hello) ? prove_key(key) : -1;
    }

    greeting local, remote;  ///< of the last greet
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

}  // namespace support
