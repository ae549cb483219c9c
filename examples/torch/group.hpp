#pragma once

#include <cstring>
#include <map>
#include <string>
#include <tuple>

#include "algorithms/algorithms.hpp"
#include "collsched/collective/allgather/linear.hpp"
#include "collsched/collective/allreduce/allgather_reduce.hpp"
#include "collsched/collective/algorithm_list.hpp"
#include "collsched/select/decide.hpp"
#include "driver.hpp"
#include "staged.hpp"

namespace examples {

/// A collective operation on contiguous memory, or with an output in blocks.
struct collective_call {
    collective what = collective::barrier;
    bytes_t bytes = 0;    ///< of the message; of one block for collectives with blocks
    bytes_t element = 1;  ///< of a value in bytes
    rank_t root = 0;
    binding place = binding::separate;
    const std::byte* input = nullptr;
    std::byte* output = nullptr;
    reduction op{};
    block_addresses blocks{};  ///< output of an allgather whose blocks are apart
    std::uint64_t values = 0;  ///< type and operator of a reduction, the same on all ranks
};

/// Chooses schedules: by the rows of a decision table, or by rules.
class schedule_choice {
  public:
    static constexpr bytes_t kib = 1024;
    std::vector<decision> table{};  ///< equal on all ranks
    bool windows = false;           ///< there are windows for staged schedules
    bytes_t segment = 64 * kib;     ///< of staged schedules

    /// Returns whether a call runs a staged schedule.
    bool is_staged(const collective_call& call, rank_t ranks) const {
        if (!windows || ranks == 1 || !table.empty()) return false;
        switch (call.what) {
            case collective::allreduce: return call.bytes > 16 * kib;
            case collective::broadcast: return call.bytes > 16 * kib;
            case collective::allgather: return call.bytes > 16 * kib;
            default: return false;
        }
    }
    /// Returns the schedule of a call. Throws bad_argument for a call that no algorithm serves.
    any_schedule operator()(const collective_call& call, rank_t ranks) const {
        if (is_staged(call, ranks)) return staged_schedule(call, ranks);
        if (call.what == collective::allreduce && table.empty() && ranks <= 8 && call.bytes <= 16 * kib)
            return any_schedule(
                collsched::allreduce::allgather_reduce<collsched::allgather::linear>{ranks, call.bytes, call.element});
        const bool blocks = call.what == collective::allgather || call.what == collective::gather ||
                            call.what == collective::scatter || call.what == collective::alltoall ||
                            call.what == collective::reduce_scatter;
        const shape values{.ranks = ranks,
                           .root = call.root,
                           .block = blocks ? call.bytes : 0,
                           .bytes = blocks ? 0 : call.bytes,
                           .element = call.element};
        const decided_call row =
            decide(table, {.collective = call.what, .parameters = values}, compiled::whole_registry());
        if (row.row != nullptr) return row.entry->make(row.parameters);
        const char* const name = rule(call, ranks);
        const algorithm_entry* const entry = compiled::find(call.what, name);
        if (entry == nullptr)
            throw std::logic_error(std::string("algorithm: got ") + name + ", expected one of the library");
        return entry->make(values);
    }

  private:
    any_schedule staged_schedule(const collective_call& call, rank_t ranks) const {
        if (call.what == collective::broadcast)
            return any_schedule(staged::broadcast{ranks, call.root, call.bytes, segment});
        if (call.what == collective::allgather) return any_schedule(staged::allgather{ranks, call.bytes, segment});
        return any_schedule(staged::allreduce{ranks, call.bytes, call.element, segment});
    }
    /// The rules without a table.
    static const char* rule(const collective_call& call, rank_t ranks) {
        const bytes_t m = call.bytes;
        switch (call.what) {
            case collective::broadcast: return ranks == 2 || m <= 32 * kib ? "binomial" : "scatter-ring";
            case collective::scatter:
            case collective::gather: return "binomial";
            case collective::allgather:
                return ranks <= 8 || m > 64 * kib ? "linear" : m <= 2 * kib ? "bruck" : "circulant";
            case collective::reduce: return ranks <= 8 ? "linear" : m <= 64 * kib ? "binomial" : "rabenseifner";
            case collective::allreduce:
                return m <= 8 * kib || (ranks == 2 && m <= 512 * kib) ? "recursive-doubling"
                       : m <= 512 * kib                               ? "rabenseifner"
                                                                      : "ring";
            case collective::reduce_scatter: return m * ranks <= 512 * kib ? "recursive-halving" : "pairwise";
            case collective::alltoall: return ranks <= 4 || m > 256 ? "linear" : "bruck";
            default: return "dissemination";
        }
    }
};

/// A collective operation that runs a prepared plan.
class collective_operation final : public operation {
  public:
    collective_operation(std::shared_ptr<running_plan> run, collective_call call, std::uint64_t number,
                         std::span<std::byte> window, std::vector<std::byte>& memory)
        : run_(std::move(run)), call_(std::move(call)), number_(number), window_(window), memory_(&memory) {}

