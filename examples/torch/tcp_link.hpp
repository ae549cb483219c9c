#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>

#include "collsched/execute/tcp/transport.hpp"
#include "link.hpp"

namespace examples {

/// Processes that TCP connects.
class tcp_link final : public group_link {
  public:
    /// @param host  address to listen at, with a port that the system selects
    tcp_link(rank_t rank, const std::string& host, const tcp_transport::options& options)
        : transport_(rank, host + ":0", options), host_(host), bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
        check({{}, transport_.error(), rank});
        if (bell_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
    }
    tcp_link(const tcp_link&) = delete;
    tcp_link& operator=(const tcp_link&) = delete;
    ~tcp_link() override { ::close(bell_); }
    std::string address() const { return host_ + ":" + std::to_string(transport_.port()); }
    void connect(std::span<const std::string> addresses, std::chrono::nanoseconds patience) {
        check(transport_.connect(addresses, patience));
        if (transport_.descriptor() < 0) throw std::runtime_error("no descriptor left for the connections");
    }

    std::unique_ptr<running_plan> prepare(plan&& of) override {
        return std::make_unique<running_plan_over<tcp_transport>>(std::move(of), transport_);
    }
    std::unique_ptr<running_plan> prepare_staged(plan&&, bool) override { return nullptr; }
    int post_send(const message::key& key, std::span<const message::send_part> parts) override {
        return transport_.post_send(key, parts);
    }
    int post_recv(const message::key& key, std::span<const message::receive_part> parts) override {
        return transport_.post_recv(key, parts);
    }
    void cancel(const void* owner) override { transport_.cancel(owner); }
    void ended(const void*) override {}
    completion poll() override { return transport_.poll(); }
    void acknowledge(rank_t rank) override { transport_.acknowledge(rank); }
    std::uint32_t mark() override { return 0; }
    void sleep(std::uint32_t, std::chrono::nanoseconds most, std::unique_lock<std::mutex>& held) override {
        held.unlock();
        pollfd both[2] = {{transport_.descriptor(), POLLIN, 0}, {bell_, POLLIN, 0}};
        const timespec limit{static_cast<time_t>(most.count() / 1'000'000'000), most.count() % 1'000'000'000};
        std::uint64_t rings = 0;
        if (::ppoll(both, 2, &limit, nullptr) > 0 && both[1].revents != 0) (void)!::read(bell_, &rings, sizeof rings);
    }
    void wake() override {
        const std::uint64_t one = 1;
        (void)!::write(bell_, &one, sizeof one);
    }
    std::string text_of(int error) const override {
        return error == tcp_transport::errors::disagreement ? different_calls : tcp_transport::errors::text(error);
    }

  private:
    void check(const completion& end) const {
        if (end.error != 0) throw std::runtime_error("rank " + std::to_string(end.peer) + ": " + text_of(end.error));
    }

    tcp_transport transport_;
    std::string host_;
    int bell_;
};

}  // namespace examples
