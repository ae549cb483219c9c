#pragma once

#include "collsched/execute/transport.hpp"

namespace support {

using namespace collsched;

/// A transport that fails at a given call.
template <polled_transport Inner>
class faulty {
  public:
    enum class where { nowhere, send, receive, completion, wait };

    faulty(Inner inner, where place, int after) : inner_(inner), place_(place), left_(after) {}

    int post_send(const message::key& key, std::span<const message::send_part> parts) {
        return hit(where::send) ? failure : inner_.post_send(key, parts);
    }
    int post_recv(const message::key& key, std::span<const message::receive_part> parts) {
        return hit(where::receive) ? failure : inner_.post_recv(key, parts);
    }
    completion poll() { return spoilt(inner_.poll()); }
    completion wait_any(std::chrono::nanoseconds timeout) {
        if (hit(where::wait)) return {{}, failure};
        return spoilt(inner_.wait_any(timeout));
    }
    void cancel(const void* owner) {
        ++cancelled;
        inner_.cancel(owner);
    }

    static constexpr int failure = 77;
    int cancelled = 0;

  private:
    bool hit(where here) { return here == place_ && left_-- == 0; }
    completion spoilt(completion c) {
        if (c.request.owner != nullptr && hit(where::completion)) c.error = failure;
        return c;
    }

    Inner inner_;
    where place_;
    int left_;
};

}  // namespace support
