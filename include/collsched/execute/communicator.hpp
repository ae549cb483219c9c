#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "collsched/execute/detail/communicator_tables.hpp"
#include "collsched/execute/execution_options.hpp"
#include "collsched/execute/transport.hpp"
#include "collsched/execute/run_status.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Ordered subset of the ranks of a transport, with an id of its own. It is a transport of these ranks: executions take
/// it where they take a transport. A copy is the same communicator. Communicators over one transport may run at the
/// same time, also where they share ranks.
///
/// Ids and channels: every communicator has `channels` channels of its own: channel c is channel id() * channels() + c
/// of the transport. All members create the children of a communicator in the same order, as in MPI, and so agree on
/// their ids without a message (communicator_id). Executions over the transport itself may use channels below
/// channels(), which no communicator has. The transport must distinguish all channels in use.
///
/// A post adds two comparisons and an array lookup, a completion one lookup. Memory: 8 bytes per member and per rank of
/// the transport. One thread at a time uses the transport and its communicators.
template <transport Inner>
class communicator {
  public:
    using communicator_id = detail::communicator_id;  ///< number of a communicator, equal on all members

    /// Color of a rank without a communicator (MPI_UNDEFINED).
    static constexpr std::int64_t undefined = -1;
    /// Default number of channels per communicator.
    static constexpr std::uint64_t default_channels = 65536;

    /// Communicator without ranks.
    communicator() = default;
    /// Communicator of all ranks of a transport, in their order. A transport has one; further ones are its children.
    /// O(ranks). Failure: wrong arguments throw bad_argument, or give a communicator without ranks whose check()
    /// reports them.
    /// @param transport  transport, which outlives the communicator and all that are made of it
    /// @param ranks      number of its ranks, 1 or more
    /// @param rank       its own rank, 0 .. ranks-1
    /// @param channels   channels per communicator, 2 or more, equal on all ranks
    communicator(Inner& transport, rank_t ranks, rank_t rank, std::uint64_t channels = default_channels)
        : communicator(transport, ranks, rank, all_ranks(ranks), communicator_id(), channels) {}
    /// Communicator of some ranks of a transport, with an id that the caller provides. It has no ranks where `rank` is
    /// no member. O(ranks). Failure: as above.
    /// @param transport  transport, which outlives the communicator and all that are made of it
    /// @param ranks      number of its ranks, 1 or more
    /// @param rank       its own rank, 0 .. ranks-1
    /// @param members    ranks of the transport, each at most once; equal on all members
    /// @param id         equal on all members, and of no other communicator of two of them
    /// @param channels   channels per communicator, 2 or more, equal on all ranks
    communicator(Inner& transport, rank_t ranks, rank_t rank, std::span<const rank_t> members, communicator_id id,
                 std::uint64_t channels = default_channels)
        : error_(refuse_if(check_arguments(ranks, rank, members, id, channels))) {
        if (error_ || std::ranges::find(members, rank) == members.end()) return;
        state_ = std::make_shared<state>(
            state{detail::member_table(ranks, members), rank, id, 0, 0, detail::channel_list(channels - 2)});
        inner_ = &transport;
        members_ = state_->table.members.begin();
        ranks_ = members.size();
        channels_ = channels;
        first_channel_ = id.value() * channels;
    }

    /// Returns the wrong argument of the constructor.
    /// @return no error, unless exceptions are off
    argument_error check() const { return error_; }
    /// Returns whether this rank is in no communicator: other functions than this, check(), ranks() and rank() need a
    /// communicator with ranks.
    /// @return true: without ranks
    bool empty() const { return ranks_ == 0; }
    /// Returns the number of members.
    /// @return 1 or more; 0 if empty
    rank_t ranks() const { return static_cast<rank_t>(ranks_); }
    /// Returns the rank of this process.
    /// @return 0 .. ranks()-1; -1 if empty
    rank_t rank() const { return empty() ? -1 : rank_of(state_->transport_rank); }
    /// Returns the id, which is equal on all members.
    communicator_id id() const { return state_->id; }
    /// Returns the number of channels of each communicator over the transport.
    std::uint64_t channels() const { return channels_; }
    /// Returns the ranks of the transport that are the members, in order of their ranks here.
    std::span<const rank_t> members() const { return {members_, static_cast<std::size_t>(ranks_)}; }
    /// Returns the rank here of a rank of the transport. O(1).
    /// @param transport_rank  any number
    /// @return 0 .. ranks()-1, or -1 for a rank that is no member
    rank_t rank_of(rank_t transport_rank) const {
        const auto& table = state_->table.rank_of;
        return static_cast<std::uint64_t>(transport_rank) < static_cast<std::uint64_t>(table.size())
                   ? table[transport_rank]
                   : -1;
    }
    /// Returns the transport.
    Inner& transport() const { return *inner_; }
    /// Returns the number of children that have been made: the next one is child number children().
    std::uint64_t children() const { return state_->children; }

