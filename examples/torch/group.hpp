#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>

#include "algorithms/algorithms.hpp"
#include "collsched/collective/allgather/linear.hpp"
#include "collsched/collective/allreduce/allgather_reduce.hpp"
#include "collsched/group/collective_call.hpp"
#include "collsched/group/plan_cache.hpp"
#include "collsched/group/table_policies.hpp"
#include "driver.hpp"
#include "staged.hpp"

namespace examples {

/// A call on contiguous memory, or with an output in blocks.
struct tensor_call : collective_call {
    block_addresses apart{};  ///< output of an allgather whose blocks are apart
};

/// The part of a call that determines its plan.
class tensor_key {
  public:
    explicit tensor_key(const tensor_call& call)
        : numbers_{static_cast<std::int64_t>(call.collective),
                   static_cast<std::int64_t>(call.binding),
                   call.root,
                   call.bytes,
                   call.value,
                   call.op.commutative ? 1 : 0,
                   call.apart.first.empty() ? 0 : 1} {}
    bool is_of(const tensor_call& call) const { return numbers_ == tensor_key(call).numbers_; }
    std::uint64_t hash() const {
        std::uint64_t mixed = 0;
        for (const std::int64_t number : numbers_)
            mixed = (std::rotl(mixed, 29) ^ static_cast<std::uint64_t>(number)) * 0x9e3779b97f4a7c15U;
        return mixed ^ mixed >> 32;
    }

  private:
    std::array<std::int64_t, 7> numbers_;
};

/// Returns the sizes of a call, whose blocks are equal, for the choice of a schedule. Throws std::invalid_argument for a root
/// that is no rank.
inline choice::request request_of(const collective_call& call, rank_t ranks) {
    if (is_rooted(call.collective) && (call.root < 0 || call.root >= ranks))
        throw std::invalid_argument(argument_error{"root", call.root, "a rank of the group"}.text().c_str());
    choice::request request;
    request.collective = call.collective;
    request.binding = call.collective == collective::alltoall ? binding::separate : call.binding;
    request.keeps_order = reduces(call.collective) && !call.op.commutative;
    shape& sizes = request.parameters;
    sizes.ranks = ranks;
    sizes.root = is_rooted(call.collective) ? call.root : 0;
    sizes.segment = shape::as_it_is;
    if (reduces(call.collective)) sizes.element = call.value;
    if (has_blocks(call.collective)) sizes.block = call.bytes;
    else sizes.bytes = call.bytes;
    return request;
}

/// Chooses schedules: by a decision table; without one those that combine operands in the order of ranks, where there are
/// such, and otherwise by the built-in rules.
class schedule_choice {
  public:
    static constexpr bytes_t kib = 1024;
    std::vector<decision> table{};  ///< equal on all ranks
    bool windows = false;           ///< there are windows for staged schedules, since all ranks are on one node
    bytes_t segment = 64 * kib;     ///< of staged schedules

    /// Returns whether a call runs a staged schedule.
    bool is_staged(const collective_call& call, rank_t ranks) const {
        if (!windows || ranks == 1 || !table.empty() || call.bytes <= 16 * kib) return false;
        return call.collective == collective::allreduce || call.collective == collective::broadcast ||
               call.collective == collective::allgather;
    }
    /// Returns the schedule of a call. Throws std::invalid_argument for a call that no algorithm serves.
    any_schedule operator()(const collective_call& call, rank_t ranks) const {
        if (is_staged(call, ranks)) return staged_schedule(call, ranks);
        choice::request request = request_of(call, ranks);
        if (windows) request.parameters.placement = topology::placement::block(ranks, 1);
        if (call.collective == collective::allreduce && table.empty() && ranks <= 8 && call.bytes <= 16 * kib)
            return any_schedule(
                collsched::allreduce::allgather_reduce<collsched::allgather::linear>{ranks, call.bytes, call.value});
        choice::selection made = policies::table(table, compiled::whole_registry())(request);
        if (!made.schedule) made = policies::built_in(compiled::whole_registry())(request);
        if (!made.schedule) throw std::invalid_argument(made.reason);
        return *std::move(made.schedule);
    }

  private:
    any_schedule staged_schedule(const collective_call& call, rank_t ranks) const {
        if (call.collective == collective::broadcast)
            return any_schedule(staged::broadcast{ranks, call.root, call.bytes, segment});
        if (call.collective == collective::allgather)
            return any_schedule(staged::allgather{ranks, call.bytes, segment});
        return any_schedule(staged::allreduce{ranks, call.bytes, call.value, segment});
    }
};

/// A collective operation that runs a prepared plan.
class collective_operation final : public operation {
  public:
    collective_operation(std::shared_ptr<running_plan> run, tensor_call call, std::uint64_t number,
                         std::span<std::byte> window, std::vector<std::byte>& memory)
        : run_(std::move(run)), call_(std::move(call)), number_(number), window_(window), memory_(&memory) {}

    void start() override {
        const plan& steps = run_->steps;
        const auto scratch = static_cast<std::size_t>((steps.scratch_bytes() + 63) / 64 * 64);
        const std::size_t all = window_.empty() ? scratch + static_cast<std::size_t>(run_->staging_bytes()) : 0;
        if (memory_->size() < all) memory_->resize(all);
        std::byte* const own = window_.empty() ? memory_->data() : window_.data();
        run_->start({call_.input.data(), call_.output.data(), own, window_.empty() ? own + scratch : nullptr}, call_.op,
                    call_.apart, {number_, call_.values});
    }
    void fail(int error) override { run_->fail(error); }
    bool running() const override { return run_->state().running(); }
    run_status state() const override { return run_->state(); }

