#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "collsched/execute/engine.hpp"
#include "staged_transport.hpp"

namespace examples {

/// A plan with its execution over a transport whose type it hides.
class running_plan {
  public:
    virtual ~running_plan() = default;
    virtual void start(const plan::buffers& buffers, const reduction& op, block_addresses blocks,
                       const execution_options::start_name& name) = 0;
    virtual void fail(int error) = 0;
    virtual const run_status& state() const = 0;
    virtual bytes_t staging_bytes() const = 0;
    /// Returns the bytes of the plan and its execution.
    virtual bytes_t footprint() const = 0;
    const plan steps;

  protected:
    explicit running_plan(plan&& of) : steps(std::move(of)) {}
};

template <class Transport, class Local = immediate_executor>
class running_plan_over final : public running_plan {
  public:
    running_plan_over(plan&& of, Transport& over)
        requires std::same_as<Local, immediate_executor>
        : running_plan(std::move(of)), over_(&over), run_(steps, over) {}
    running_plan_over(plan&& of, Transport& over, Local local)
        : running_plan(std::move(of)), over_(&over), local_(local), run_(steps, over, local_) {}

    void start(const plan::buffers& buffers, const reduction& op, block_addresses blocks,
               const execution_options::start_name& name) override {
        if constexpr (requires { over_->blocks; }) over_->blocks = std::move(blocks);
        run_.start(buffers, op, name);
    }
    void fail(int error) override { run_.fail(error); }
    const run_status& state() const override { return run_.state(); }
    bytes_t staging_bytes() const override { return run_.staging_bytes(); }
    bytes_t footprint() const override { return steps.footprint() + run_.footprint(); }

  private:
    Transport* over_;
    Local local_{};
    execution<Transport, Local> run_;
};

/// Text of the error of messages between ranks that disagree.
inline constexpr const char* different_calls = "the ranks differ in the operation, its sizes, types or operator";

/// The connection of a rank with the other ranks of its group. One thread at a time uses it, except wake().
class group_link {
  public:
    virtual ~group_link() = default;
    virtual std::unique_ptr<running_plan> prepare(plan&& of) = 0;
    virtual int post_send(const message::key& key, std::span<const message::send_part> parts) = 0;
    virtual int post_recv(const message::key& key, std::span<const message::receive_part> parts) = 0;
    virtual void cancel(const void* owner) = 0;
    /// Called when all messages of an owner are complete: they arrive.
    virtual void ended(const void* owner) = 0;
    virtual completion poll() = 0;
    /// Ends the reports of the death of a rank.
    virtual void acknowledge(rank_t rank) = 0;
    /// Returns a number that changes with every message and every wake(), for sleep().
    virtual std::uint32_t mark() = 0;
    /// Sleeps until a message arrives after the mark, wake() is called after it, or the time is up. Unlocks the lock that
    /// the caller holds for the connection.
    virtual void sleep(std::uint32_t mark, std::chrono::nanoseconds most, std::unique_lock<std::mutex>& held) = 0;
    virtual void wake() = 0;
    /// Returns the description of an error number of the transport.
    virtual std::string text_of(int error) const = 0;

    /// Memory for scratch of staged schedules; empty: the link has no windows.
    virtual std::span<std::byte> window() { return {}; }
    virtual std::unique_ptr<running_plan> prepare_staged(plan&& of, bool in_blocks) = 0;
};

}  // namespace examples