    void start() override {
        const plan& steps = run_->steps;
        const auto scratch = static_cast<std::size_t>((steps.scratch_bytes() + 63) / 64 * 64);
        const std::size_t all = window_.empty() ? scratch + static_cast<std::size_t>(run_->staging_bytes()) : 0;
        if (memory_->size() < all) memory_->resize(all);
        std::byte* const own = window_.empty() ? memory_->data() : window_.data();
        run_->start({call_.input, call_.output, own, window_.empty() ? own + scratch : nullptr}, call_.op, call_.blocks,
                    {number_, call_.values});
    }
    void fail(int error) override { run_->fail(error); }
    bool running() const override { return run_->state().running(); }
    run_status state() const override { return run_->state(); }

  private:
    std::shared_ptr<running_plan> run_;
    collective_call call_;
    std::uint64_t number_;
    std::span<std::byte> window_;
    std::vector<std::byte>* memory_;  // of ordered operations, one after another
};

/// Messages with other ranks, and no other order among them: send, receive, and exchanges of any sizes.
class message_operation final : public operation {
  public:
    explicit message_operation(group_link& link) : link_(&link) {}
    void send(message_key key, const std::byte* data, bytes_t size) { add(key, {data, size}, {}, true); }
    void receive(message_key key, std::byte* data, bytes_t size) { add(key, {}, {data, size}, false); }
    void copy(std::byte* into, const std::byte* from, bytes_t size) { copies_.push_back({into, from, size}); }

    void start() override {
        status_ = {.state = run_state::running};
        left_ = messages_.size();
        for (const local_copy& one : copies_) std::memmove(one.into, one.from, static_cast<std::size_t>(one.size));
        for (message& one : messages_) {
            one.key.request = {this, one.index, &message_operation::complete};
            const int error =
                one.sends ? link_->post_send(one.key, {&one.out, 1}) : link_->post_recv(one.key, {&one.in, 1});
            if (error == already_complete) --left_;
            else if (error != 0) return fail_at(error, one.key.peer);
        }
        if (left_ == 0) status_.state = run_state::done;
    }
    void fail(int error) override { fail_at(error, messages_.empty() ? -1 : messages_.front().key.peer); }
    bool running() const override { return status_.running(); }
    run_status state() const override { return status_; }

  private:
    struct message {
        message_key key;
        send_part out;
        receive_part in;
        bool sends;
        std::int64_t index;
    };
    struct local_copy {
        std::byte* into;
        const std::byte* from;
        bytes_t size;
    };
    void add(const message_key& key, send_part out, receive_part in, bool sends) {
        messages_.push_back({key, out, in, sends, std::ssize(messages_)});
    }
    void fail_at(int error, rank_t peer) {
        if (!status_.running()) return;
        status_ = {run_state::failed, error, -1, -1, peer};
        link_->cancel(this);
    }
    static void complete(void* owner, const completion& c) {
        auto& self = *static_cast<message_operation*>(owner);
        if (!self.status_.running()) return;
        if (c.error != 0) return self.fail_at(c.error, c.peer);
        if (--self.left_ == 0) self.status_.state = run_state::done;
    }

    group_link* link_;
    std::deque<message> messages_;
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
    std::shared_ptr<operation> make(const collective_call& call) {
        const bool in_window = is_staged(call);
        const key k{call.what,
                    call.bytes,
                    call.element,
                    call.root,
                    call.place == binding::in_place,
                    !call.blocks.first.empty()};
        std::shared_ptr<running_plan>& run = plans_[k];
        if (run == nullptr) {
            plan steps(choice_(call, ranks_), rank_, call.place);
            if (const argument_error wrong = steps.check()) throw std::invalid_argument(wrong.text().c_str());
            run = in_window ? link_->prepare_staged(std::move(steps), !call.blocks.first.empty())
                            : link_->prepare(std::move(steps));
        }
        auto made = std::make_shared<collective_operation>(
            run, call, ++operations_, in_window ? link_->window() : std::span<std::byte>{}, memory_);
        if (plans_.size() > most_plans) forget_all_but(k);
        return made;
    }

    /// Returns the name of the next message of a tag to or from a rank.
    message_key next_message(rank_t peer, std::uint64_t tag, bool sends) {
        return {.peer = peer, .channel = messages | tag, .sequence = numbers_[{peer, tag, sends}]++};
    }

  private:
    static constexpr std::uint64_t messages = std::uint64_t{1} << 40;
    static constexpr std::size_t most_plans = 256;
    using key = std::tuple<collective, bytes_t, bytes_t, rank_t, bool, bool>;

    /// An operation in flight keeps its plan alive.
    void forget_all_but(const key& last) {
        const std::shared_ptr<running_plan> kept = plans_[last];
        plans_.clear();
        plans_[last] = kept;
    }

    std::unique_ptr<group_link> link_;
    rank_t ranks_, rank_;
    schedule_choice choice_;
    std::map<key, std::shared_ptr<running_plan>> plans_;
    std::map<std::tuple<rank_t, std::uint64_t, bool>, std::int64_t> numbers_;
    std::uint64_t operations_ = 0;
    std::vector<std::byte> memory_;
    std::unique_ptr<driver> driver_;
};

}  // namespace examples