  private:
    std::shared_ptr<running_plan> run_;
    tensor_call call_;
    std::uint64_t number_;
    std::span<std::byte> window_;
    std::vector<std::byte>* memory_;  // of ordered operations, one after another
};

/// Messages with other ranks, and no other order among them: send, receive, and exchanges of any sizes.
class message_operation final : public operation {
  public:
    explicit message_operation(group_link& link) : link_(&link) {}
    void send(message::key key, const std::byte* data, bytes_t size) { add(key, {data, size}, {}, true); }
    void receive(message::key key, std::byte* data, bytes_t size) { add(key, {}, {data, size}, false); }
    void copy(std::byte* into, const std::byte* from, bytes_t size) { copies_.push_back({into, from, size}); }

    void start() override {
        status_ = {.state = run_status::phase::running};
        left_ = messages_.size();
        for (const local_copy& one : copies_) std::memmove(one.into, one.from, static_cast<std::size_t>(one.size));
        for (posted_message& one : messages_) {
            one.key.request = {this, one.index, &message_operation::complete};
            const int error =
                one.sends ? link_->post_send(one.key, {&one.out, 1}) : link_->post_recv(one.key, {&one.in, 1});
            if (error == already_complete) --left_;
            else if (error != 0) return fail_at(error, one.key.peer);
        }
        if (left_ == 0) complete_all();
    }
    void fail(int error) override { fail_at(error, messages_.empty() ? -1 : messages_.front().key.peer); }
    bool running() const override { return status_.running(); }
    run_status state() const override { return status_; }

  private:
    struct posted_message {
        message::key key;
        message::send_part out;
        message::receive_part in;
        bool sends;
        std::int64_t index;
    };
    struct local_copy {
        std::byte* into;
        const std::byte* from;
        bytes_t size;
    };
    void add(const message::key& key, message::send_part out, message::receive_part in, bool sends) {
        messages_.push_back({key, out, in, sends, std::ssize(messages_)});
    }
    void complete_all() {
        status_.state = run_status::phase::done;
        link_->ended(this);
    }
    void fail_at(int error, rank_t peer) {
        if (!status_.running()) return;
        status_ = {run_status::phase::failed, error, -1, -1, peer};
        link_->cancel(this);
    }
    static void complete(void* owner, const completion& c) {
        auto& self = *static_cast<message_operation*>(owner);
        if (!self.status_.running()) return;
        if (c.error != 0) return self.fail_at(c.error, c.peer);
        if (--self.left_ == 0) self.complete_all();
    }

    group_link* link_;
    std::deque<posted_message> messages_;
    std::vector<local_copy> copies_;
    std::size_t left_ = 0;
    run_status status_;
};

/// A rank of a group: makes operations and keeps the plans of the last ones.
class rank_group {
  public:
    rank_group(std::unique_ptr<group_link> link, rank_t ranks, rank_t rank, schedule_choice choice, bool spare)
        : link_(std::move(link)), ranks_(ranks), rank_(rank), choice_(std::move(choice)) {
        choice_.windows = !link_->window().empty();
        driver_ = std::make_unique<driver>(*link_, spare);
    }
    driver& runs() { return *driver_; }
    group_link& link() { return *link_; }
    rank_t ranks() const { return ranks_; }
    rank_t rank() const { return rank_; }

    bool is_staged(const collective_call& call) const { return choice_.is_staged(call, ranks_); }

    /// Makes an operation. All ranks make the same ones in the same order.
    std::shared_ptr<operation> make(const tensor_call& call) {
        const bool in_window = is_staged(call);
        const auto* kept = plans_.find(call);
        if (kept == nullptr) kept = &plans_.add({.key = tensor_key(call), .run = prepared(call, in_window)});
        return std::make_shared<collective_operation>(kept->run, call, ++operations_,
                                                      in_window ? link_->window() : std::span<std::byte>{}, memory_);
    }

    /// Returns the name of the next message of a tag to or from a rank.
    message::key next_message(rank_t peer, std::uint64_t tag, bool sends) {
        return {.peer = peer, .channel = messages | tag, .sequence = numbers_[{peer, tag, sends}]++};
    }

  private:
    static constexpr std::uint64_t messages = std::uint64_t{1} << 40;
    /// An operation in flight keeps its plan alive.
    struct kept_plan {
        tensor_key key;
        std::shared_ptr<running_plan> run;

        bytes_t footprint() const { return run->footprint(); }
    };

    std::shared_ptr<running_plan> prepared(const tensor_call& call, bool in_window) {
        plan steps(choice_(call, ranks_), rank_, call.binding);
        if (const argument_error wrong = steps.check()) throw std::invalid_argument(wrong.text().c_str());
        if (in_window) return link_->prepare_staged(std::move(steps), !call.apart.first.empty());
        return link_->prepare(std::move(steps));
    }

    std::unique_ptr<group_link> link_;
    rank_t ranks_, rank_;
    schedule_choice choice_;
    plan_cache<kept_plan>::budget budget_{bytes_t{64} << 20};
    plan_cache<kept_plan> plans_{budget_};
    std::map<std::tuple<rank_t, std::uint64_t, bool>, std::int64_t> numbers_;
    std::uint64_t operations_ = 0;
    std::vector<std::byte> memory_;
    std::unique_ptr<driver> driver_;
};

}  // namespace examples
