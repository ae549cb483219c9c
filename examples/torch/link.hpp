#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "collsched/execute/engine.hpp"
#include "collsched/execute/processes.hpp"
#include "staged_transport.hpp"
#include "tcp/tcp_transport.hpp"

namespace examples {

/// A plan with its execution over a transport whose type it hides.
class running_plan {
  public:
    virtual ~running_plan() = default;
    virtual void start(const bound_buffers& buffers, const reduction& op, block_addresses blocks) = 0;
    virtual void fail(int error) = 0;
    virtual const run_status& state() const = 0;
    virtual bytes_t staging_bytes() const = 0;
    const plan steps;

  protected:
    explicit running_plan(plan&& of) : steps(std::move(of)) {}
};

template <class Transport, class Local = immediate_executor>
class running_plan_over final : public running_plan {
  public:
    running_plan_over(plan&& of, Transport& over, std::uint64_t channel)
        requires std::same_as<Local, immediate_executor>
        : running_plan(std::move(of)), over_(&over), run_(steps, over, {.channel = channel}) {}
    running_plan_over(plan&& of, Transport& over, Local local, std::uint64_t channel)
        : running_plan(std::move(of)), over_(&over), local_(local), run_(steps, over, local_, {.channel = channel}) {}

    void start(const bound_buffers& buffers, const reduction& op, block_addresses blocks) override {
        if constexpr (requires { over_->blocks; }) over_->blocks = std::move(blocks);
        run_.start(buffers, op);
    }
    void fail(int error) override { run_.fail(error); }
    const run_status& state() const override { return run_.state(); }
    bytes_t staging_bytes() const override { return run_.staging_bytes(); }

  private:
    Transport* over_;
    Local local_{};
    execution<Transport, Local> run_;
};

/// The connection of a rank with the other ranks of its group. One thread at a time uses it, except wake().
class group_link {
  public:
    virtual ~group_link() = default;
    virtual std::unique_ptr<running_plan> prepare(plan&& of, std::uint64_t channel) = 0;
    virtual int post_send(const message_key& key, std::span<const send_part> parts) = 0;
    virtual int post_recv(const message_key& key, std::span<const receive_part> parts) = 0;
    virtual void cancel(const void* owner) = 0;
    virtual completion poll() = 0;
    /// Returns a number that changes with every message and every wake(), for sleep().
    virtual std::uint32_t mark() = 0;
    /// Sleeps until a message arrives after the mark, wake() is called after it, or the time is up.
    virtual void sleep(std::uint32_t mark, std::chrono::nanoseconds most) = 0;
    virtual void wake() = 0;
    /// Returns the description of an error number of the transport.
    virtual std::string text_of(int error) const = 0;

    /// Memory for scratch of staged schedules; empty: the link has no windows.
    virtual std::span<std::byte> window() { return {}; }
    virtual std::unique_ptr<running_plan> prepare_staged(plan&& of, std::uint64_t channel, bool in_blocks) = 0;
};

/// Processes of one node.
class process_link final : public group_link {
  public:
    process_link(const std::string& name, rank_t ranks, rank_t rank, std::chrono::nanoseconds patience)
        : windows_(static_cast<std::size_t>(ranks)), rank_(rank) {
        if (const auto failure = group_.join(name.c_str(), ranks, rank, {}, patience))
            throw std::system_error(failure.number, std::generic_category(), failure.about);
        if (const auto failure = group_.wait_for_all(patience))
            throw std::system_error(failure.number, std::generic_category(), "waiting for the other ranks");
        transport_ = std::make_unique<process_group::transport>(group_);
    }
    /// The window of each rank, for the caller to make and open; afterwards connect_windows().
    std::vector<staged_window>& windows() { return windows_; }
    void connect_windows() { staged_ = std::make_unique<staged_transport>(*transport_, windows_, rank_); }

    std::unique_ptr<running_plan> prepare(plan&& of, std::uint64_t channel) override {
        return std::make_unique<running_plan_over<process_group::transport>>(std::move(of), *transport_, channel);
    }
    std::unique_ptr<running_plan> prepare_staged(plan&& of, std::uint64_t channel, bool in_blocks) override {
        using blocks = running_plan_over<staged_transport, block_executor>;
        if (in_blocks) return std::make_unique<blocks>(std::move(of), *staged_, block_executor{&staged_->blocks}, channel);
        return std::make_unique<running_plan_over<staged_transport>>(std::move(of), *staged_, channel);
    }
    int post_send(const message_key& key, std::span<const send_part> parts) override {
        return transport_->post_send(key, parts);
    }
    int post_recv(const message_key& key, std::span<const receive_part> parts) override {
        return transport_->post_recv(key, parts);
    }
    void cancel(const void* owner) override { transport_->cancel(owner); }
    completion poll() override { return transport_->poll(); }
    std::uint32_t mark() override { return group_.rings(); }
    void sleep(std::uint32_t mark, std::chrono::nanoseconds most) override { group_.sleep(mark, most); }
    void wake() override { group_.ring(group_.rank()); }
    std::span<std::byte> window() override { return windows_[static_cast<std::size_t>(rank_)].bytes(); }
    std::string text_of(int error) const override {
        switch (error) {
            case process_group::error::peer_died: return "the process of a rank has died";
            case process_group::error::peer_left: return "a rank has left the group";
            case process_group::error::size_mismatch: return "the ranks use tensors of different sizes";
            case process_group::error::disagreement: return "the ranks call different operations";
            case process_group::error::withdrawn: return "another rank has given the operation up";
            default: return "error " + std::to_string(error) + " of the transport between processes";
        }
    }

  private:
    process_group group_;
    std::unique_ptr<process_group::transport> transport_;
    std::vector<staged_window> windows_;
    std::unique_ptr<staged_transport> staged_;
    rank_t rank_;
};

/// Processes that TCP connects: an adapter of examples/tcp.
class tcp_link final : public group_link {
  public:
    /// @param host  address to listen at, with a port that the system selects
    tcp_link(rank_t rank, const std::string& host, const tcp_options& options)
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

    std::unique_ptr<running_plan> prepare(plan&& of, std::uint64_t channel) override {
        return std::make_unique<running_plan_over<tcp_transport>>(std::move(of), transport_, channel);
    }
    std::unique_ptr<running_plan> prepare_staged(plan&&, std::uint64_t, bool) override { return nullptr; }
    int post_send(const message_key& key, std::span<const send_part> parts) override {
        return transport_.post_send(key, parts);
    }
    int post_recv(const message_key& key, std::span<const receive_part> parts) override {
        return transport_.post_recv(key, parts);
    }
    void cancel(const void* owner) override { transport_.cancel(owner); }
    completion poll() override { return transport_.poll(); }
    std::uint32_t mark() override { return 0; }
    void sleep(std::uint32_t, std::chrono::nanoseconds most) override {
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
        if (error == tcp_error::peer_died) return "the process of a rank has died";
        if (error == tcp_error::unreachable) return "a rank cannot be reached";
        return "error " + std::to_string(error) + " of the transport over TCP";
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
