#pragma once

#include <poll.h>
#include <ucp/api/ucp.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace examples {

/// A UCX worker for one thread: its network resources, progress, and sleep until progress is possible.
class ucx_worker {
  public:
    ucx_worker() {
        ucp_params_t parameters{};
        parameters.field_mask = UCP_PARAM_FIELD_FEATURES;
        parameters.features = UCP_FEATURE_TAG | UCP_FEATURE_WAKEUP;
        ucp_worker_params_t alone{};
        alone.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
        alone.thread_mode = UCS_THREAD_MODE_SINGLE;
        status_ = ucp_init(&parameters, nullptr, &context_);
        if (status_ == UCS_OK) status_ = ucp_worker_create(context_, &alone, &worker_);
        if (status_ == UCS_OK) status_ = ucp_worker_get_efd(worker_, &bell_);
    }
    ucx_worker(const ucx_worker&) = delete;
    ucx_worker& operator=(const ucx_worker&) = delete;
    ~ucx_worker() {
        if (worker_ != nullptr) ucp_worker_destroy(worker_);
        if (context_ != nullptr) ucp_cleanup(context_);
    }

    ucs_status_t status() const { return status_; }
    ucp_worker_h get() const { return worker_; }

    /// Returns the address that another worker needs to connect; empty if there is none.
    std::string address() const {
        ucp_address_t* bytes = nullptr;
        std::size_t size = 0;
        if (status_ != UCS_OK || ucp_worker_get_address(worker_, &bytes, &size) != UCS_OK) return {};
        std::string copy(reinterpret_cast<const char*>(bytes), size);
        ucp_worker_release_address(worker_, bytes);
        return copy;
    }

    /// Makes all possible progress, which calls the callbacks of completed operations.
    void progress() {
        while (ucp_worker_progress(worker_) != 0) {}
    }

    /// Sleeps until progress may be possible, or the time is up.
    void sleep(std::chrono::nanoseconds time) {
        using namespace std::chrono;
        if (ucp_worker_arm(worker_) != UCS_OK) return;  // an event has arrived in the meantime
        pollfd bell{bell_, POLLIN, 0};
        const auto rounded = ceil<milliseconds>(std::clamp<nanoseconds>(time, 0ns, hours(1)));
        ::poll(&bell, 1, static_cast<int>(rounded.count()));
    }

    /// Makes progress until `ended` returns true or the time is up. Returns the last result of `ended`.
    template <class Ended>
    bool progress_until(Ended ended, std::chrono::nanoseconds time) {
        const auto until = std::chrono::steady_clock::now() + time;
        for (progress(); !ended(); progress()) {
            const std::chrono::nanoseconds left = until - std::chrono::steady_clock::now();
            if (left.count() <= 0) return false;
            sleep(left);
        }
        return true;
    }

  private:
    ucs_status_t status_ = UCS_OK;
    ucp_context_h context_ = nullptr;
    ucp_worker_h worker_ = nullptr;
    int bell_ = -1;
};

}  // namespace examples
