#pragma once

#include "collsched/core/checked.hpp"
#include "collsched/schedule/lowering.hpp"
#include "collsched/schedule/parameters.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace scan {

namespace detail {

/// Scan or exscan along the chain 0 -> 1 -> ... -> p-1, pipelined in S = ceil(bytes / segment) pieces (segment 0: one
/// piece): rank r sends piece s to r+1 in round r+s. Keeps the order of operands.
///
/// Rounds p-2+S, 0 for p = 1; p-1 in one piece. No rank sends or receives more than m bytes, the minimum. In a scan a
/// rank sends the content of `output`: its operand is copied there in step 0, and received bytes are combined before it
/// in step 1 + round. No scratch. In an exscan the received bytes are the result, and the rank sends them combined with
/// its operand. Inner ranks copy the operand to scratch (m bytes) in step 0. They combine a piece before it in the step
/// between the rounds that receive and send the piece. Round i is step 2i+1; 2 (p-2+S) steps. Two ranks of an exscan need
/// no copy: round i is step i.
template <collective Collective>
    requires(Collective == collective::scan || Collective == collective::exscan)
struct along_chain {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;
    bytes_t segment = 0;

    static constexpr algorithm_info info{
        .collective = Collective, .name = "pipelined", .rounds = "p-2+S", .source = "folklore"};

    constexpr rank_t pieces() const { return collsched::detail::piece_count(bytes, segment); }
    constexpr argument_error check() const {
        if (((checked(pieces() - 1) + ranks) * (exclusive ? 4 : 2)).ok()) return {};
        if (pieces() == 1) return {"ranks", ranks, exclusive ? "less than 2^61" : "less than 2^62"};
        return {"segment", segment,
                exclusive ? "segments so large that there are less than 2^62 - 2 steps"
                          : "segments so large that there are less than 2^62 steps"};
    }

    constexpr step_t steps() const {
        const step_t rounds = ranks == 1 ? 0 : ranks - 2 + pieces();
        return exclusive ? stride() * rounds : 1 + rounds;
    }
    constexpr collsched::detail::step_ranges active(rank_t r) const {
        const step_range receives = r > 0 ? sending(r - 1) : step_range{};
        const step_range sent = r + 1 < ranks ? sending(r) : step_range{};
        return {{0, 0}, collsched::detail::step_ranges{receives, sent}.hull()};
    }

    constexpr void targets(rank_t r, step_t k, auto f) const {
        if (r + 1 < ranks && piece(r, k) >= 0) f(r + 1);
    }
    constexpr void sources(rank_t r, step_t k, auto f) const {
        if (r > 0 && piece(r - 1, k) >= 0) f(r - 1);
    }
    constexpr void transfers(rank_t src, rank_t, step_t k, auto f) const {
        const buffer from = src == 0 ? buffer::input : exclusive ? buffer::scratch : buffer::output;
        f(part(piece(src, k), from, buffer::output, exclusive ? action::copy : action::combine_before));
    }
    constexpr void local(rank_t r, step_t k, auto f) const {
        if (k == 0 && (!exclusive || is_inner(r)))
            f(edge{.size = bytes, .into = exclusive ? buffer::scratch : buffer::output});
        if (const rank_t due = piece(r, k + 1); exclusive && is_inner(r) && due >= 0)
            f(part(due, buffer::output, buffer::scratch, action::combine_before));
    }
    constexpr bytes_t scratch(rank_t r) const { return exclusive && is_inner(r) ? bytes : 0; }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        f("segment", self.segment);
    }
    bool operator==(const along_chain&) const = default;

  private:
    static constexpr bool exclusive = Collective == collective::exscan;

    /// Returns the steps between two rounds: in an exscan with inner ranks these combine between them.
    constexpr step_t stride() const { return exclusive && ranks > 2 ? 2 : 1; }
    /// Returns the step of round 0.
    constexpr step_t first_round() const { return exclusive && ranks == 2 ? 0 : 1; }
    constexpr bool is_inner(rank_t r) const { return r > 0 && r + 1 < ranks; }
    /// Returns the first and the last step in which rank r sends, if it has a successor.
    constexpr step_range sending(rank_t r) const {
        return {first_round() + stride() * r, first_round() + stride() * (r + pieces() - 1)};
    }
    /// Returns the piece that rank r sends in step k, or -1.
    constexpr rank_t piece(rank_t r, step_t k) const {
        const step_t since = k - sending(r).first;
        return since < 0 || since % stride() != 0 || since / stride() >= pieces() ? -1 : since / stride();
    }
    constexpr edge part(rank_t piece, buffer from, buffer into, collsched::action action) const {
        const block_layout cut = block_layout::partition(bytes, pieces(), element);
        const bytes_t at = cut.displ(piece);
        return {.from_offset = at,
                .into_offset = at,
                .size = cut.count(piece),
                .from = from,
                .into = into,
                .action = action};
    }
};

/// along_chain in one piece: rank r waits for r-1, then sends to r+1. Rounds p-1.
template <collective Collective>
struct along_chain_at_once {
    rank_t ranks = 1;
    bytes_t bytes = 0;
    bytes_t element = 1;

    static constexpr algorithm_info info{
        .collective = Collective, .name = "linear", .rounds = "p-1", .source = "folklore"};

    constexpr auto view() const { return lower(along_chain<Collective>{ranks, bytes, element}); }

    static constexpr void parameters(auto& self, auto f) { collsched::detail::contract_parameters(self, f); }
    bool operator==(const along_chain_at_once&) const = default;
};

}  // namespace detail

/// Scan along the chain of ranks in one piece. Rounds p-1; m bytes sent per rank; keeps the order of operands. No
/// scratch.
using linear = detail::along_chain_at_once<collective::scan>;
/// Scan along the chain of ranks in pieces of at most `segment` bytes: rank r sends piece s to r+1 in round r+s. Rounds
/// p-2+S for S = ceil(bytes / segment) pieces; m bytes sent per rank; keeps the order of operands. No scratch. Source:
/// folklore.
using pipelined = detail::along_chain<collective::scan>;

}}}  // namespace collsched::COLLSCHED_ABI::scan

namespace collsched { inline namespace COLLSCHED_ABI { namespace exscan {

/// Rank r stores the prefix that it receives from r-1, and sends it combined with its input to r+1. Rounds p-1; m bytes
/// sent per rank; m bytes of scratch on the ranks 1 .. p-2; keeps the order of operands.
using linear = scan::detail::along_chain_at_once<collective::exscan>;
/// exscan::linear in pieces of at most `segment` bytes. Rounds p-2+S for S = ceil(bytes / segment) pieces; bytes,
/// scratch and order of operands as there. Source: folklore.
using pipelined = scan::detail::along_chain<collective::exscan>;

}}}  // namespace collsched::COLLSCHED_ABI::exscan
