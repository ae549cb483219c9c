#include "node_transport.hpp"

#include <algorithm>
#include <cerrno>

#include "native_mpi.hpp"

namespace collsched::preload {

namespace {

constexpr std::uint64_t announcement = std::uint64_t{1} << 63;  // of a channel
constexpr std::uint64_t of_no_rank = std::uint64_t{1} << node_transport::sequence_bits;

bool is_announcement(const message::key& name) { return (name.channel & announcement) != 0; }

}  // namespace

node_transport::node_transport(process_group& group)
    : group_(&group), over_(group, {.allows_shorter = true, .sleeps = false}) {
    for (rank_t r = 0; r < group.ranks(); ++r) {
        if (r == group.rank()) continue;
        group.segment().map_pages(group.rank(), r);
        group.segment().map_pages(r, group.rank());
    }
}

rank_t node_transport::first_unreadable() {
    errno = 0;
    for (rank_t r = 0; r < group_->ranks(); ++r)
        if (r != group_->rank() && !over_.single_copy(r)) return r;
    return -1;
}

/// A death has no operation, and an announcement is none of the caller's. A message that its sender has withdrawn is one
/// of a call whose ranks disagree, or of a rank that has given up.
completion node_transport::explained(completion one) {
    if (one.request.owner == nullptr) over_.acknowledge(one.peer);
    if (one.request.owner == nullptr || one.request.owner == this) return {};
    if (one.error != message::error::withdrawn) return one;
    read_announcements();
    const bool disagrees = std::ranges::any_of(waited_for_, [](const call& c) { return c.pattern == of_no_rank; });
    one.error = disagrees || !different_.empty() ? message::error::size_mismatch : message::error::peer_died;
    return one;
}

namespace {

/// Keeps a bounded number: they are of programs whose ranks contradict each other, or of ranks that are late.
template <class T>
void keep(std::vector<T>& kept, const T& one) {
    constexpr std::size_t most = 256;
    if (kept.size() == most) kept.erase(kept.begin());
    kept.push_back(one);
}

}  // namespace

void node_transport::remember(const call& announced) {
    if (std::ranges::find(waited_for_, announced) == waited_for_.end()) keep(waited_for_, announced);
}

void node_transport::read_announcements() {
    over_.drop_early([&](const message::key& name) {
        if (!is_announcement(name)) return false;
        remember({name.channel & ~announcement, name.epoch, static_cast<std::uint64_t>(name.sequence)});
        return true;
    });
}

/// Returns whether a message or an announcement of another rank is of the same call and another pattern. Drops such
/// messages, which no receive will match.
bool node_transport::has_other_pattern(const call& mine) {
    const auto differs = [&](const call& other) { return other.is(mine) && other.pattern != mine.pattern; };
    bool found = std::ranges::any_of(waited_for_, differs);
    over_.drop_early([&](const message::key& name) {
        const bool drops = !is_announcement(name) && differs(call_of(name));
        found = found || drops;
        return drops;
    });
    return found;
}

/// Finds out whether another rank has another pattern in a call. All ranks receive this then, also those of the same
/// pattern that wait for a rank of another one.
void node_transport::look_for_pattern(const call& mine, bool announces) {
    const auto known = std::ranges::find(different_, mine, &difference::of);
    if (known != different_.end()) {
        ++known->looks;
    } else if (has_other_pattern(mine)) {
        keep(different_, {mine});
        announce_pattern({mine.channel, mine.epoch, of_no_rank});
    } else if (announces) {
        announce_pattern(mine);
    }
}

int node_transport::looks_with_difference(const call& mine) const {
    const auto known = std::ranges::find(different_, mine, &difference::of);
    return known == different_.end() ? 0 : known->looks;
}

void node_transport::announce_pattern(const call& mine) {
    for (rank_t r = 0; r < group_->ranks(); ++r) {
        if (r == group_->rank()) continue;
        over_.post_send({.peer = r,
                         .channel = mine.channel | announcement,
                         .epoch = mine.epoch,
                         .sequence = static_cast<std::int64_t>(mine.pattern),
                         .request = {this}},
                        {});
    }
}

void node_transport::find_other_patterns(bool announces) {
    constexpr int patience_with_receivers = 4;  // which may be about to copy the message
    constexpr int error = message::error::size_mismatch;
    read_announcements();
    std::vector<call> waits;
    over_.end_unmatched(error, [&](const message::key& name, bool) {
        const call mine = call_of(name);
        if (!is_announcement(name) && std::ranges::find(waits, mine) == waits.end()) waits.push_back(mine);
        return false;
    });
    for (const call& mine : waits) look_for_pattern(mine, announces);
    over_.end_unmatched(error, [&](const message::key& name, bool is_send) {
        const int looks = is_announcement(name) ? 0 : looks_with_difference(call_of(name));
        return looks > (is_send ? patience_with_receivers : 0);
    });
}

}  // namespace collsched::preload
