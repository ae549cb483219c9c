#include "support/oracle.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

namespace support {

namespace {

/// Every byte of every buffer is a list of operands (rank, offset in its input), or nothing.
class byte_oracle {
  public:
    byte_oracle(const stored_schedule& s, binding binding) : s_(s), contract_(s.contract()), binding_(binding) {}

    bool right() {
        for (rank_t r = 0; r < s_.ranks; ++r)
            for (bytes_t i = 0; i < contract_.input_bytes(r); ++i) memory_[byte_at(r, buffer::input, i)] = {{r, i}};
        for (step_t k = 0; k < s_.steps(); ++k)
            if (!step(k)) return false;
        return result();
    }

  private:
    struct byte_name {
        rank_t rank;
        buffer where;
        bytes_t offset;
        auto operator<=>(const byte_name&) const = default;
    };
    using operands = std::vector<std::pair<rank_t, bytes_t>>;

    byte_name byte_at(rank_t r, buffer where, bytes_t offset) const {
        const auto alias = contract_.alias(r, binding_);
        if (alias.any() && where == alias.guest) return {r, alias.host, offset + alias.offset};
        return {r, where, offset};
    }
    bytes_t size(rank_t r, buffer where) const {
        if (where == buffer::input) return contract_.input_bytes(r);
        return where == buffer::output ? contract_.output_bytes(r) : s_.scratch(r);
    }
    bool inside(rank_t r, buffer where, byte_range range) const {
        return range.offset >= 0 && range.end() <= size(r, where);
    }
    byte_name from(const edge& e, bytes_t i) const { return byte_at(e.src, e.from, e.from_offset + i); }
    byte_name into(const edge& e, bytes_t i) const { return byte_at(e.dst, e.into, e.into_offset + i); }
    bool nothing_moves(const edge& e) const {
        return e.src == e.dst && e.action == action::copy && e.from != e.into && from(e, 0) == into(e, 0);
    }

    bool step(step_t k) {
        std::vector<edge> now;
        for (const edge& e : s_.edges())
            if (e.step == k && !nothing_moves(e)) now.push_back(e);
        for (const edge& e : now) {
            if (!inside(e.src, e.from, e.source()) || !inside(e.dst, e.into, e.target())) return false;
            if (e.into == buffer::input && e.size > 0) return false;
            if (e.src == e.dst && e.size == 0) return false;
        }
        for (rank_t r = 0; r < s_.ranks; ++r) {
            bytes_t waiting = 0;
            for (const edge& e : now) waiting += e.action != action::copy && e.src != e.dst && e.dst == r ? e.size : 0;
            if (waiting > s_.staging(r)) return false;
        }
        // Every byte read, and by which edge; every byte written, and by which edges.
        std::map<byte_name, std::vector<std::size_t>> readers, writers;
        for (std::size_t n = 0; n < now.size(); ++n)
            for (bytes_t i = 0; i < now[n].size; ++i) {
                readers[from(now[n], i)].push_back(n);
                writers[into(now[n], i)].push_back(n);
            }
        for (const auto& [name, by] : writers) {
            for (const std::size_t n : by) {
                if (by.size() > 1 && now[n].action == action::copy) return false;
                for (const std::size_t reader : readers[name]) {
                    if (reader == n) return false;  // the two ranges of a local edge overlap
                    if (now[n].action == action::copy) return false;
                    if (now[reader].action != action::copy && now[reader].src == now[reader].dst) return false;
                }
            }
        }
        return move(now);
    }

    bool move(const std::vector<edge>& now) {
        std::vector<std::vector<operands>> moving;
        for (const edge& e : now) {
            moving.emplace_back();
            for (bytes_t i = 0; i < e.size; ++i) {
                const auto held = memory_.find(from(e, i));
                if (held == memory_.end()) return false;
                moving.back().push_back(held->second);
            }
        }
        for (std::size_t n = 0; n < now.size(); ++n)
            if (now[n].action != action::copy && !whole_elements(moving[n])) return false;
        // now is in canonical order, so combines of the same bytes are in ascending (src, from_offset).
        for (std::size_t n = 0; n < now.size(); ++n)
            for (bytes_t i = 0; i < now[n].size; ++i) {
                const byte_name target = into(now[n], i);
                const operands& incoming = moving[n][static_cast<std::size_t>(i)];
                if (!combine(target, incoming, now[n].action)) return false;
                if (now[n].into == buffer::output) touched_.insert(target);
            }
        return true;
    }

    /// Bytes of operands that a combine takes together: whole elements, one after another.
    bool whole_elements(const std::vector<operands>& bytes) const {
        const auto element = static_cast<std::size_t>(contract_.element);
        if (element > 1 && bytes.size() % element != 0) return false;
        for (std::size_t i = 0; i < bytes.size() && element > 1; ++i) {
            const bytes_t at = bytes[i].front().second;
            if (i % element == 0 ? at % contract_.element != 0 : at != bytes[i - 1].front().second + 1) return false;
        }
        return true;
    }

    bool combine(const byte_name& target, const operands& incoming, action action) {
        if (action == action::copy) {
            memory_[target] = incoming;
            return true;
        }
        const auto held = memory_.find(target);
        if (held == memory_.end()) return false;
        operands& own = held->second;
        for (const auto& a : own)
            for (const auto& b : incoming)
                if (a.first == b.first || a.second != b.second) return false;
        own.insert(action == action::combine_before ? own.begin() : own.end(), incoming.begin(), incoming.end());
        return true;
    }

    bool result() {
        for (rank_t r = 0; r < s_.ranks; ++r) {
            bool good = true;
            contract_.results(r, [&](const contract::result_range& part) {
                for (bytes_t i = 0; i < part.where.size; ++i) {
                    const byte_name name = byte_at(r, buffer::output, part.where.offset + i);
                    touched_.erase(name);
                    operands expected;
                    for (rank_t o = part.first; o < part.last; ++o) expected.push_back({o, part.at + i});
                    operands held = memory_.contains(name) ? memory_[name] : operands{};
                    if (contract_.commutative) std::sort(held.begin(), held.end());
                    good = good && held == expected;
                }
            });
            if (!good) return false;
        }
        return touched_.empty();  // the remaining bytes were no part of the result
    }

    const stored_schedule& s_;
    contract contract_;
    binding binding_;
    std::map<byte_name, operands> memory_;
    std::set<byte_name> touched_;
};

}  // namespace

bool replays(const stored_schedule& s, binding binding) { return byte_oracle(s, binding).right(); }
bool replays(const some_schedule& x, binding binding) { return replays(materialize(x), binding); }

stored_schedule with_edges(const stored_schedule& s, const std::vector<edge>& edges, step_t steps) {
    owned_array<bytes_t> scratch(s.ranks), staging(s.ranks);
    for (rank_t r = 0; r < s.ranks; ++r) {
        scratch[r] = s.scratch(r);
        staging[r] = s.staging(r);
    }
    return {s.contract(),
            steps < 0 ? s.steps() : steps,
            s.pacing(),
            scratch,
            staging,
            owned_array<edge>(std::span<const edge>(edges)),
            0};
}

}  // namespace support
