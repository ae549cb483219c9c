#pragma once

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail { namespace tcp {

/// A descriptor that is readable while one of several sockets is ready, or while it is raised. It is valid from open()
/// on; before that, the other functions have no effect.
class readiness {
  public:
    readiness() = default;
    readiness(const readiness&) = delete;
    readiness& operator=(const readiness&) = delete;
    ~readiness() { close(); }

    /// Opens the descriptor. Returns false if the system has no descriptor left.
    /// @pre !is_open()
    bool open() {
        epoll_ = epoll_create1(EPOLL_CLOEXEC);
        event_ = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);  // always readable
        raised_ = false;
        if (epoll_ < 0 || !control(EPOLL_CTL_ADD, event_, 0)) close();
        return is_open();
    }
    bool is_open() const { return epoll_ >= 0; }

    /// Returns the descriptor, or -1.
    int descriptor() const { return epoll_; }

    /// Adds a socket: ready when it is readable.
    bool add(int socket) { return control(EPOLL_CTL_ADD, socket, EPOLLIN); }
    /// Sets whether the socket is also ready when it is writable.
    void watch_writes(int socket, bool on) { control(EPOLL_CTL_MOD, socket, EPOLLIN | (on ? unsigned{EPOLLOUT} : 0)); }
    /// Removes a socket. Must be called before the socket is closed: a copy of it in another process would stay ready.
    void remove(int socket) { control(EPOLL_CTL_DEL, socket, 0); }

    /// Sets whether the descriptor is readable without a ready socket.
    void raise(bool on) {
        if (is_open() && on != raised_ && control(EPOLL_CTL_MOD, event_, on ? unsigned{EPOLLIN} : 0)) raised_ = on;
    }

    void close() {
        if (epoll_ >= 0) ::close(epoll_);
        if (event_ >= 0) ::close(event_);
        epoll_ = event_ = -1;
    }

  private:
    bool control(int operation, int descriptor, unsigned events) {
        epoll_event event{};
        event.events = events;
        return is_open() && epoll_ctl(epoll_, operation, descriptor, &event) == 0;
    }

    int epoll_ = -1;
    int event_ = -1;
    bool raised_ = false;
};

}}}}  // namespace collsched::COLLSCHED_ABI::detail::tcp
