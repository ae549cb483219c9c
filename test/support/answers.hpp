#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "collsched/schedule/lowering.hpp"

namespace support {

using namespace collsched;

/// Visits every step of every rank. Returns where next() or busy() passes over an edge, where an edge is of
/// another step or rank, or where a receive has no send; or "".
template <schedulable X>
std::string broken_answer(const X& x) {
    const auto& s = lower(x);
    std::vector<edge> sent, received;
    for (rank_t r = 0; r < s.ranks; ++r)
        for (step_t k = 0; k < s.steps(); ++k) {
            const std::string where = " in step " + std::to_string(k) + " of rank " + std::to_string(r);
            bool any = false, right = true;
            const auto see = [&](const edge& e, rank_t own) {
                any = true;
                right = right && e.step == k && own == r;
            };
            s.sends(r, k, [&](const edge& e) {
                see(e, e.src);
                if (!e.is_local()) sent.push_back(e);
            });
            s.receives(r, k, [&](const edge& e) {
                see(e, e.dst);
                received.push_back(e);
            });
            if (!right) return "a wrong edge" + where;
            if (s.next(r, k) < k || (any && s.next(r, k) != k)) return "next is wrong" + where;
            if constexpr (requires { s.busy(r); })
                if (any && s.busy(r).from(k, s.steps()) != k) return "busy is wrong" + where;
        }
    std::sort(sent.begin(), sent.end(), precedes);
    std::sort(received.begin(), received.end(), precedes);
    return sent == received ? "" : "sends and receives differ";
}

}  // namespace support
