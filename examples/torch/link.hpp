#pragma once

#include <memory>
#include <string>

#include "collsched/execute/engine.hpp"
#include "staged_transport.hpp"

namespace examples {

/// Name of an ordered operation, the same on all ranks of a group.
struct operation_name {
    std::uint64_t number = 0;  ///< of the operation in the group
    std::uint64_t values = 0;  ///< type and operator; a message between ranks with different ones ends with an error
};

/// Gives the messages of an execution the name of the operation that it runs for. Ranks thus need not have executions in
/// common: each can run another plan of the same schedule.
template <class Transport>
class named_messages {
  public:
    explicit named_messages(Transport& over) : over_(&over) {}
    void restart(const operation_name& name) { name_ = name; }

    int post_send(const message_key& key, std::span<const send_part> parts) {
        return over_->post_send(named(key), parts);
    }
    int post_recv(const message_key& key, std::span<const receive_part> parts) {
        return over_->post_recv(named(key), parts);
    }
    int post_recv_combine(const message_key& key, const combined_part& part)
        requires requires(Transport& t) { t.post_recv_combine(key, part); }
    {
        return over_->post_recv_combine(named(key), part);
    }
    void ended(const void* owner)
        requires requires(Transport& t) { t.ended(owner); }
    {
        over_->ended(owner);
    }
    completion poll() { return over_->poll(); }
    completion wait_any(std::chrono::nanoseconds timeout) { return over_->wait_any(timeout); }
    void cancel(const void* owner) { over_->cancel(owner); }

  private:
    message_key named(message_key key) const {
        key.epoch = name_.number;
        key.fingerprint += name_.values;
        return key;
    }
    Transport* over_;
    operation_name name_;
};

/// A plan with its execution over a transport whose type it hides.
class running_plan {
  public:
    virtual ~running_plan() = default;
    virtual void start(const bound_buffers& buffers, const reduction& op, block_addresses blocks,
                       const operation_name& name) = 0;
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
    running_plan_over(plan&& of, Transport& over)
        requires std::same_as<Local, immediate_executor>
        : running_plan(std::move(of)), over_(&over), named_(over), run_(steps, named_) {}
    running_plan_over(plan&& of, Transport& over, Local local)
        : running_plan(std::move(of)), over_(&over), named_(over), local_(local), run_(steps, named_, local_) {}

    void start(const bound_buffers& buffers, const reduction& op, block_addresses blocks,
               const operation_name& name) override {
        if constexpr (requires { over_->blocks; }) over_->blocks = std::move(blocks);
        named_.restart(name);
        run_.start(buffers, op);
    }
    void fail(int error) override { run_.fail(error); }
    const run_status& state() const override { return run_.state(); }
    bytes_t staging_bytes() const override { return run_.staging_bytes(); }

  private:
    Transport* over_;
    named_messages<Transport> named_;
    Local local_{};
    execution<named_messages<Transport>, Local> run_;
};

/// Text of the error of messages between ranks that disagree.
inline constexpr const char* different_calls = "the ranks differ in the operation, its sizes, types or operator";

/// The connection of a rank with the other ranks of its group. One thread at a time uses it, except wake().
class group_link {
  public:
    virtual ~group_link() = default;
    virtual std::unique_ptr<running_plan> prepare(plan&& of) = 0;
    virtual int post_send(const message_key& key, std::span<const send_part> parts) = 0;
    virtual int post_recv(const message_key& key, std::span<const receive_part> parts) = 0;
    virtual void cancel(const void* owner) = 0;
    virtual completion poll() = 0;
    /// Ends the reports of the death of a rank.
    virtual void acknowledge(rank_t rank) = 0;
    /// Returns a number that changes with every message and every wake(), for sleep().
    virtual std::uint32_t mark() = 0;
    /// Sleeps until a message arrives after the mark, wake() is called after it, or the time is up.
    virtual void sleep(std::uint32_t mark, std::chrono::nanoseconds most) = 0;
    virtual void wake() = 0;
    /// Returns the description of an error number of the transport.
    virtual std::string text_of(int error) const = 0;

    /// Memory for scratch of staged schedules; empty: the link has no windows.
    virtual std::span<std::byte> window() { return {}; }
    virtual std::unique_ptr<running_plan> prepare_staged(plan&& of, bool in_blocks) = 0;
};

}  // namespace examples
