#pragma once

#include <coroutine>
#include <exception>

namespace support {

/// A coroutine that runs at once.
struct task {
    struct promise_type {
        task get_return_object() { return {}; }
        std::suspend_never initial_suspend() { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
};

}  // namespace support
