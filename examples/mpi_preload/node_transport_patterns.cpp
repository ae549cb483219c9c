#include <algorithm>
#include <vector>

#include "native_mpi.hpp"
#include "node_transport.hpp"

namespace collsched::preload {

/// Keeps a bounded number of calls: they are of programs whose ranks contradict each other, or of ranks that are late.
void node_transport::remember(std::vector<call>& kept, const call& one) {
    constexpr std::size_t most = 256;
    if (std::ranges::find(kept, one) != kept.end()) return;
    if (kept.size() == most) kept.erase(kept.begin());
    kept.push_back(one);
}

/// Returns whether a message or a record of another rank is of the same call and another pattern.
bool node_transport::has_other_pattern(const call& mine) {
    const auto differs = [&](const call& other) { return other.is(mine) && other.pattern != mine.pattern; };
    bool found = std::ranges::any_of(waited_for_, differs);
    arrivals_.for_each([&](const arrival& one) { found = found || differs(call_of(one.name)); });
    return found;
}

/// Returns whether the messages of a call end because of another pattern. All ranks receive this then, also those of the same
/// pattern that wait for a rank of another one.
bool node_transport::ends_for_pattern(const call& mine, bool announces) {
    constexpr std::uint64_t of_no_rank = std::uint64_t{1} << sequence_bits;
    if (std::ranges::find(different_, mine) != different_.end()) return true;
    const bool found = has_other_pattern(mine);
    if (found) remember(different_, mine), drop_arrivals(mine);
    if (found) announce_pattern({mine.channel, mine.epoch, of_no_rank});
    else if (announces) announce_pattern(mine);
    return found;
}

/// Returns the error of a message that its sender has withdrawn.
int node_transport::error_of_lost(const call& mine) {
    const bool is_known = std::ranges::find(different_, mine) != different_.end();
    return is_known || has_other_pattern(mine) ? transport_error::size_mismatch : transport_error::peer_died;
}

/// Drops messages of other patterns of a call, which no receive will match.
void node_transport::drop_arrivals(const call& mine) {
    arrivals_.for_each([&](arrival& one) {
        const call other = call_of(one.name);
        if (!other.is(mine) || other.pattern == mine.pattern) return;
        const rank_t peer = one.name.peer;
        if (one.about.send != 0) --of(peer).announced, decline(peer, one.about.send);
        else --of(peer).early, give_credit(peer);
        arrivals_.give_back(one);
    });
}

void node_transport::announce_pattern(const call& mine) {
    for (rank_t r = 0; r < ranks_; ++r)
        if (r != rank_ && !of(r).broken)
            send_note(r, {{0, waits, mine.channel, mine.epoch}, {.sequence = static_cast<std::int64_t>(mine.pattern)}});
}

bool node_transport::note_pattern(const ring_entry& record) {
    announcement about;
    if (record.bytes != sizeof about) return false;
    collsched::detail::copy_once(about, record.body);
    remember(waited_for_, {record.id, record.value, static_cast<std::uint64_t>(about.sequence)});
    return true;
}

void node_transport::find_other_patterns(bool announces) {
    constexpr int patience_with_receivers = 4;  // which may be about to copy the message
    std::vector<call> seen;
    const auto ends = [&](const collsched::detail::message_name& name) {
        const call mine = call_of(name);
        const bool first = std::ranges::find(seen, mine) == seen.end();
        if (first) seen.push_back(mine);
        return ends_for_pattern(mine, announces && first);
    };
    receives_.for_each([&](incoming& one) {
        if (!one.matched && ends(one.name)) finish(receives_, one, transport_error::size_mismatch);
    });
    sends_.for_each([&](outgoing& one) {
        if (one.receive == 0 && ends(one.name) && ++one.found_wrong > patience_with_receivers)
            finish(sends_, one, transport_error::size_mismatch);
    });
}

}  // namespace collsched::preload
