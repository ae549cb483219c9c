#pragma once

#include <chrono>
#include <deque>
#include <span>

#include "collsched/execute/transport.hpp"

namespace support {

using namespace collsched;

/// A transport whose posts never return already_complete: the next poll reports what is complete at once.
template <class Transport>
class reporting_transport : public Transport {
  public:
    using Transport::Transport;

    int post_send(const message::key& key, std::span<const message::send_part> parts) {
        return reported(key, Transport::post_send(key, parts));
    }
    int post_recv(const message::key& key, std::span<const message::receive_part> parts) {
        return reported(key, Transport::post_recv(key, parts));
    }
    int post_recv_combine(const message::key& key, const message::combined_part& part) {
        return reported(key, Transport::post_recv_combine(key, part));
    }
    completion poll() { return complete_.empty() ? Transport::poll() : next(); }
    completion wait_any(std::chrono::nanoseconds timeout) {
        return complete_.empty() ? Transport::wait_any(timeout) : next();
    }
    void cancel(const void* owner) {
        std::erase_if(complete_, [owner](const completion& one) { return one.request.owner == owner; });
        Transport::cancel(owner);
    }

  private:
    int reported(const message::key& key, int result) {
        if (result != already_complete) return result;
        complete_.push_back({key.request, 0, key.peer});
        return 0;
    }
    completion next() {
        const completion first = complete_.front();
        complete_.pop_front();
        return first;
    }

    std::deque<completion> complete_;
};

}  // namespace support
