#pragma once

#include <array>
#include <cstdint>

#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/schedule/static_schedule.hpp"
#include "collsched/verify/verify.hpp"

/// An operation of one node. `from` and `into` are positions in its memory, in values.
struct instruction {
    enum operation : std::uint8_t { send, copy, receive, receive_and_add } what;
    std::uint8_t peer;  ///< the other node
    std::uint16_t from, into, count;
};

/// Sums of `width` values over all nodes, by a table per node that is computed at compile time.
template <unsigned nodes, unsigned width = 4>
struct sum_of_nodes {
    using enum instruction::operation;
    static constexpr int bytes = sizeof(std::int32_t);  // per value
    static constexpr collsched::allreduce::recursive_doubling sum = {nodes, width* bytes, bytes};
    using schedule = collsched::static_schedule<[] { return sum; }>;
    static_assert(nodes < 256 && 4 * width < 65536 && collsched::proved<collsched::verify(sum)>);

    /// Calls f(edge, operation) for each edge of a node: in each step sends, then copies, then receives.
    static constexpr void for_each_edge(unsigned self, auto f) {
        for (collsched::step_t k = 0; k < schedule::steps(); ++k)
            for (const auto what : {send, copy, receive})
                for (const collsched::edge& e : schedule::edges)
                    if (e.step == k && e.is_local() == (what == copy) && self == (what == receive ? e.dst : e.src))
                        f(e, e.combines() && what == receive ? receive_and_add : what);
    }
    template <unsigned self>
    static constexpr auto table = [] {
        constexpr unsigned size = [](unsigned n = 0) { return for_each_edge(self, [&](auto...) { ++n; }), n; }();
        std::array<instruction, size> made{};
        for_each_edge(self, [at = made.begin()](const collsched::edge& e, instruction::operation what) mutable {
            const auto position = [](collsched::buffer where, collsched::bytes_t offset) {
                return static_cast<std::uint16_t>(static_cast<unsigned>(where) * width + offset / bytes);
            };
            *at++ = {what, static_cast<std::uint8_t>(what == send ? e.dst : e.src), position(e.from, e.from_offset),
                     position(e.into, e.into_offset), static_cast<std::uint16_t>(e.size / bytes)};
        });
        return made;
    }();
    std::int32_t memory[4 * width] = {};  ///< input, output, scratch, and received values to add
    /// Sums input into output.
    /// @pre link.send(peer, values, count) does not wait for the peer; link.receive does
    template <unsigned self>
    void run(auto& link) {
        for (const auto [what, peer, from, into, count] : table<self>) {
            std::int32_t* const target = memory + (what == receive_and_add ? 3 * width : into);
            if (what == send) link.send(peer, memory + from, count);
            else if (what != copy) link.receive(peer, target, count);
            for (int i = 0; i < count && what == copy; ++i) target[i] = memory[from + i];
            for (int i = 0; i < count && what == receive_and_add; ++i) memory[into + i] += target[i];
        }
    }
};
