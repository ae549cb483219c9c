#pragma once

#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "collsched/execute/processes.hpp"
#include "link.hpp"

namespace examples {

/// Processes of one node.
class process_link final : public group_link {
  public:
    process_link(const std::string& name, rank_t ranks, rank_t rank, std::chrono::nanoseconds patience)
        : windows_(static_cast<std::size_t>(ranks)), rank_(rank) {
        if (const auto failure = group_.join(name.c_str(), ranks, rank, {}, patience))
            throw std::system_error(failure.number, std::generic_category(), failure.object);
        if (const auto failure = group_.wait_for_all(patience))
            throw std::system_error(failure.number, std::generic_category(), "waiting for the other ranks");
        transport_ = std::make_unique<process_group::transport>(group_);
    }
    /// The window of each rank, for the caller to make and open; afterwards connect_windows().
    std::vector<staged_window>& windows() { return windows_; }
    process_group::transport& transport() { return *transport_; }
    void connect_windows() { staged_ = std::make_unique<staged_transport>(*transport_, windows_, rank_); }

    std::unique_ptr<running_plan> prepare(plan&& of) override {
        return std::make_unique<running_plan_over<process_group::transport>>(std::move(of), *transport_);
    }
    std::unique_ptr<running_plan> prepare_staged(plan&& of, bool in_blocks) override {
        using blocks = running_plan_over<staged_transport, block_executor>;
        if (in_blocks) return std::make_unique<blocks>(std::move(of), *staged_, block_executor{&staged_->blocks});
        return std::make_unique<running_plan_over<staged_transport>>(std::move(of), *staged_);
    }
    int post_send(const message::key& key, std::span<const message::send_part> parts) override {
        return transport_->post_send(key, parts);
    }
    int post_recv(const message::key& key, std::span<const message::receive_part> parts) override {
        return transport_->post_recv(key, parts);
    }
    void cancel(const void* owner) override { transport_->cancel(owner); }
    void ended(const void* owner) override { transport_->ended(owner); }
    completion poll() override { return transport_->poll(); }
    void acknowledge(rank_t rank) override { transport_->acknowledge(rank); }
    std::uint32_t mark() override { return group_.wakeups(); }
    void sleep(std::uint32_t mark, std::chrono::nanoseconds most, std::unique_lock<std::mutex>& held) override {
        group_.sleep(mark, most, [&] {
            const bool news = transport_->has_news();
            held.unlock();
            return news;
        });
        if (held.owns_lock()) held.unlock();
    }
    void wake() override { group_.wake(group_.rank()); }
    std::span<std::byte> window() override { return windows_[static_cast<std::size_t>(rank_)].bytes(); }
    std::string text_of(int error) const override {
        return error == message::error::disagreement ? different_calls : error_text(error);
    }

  private:
    process_group group_;
    std::unique_ptr<process_group::transport> transport_;
    std::vector<staged_window> windows_;
    std::unique_ptr<staged_transport> staged_;
    rank_t rank_;
};

}  // namespace examples
