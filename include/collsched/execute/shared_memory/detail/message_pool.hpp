#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/execute/transport.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Identity of a message among those of the same direction.
struct message_name {
    rank_t peer = 0;
    std::uint64_t channel = 0;
    std::uint64_t epoch = 0;
    std::int64_t sequence = 0;

    bool operator==(const message_name&) const = default;
    /// Returns the key of the message, without fingerprint and request.
    message::key key() const { return {.peer = peer, .channel = channel, .epoch = epoch, .sequence = sequence}; }
};

/// Messages of which something is still to be done. Each stays where it is, and has an id of its own while it is here,
/// never 0; an index finds those entered in it by name. Nothing is allocated once it has held as many as it will.
///
/// Message has an `id`, which takes a std::uint64_t and is 0 while the place is free, and a `name`.
template <class Message>
class message_pool {
  public:
    /// With room for so many.
    explicit message_pool(std::size_t places = 64) {
        for (std::size_t i = 0; i < places; ++i) add();
        first_.assign(std::bit_ceil(places + 1), none);
    }

    /// Makes room for so many, so that take() and enter_index() allocate nothing before there are more.
    void reserve(std::size_t places) {
        while (places_.size() < places) add();
        if constexpr (requires(Message& m) { m.name; })
            while (first_.size() < places) widen();
    }

    /// A place, with its id set and all else as it was left.
    Message& take() {
        if (free_.empty()) add();
        const std::uint32_t place = free_.back();
        free_.pop_back();
        if (++serial_ == std::uint32_t{1} << 30) serial_ = 1;
        places_[place].message.id = std::uint64_t{serial_} << 32 | place;
        return places_[place].message;
    }
    void give_back(Message& message) {
        const std::uint32_t place = place_of(message.id);
        if constexpr (requires { message.name; })
            if (places_[place].entered) leave_index(message);
        message.id = 0;
        free_.push_back(place);
    }

    /// The message of this id, or null.
    Message* find(std::uint64_t id) {
        const std::uint32_t place = place_of(id);
        return id != 0 && place < places_.size() && places_[place].message.id == id ? &places_[place].message : nullptr;
    }
    /// The oldest of this name among those in the index, or null.
    Message* find(const message_name& name) {
        for (std::uint32_t i = first_[bucket(name)]; i != none; i = places_[i].next)
            if (places_[i].message.name == name) return &places_[i].message;
        return nullptr;
    }

    void enter_index(Message& message) {
        if (++entered_ > first_.size()) widen();
        link(place_of(message.id));
    }
    void leave_index(Message& message) {
        const std::uint32_t place = place_of(message.id);
        std::uint32_t* at = &first_[bucket(message.name)];
        while (*at != place) at = &places_[*at].next;
        *at = places_[place].next;
        places_[place].entered = false;
        --entered_;
    }

    /// Calls f for each message; f may give it back.
    void for_each(auto f) {
        for (slot& entry : places_)
            if (entry.message.id != 0) f(entry.message);
    }

  private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    struct slot {
        Message message;
        std::uint32_t next = none;  // in the same bucket of the index
        bool entered = false;
    };

    static std::uint32_t place_of(std::uint64_t id) { return static_cast<std::uint32_t>(id); }
    std::size_t bucket(const message_name& name) const {
        const std::uint64_t other = name.channel * 31 + name.epoch * 7 + static_cast<std::uint64_t>(name.peer);
        splitmix64 mix(static_cast<std::uint64_t>(name.sequence) ^ other << 32);
        return mix() & (first_.size() - 1);
    }
    void add() {
        places_.emplace_back();
        if (free_.capacity() < places_.size()) free_.reserve(2 * places_.size());
        free_.push_back(static_cast<std::uint32_t>(places_.size() - 1));
    }
    /// Adds at the end: of equal names the oldest is found first.
    void link(std::uint32_t i) {
        std::uint32_t* at = &first_[bucket(places_[i].message.name)];
        while (*at != none) at = &places_[*at].next;
        *at = i;
        places_[i].next = none;
        places_[i].entered = true;
    }
    void widen() {
        std::vector<std::uint32_t> entered;
        for (const std::uint32_t first : first_)
            for (std::uint32_t i = first; i != none; i = places_[i].next) entered.push_back(i);
        first_.assign(2 * first_.size(), none);
        for (const std::uint32_t i : entered) link(i);
    }

    std::deque<slot> places_;
    std::vector<std::uint32_t> free_, first_;  // first_: of each bucket; as many as a power of two
    std::size_t entered_ = 0;
    std::uint32_t serial_ = 0;  // of the last taken; starts anew after 2^30, but without 0
};

/// First in, first out, in memory that is kept.
template <class T>
class message_queue {
  public:
    /// With room for so many.
    explicit message_queue(std::size_t places = 0) { items_.reserve(places); }

    /// Makes room for so many.
    void reserve(std::size_t places) { items_.reserve(places); }

    bool empty() const { return head_ == items_.size(); }
    T& front() { return items_[head_]; }
    void push(const T& item) {
        if (items_.size() == items_.capacity() && 2 * head_ > items_.size()) {
            items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(head_));
            head_ = 0;
        }
        items_.push_back(item);
    }
    void pop() {
        if (++head_ == items_.size()) clear();
    }
    void clear() {
        items_.clear();
        head_ = 0;
    }
    void for_each(auto f) {
        for (std::size_t i = head_; i < items_.size(); ++i) f(items_[i]);
    }
    /// Removes the entries for which f returns true.
    void remove_if(auto f) {
        std::size_t end = head_;
        for (std::size_t i = head_; i < items_.size(); ++i)
            if (!f(items_[i])) items_[end++] = items_[i];
        items_.resize(end);
        if (empty()) clear();
    }

  private:
    std::vector<T> items_;
    std::size_t head_ = 0;
};

/// State for each other rank, made when it is used.
template <class Link>
class peer_links {
  public:
    explicit peer_links(rank_t ranks) : links_(static_cast<std::size_t>(ranks)) {}

    /// The state of a rank, or null before it is used.
    Link* find(rank_t peer) const { return links_[static_cast<std::size_t>(peer)].get(); }
    /// The state of a rank. @param make  returns a std::unique_ptr<Link>
    Link& get(rank_t peer, auto make) {
        Link* const link = find(peer);
        if (link != nullptr) return *link;
        return *(links_[static_cast<std::size_t>(peer)] = make());
    }
    /// Calls f(rank, state) for each state that there is.
    void for_each(auto f) const {
        for (std::size_t i = 0; i < links_.size(); ++i)
            if (links_[i] != nullptr) f(static_cast<rank_t>(i), *links_[i]);
    }

  private:
    std::vector<std::unique_ptr<Link>> links_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