    /// Makes a communicator of the same ranks in the same order. All members call it. O(ranks of the transport), as the
    /// functions below. Failure of all of them, on all ranks alike: as the constructor.
    communicator dup() { return child(members()); }
    /// Makes a communicator of some members. All members of this communicator call it, with the same list.
    /// @param list  ranks of this communicator, each at most once, in the order of their ranks in the result
    /// @return empty on ranks that are not in the list
    communicator subset(std::span<const rank_t> list) {
        if (const argument_error error = detail::member_table::check(ranks(), list)) return failure(error);
        return child(in_transport(list));
    }
    /// Makes child n of some members, which alone call it, with the same list and the same n. For members that agree on
    /// n by messages, such as the largest children() among them; no other member may make a child of this communicator
    /// afterwards.
    /// @param list  ranks of this communicator, each at most once, in the order of their ranks in the result
    /// @param n     number of the child, children() or more
    communicator subset(std::span<const rank_t> list, std::uint64_t n) {
        if (n < children()) return failure({"n", static_cast<std::int64_t>(n), "children() or more"});
        if (const argument_error error = detail::member_table::check(ranks(), list)) return failure(error);
        if (!id().child(n).valid())
            return failure({"n", static_cast<std::int64_t>(n), "a number whose id has 63 bits or fewer"});
        state_->children = n;
        return child(in_transport(list));
    }
    /// Makes a communicator per color, of the members with that color, in order of keys; members with equal keys keep
    /// their order. All members call it, with the same lists. O(ranks log ranks).
    /// @param colors  of each rank: 0 or more, or `undefined`
    /// @param keys    of each rank, any numbers; none: all are equal
    /// @return the communicator of this rank's color; empty for `undefined`
    communicator split(std::span<const std::int64_t> colors, std::span<const std::int64_t> keys = {}) {
        if (const argument_error error = check_colors(colors, keys)) return failure(error);
        const std::int64_t color = colors[static_cast<std::size_t>(rank())];
        std::vector<rank_t> list;
        for (rank_t r = 0; r < ranks() && color != undefined; ++r)
            if (colors[static_cast<std::size_t>(r)] == color) list.push_back(r);
        if (!keys.empty())
            std::ranges::sort(list, {}, [&](rank_t r) { return std::pair(keys[static_cast<std::size_t>(r)], r); });
        return child(in_transport(list));
    }

    /// Opens a channel for an execution: no other execution that the members run at the same time has it. All members
    /// open and close channels in the same order. O(open channels).
    /// @return options with channel, 1 .. channels()-2, and first epoch. Failure: if all are open, throws bad_argument;
    ///         without exceptions, a start with the options fails with no_such_channel
    execution_options open_channel() {
        const detail::channel_list::channel channel = state_->open.open();
        const auto count = static_cast<std::int64_t>(channels_ - 2);
        if (channel.number == 0 && refuse_if({"channels", count, "a channel that is not open"}))
            return {.channel = channels_};
        return {.channel = channel.number, .epoch = channel.epoch};
    }
    /// Closes a channel for another execution to open. O(1).
    /// @param channel  number of an open channel
    /// @param epoch    execution::epoch() of the execution, which is not running
    /// @return no error. Failure: a channel that is not open, or an epoch before its first one, throws bad_argument
    argument_error close_channel(std::uint64_t channel, std::uint64_t epoch) {
        if (state_->open.close(channel, epoch)) return {};
        return refuse_if(
            {"channel", static_cast<std::int64_t>(channel), "an open channel, and its epoch or a later one"});
    }
    /// Returns the options of the next execution that the library itself runs on all members, on channel channels()-1.
    execution_options library_options() { return {.channel = channels_ - 1, .epoch = state_->library_epoch++}; }

