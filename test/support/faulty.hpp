#pragma once

#include "collsched/execute/transport.hpp"

namespace support {

using namespace collsched;

/// A transport that fails where it is told to.
template <transport Inner>
class faulty {
  public:
    enum class where { nowhere, send, receive, completion, wait };

    faulty(Inner inner, where place, int after) : inner_(inner), place_(place), left_(after) {}

    int post_send(const message_key& key, const std::byte* data, bytes_t size) {
        return hit(where::send) ? failure : inner_.post_send(key, data, size);
    }
    int post_recv(const message_key& key, std::byte* data, bytes_t size) {
        return hit(where::receive) ? failure : inner_.post_recv(key, data, size);
    }
    completion poll() { return spoilt(inner_.poll()); }
    completion wait_any() {
        if (hit(where::wait)) return {-1, failure};
        return spoilt(inner_.wait_any());
    }
    void cancel() {
        ++cancelled;
        inner_.cancel();
    }

    static constexpr int failure = 77;
    int cancelled = 0;

  private:
    bool hit(where here) { return here == place_ && left_-- == 0; }
    completion spoilt(completion c) {
        if (c.token >= 0 && hit(where::completion)) c.error = failure;
        return c;
    }

    Inner inner_;
    where place_;
    int left_;
};

}  // namespace support
