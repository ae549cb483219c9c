#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/execute/local_executor.hpp"

namespace support {

using namespace collsched;

/// Completes operations later in a random order, some at once. Performs each when it reports it.
class late_executor {
  public:
    explicit late_executor(std::uint64_t seed) : random_(seed) {}

    int submit(const plan::local_operation& operation, const message::request& request) {
        if (random_.between(0, 3) == 0) return immediate_executor{}.submit(operation, request);
        held_.push_back({operation, request});
        return 0;
    }
    void cancel(const void* owner) {
        std::erase_if(held_, [&](const held& one) { return one.request.owner == owner; });
    }
    completion poll() {
        if (held_.empty() || random_.between(0, 2) == 0) return {};
        std::swap(held_[static_cast<std::size_t>(random_.between(0, std::ssize(held_) - 1))], held_.back());
        const held one = held_.back();
        held_.pop_back();
        (void)immediate_executor{}.submit(one.operation, one.request);
        ++completed;
        return {one.request};
    }

    int completed = 0;

  private:
    struct held {
        plan::local_operation operation;
        message::request request;
    };
    detail::splitmix64 random_;
    std::vector<held> held_;
};

}  // namespace support