    int post_send(message::key key, std::span<const message::send_part> parts) {
        const int error = translate(key);
        return error != 0 ? error : inner_->post_send(key, parts);
    }
    int post_recv(message::key key, std::span<const message::receive_part> parts) {
        const int error = translate(key);
        return error != 0 ? error : inner_->post_recv(key, parts);
    }
    int post_recv_combine(message::key key, const message::combined_part& part)
        requires detail::has_post_recv_combine<Inner>
    {
        const int error = translate(key);
        return error != 0 ? error : inner_->post_recv_combine(key, part);
    }
    /// Polls the transport. @return completion of any communicator over it; its peer is a rank here, or -1
    completion poll()
        requires detail::has_poll<Inner>
    {
        return translated(inner_->poll());
    }
    completion wait_any(std::chrono::nanoseconds timeout)
        requires detail::has_wait_any<Inner>
    {
        return translated(inner_->wait_any(timeout));
    }
    void cancel(const void* owner) {
        if (inner_ != nullptr) inner_->cancel(owner);
    }
    bool combines_on_arrival() const
        requires detail::has_combines_on_arrival<Inner>
    {
        return inner_ != nullptr && inner_->combines_on_arrival();
    }
    message::buffered_sends buffered() const
        requires detail::has_buffered<Inner>
    {
        return inner_ != nullptr ? inner_->buffered() : message::buffered_sends{};
    }
    void ended(const void* owner)
        requires detail::has_ended<Inner>
    {
        if (inner_ != nullptr) inner_->ended(owner);
    }

    /// Compares two values of one rank.
    /// @param other  another value
    /// @return true: one is a copy of the other, or both are empty
    bool operator==(const communicator& other) const { return state_ == other.state_; }

  private:
    struct state {
        detail::member_table table;
        rank_t transport_rank;  // rank of the transport
        communicator_id id;
        std::uint64_t children, library_epoch;
        detail::channel_list open;
    };

    static std::vector<rank_t> all_ranks(rank_t ranks) {
        std::vector<rank_t> list;
        for (rank_t r = 0; r < ranks; ++r) list.push_back(r);
        return list;
    }
    static argument_error check_arguments(rank_t ranks, rank_t rank, std::span<const rank_t> members,
                                          communicator_id id, std::uint64_t channels) {
        if (const argument_error error = detail::member_table::check(ranks, members)) return error;
        if (rank < 0 || rank >= ranks) return {"rank", rank, "0 .. ranks-1"};
        const auto number = static_cast<std::int64_t>(channels), name = static_cast<std::int64_t>(id.value());
        if (channels < 2 || number < 0) return {"channels", number, "2 or more"};
        constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
        if (!id.valid() || id.value() > (largest - channels + 1) / channels)
            return {"id", name, "1 .. 2^64 / channels - 1"};
        return {};
    }
    argument_error check_colors(std::span<const std::int64_t> colors, std::span<const std::int64_t> keys) const {
        const rank_t color_count = std::ssize(colors), key_count = std::ssize(keys);
        if (color_count != ranks()) return {"colors", color_count, "a color of each rank"};
        if (key_count != 0 && key_count != ranks()) return {"keys", key_count, "a key of each rank, or none"};
        for (rank_t r = 0; r < ranks(); ++r)
            if (const std::int64_t color = colors[static_cast<std::size_t>(r)]; color < undefined)
                return {"colors", color, "0 or more, or -1 for no communicator", r};
        return {};
    }
    static communicator failure(const argument_error& error) {
        communicator result;
        result.error_ = refuse_if(error);
        return result;
    }

    std::vector<rank_t> in_transport(std::span<const rank_t> list) const {
        std::vector<rank_t> ranks;
        for (const rank_t r : list) ranks.push_back(members_[r]);
        return ranks;
    }
    communicator child(std::span<const rank_t> list) {
        communicator result(*inner_, state_->table.rank_of.size(), state_->transport_rank, list, id().child(children()),
                            channels_);
        ++state_->children;
        return result;
    }

    int translate(message::key& key) const {
        if (static_cast<std::uint64_t>(key.peer) >= ranks_) return message::error::no_such_rank;
        if (key.channel >= channels_) return message::error::no_such_channel;
        key.peer = members_[key.peer];
        key.channel += first_channel_;
        return 0;
    }
    completion translated(completion c) const {
        c.peer = rank_of(c.peer);
        return c;
    }

    argument_error error_;
    std::shared_ptr<state> state_;  // of all copies
    Inner* inner_ = nullptr;
    const rank_t* members_ = nullptr;
    std::uint64_t ranks_ = 0, channels_ = 0, first_channel_ = 0;
};

}}  // namespace collsched::COLLSCHED_ABI
