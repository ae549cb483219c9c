#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "collsched/verify/verify.hpp"
#include "support/proof_size.hpp"
#include "support/some_schedule.hpp"

namespace support {

using namespace collsched;

/// Parameters of an algorithm of whole messages: ranks, bytes and bytes per element.
template <class Algorithm>
inline constexpr auto of_bytes =
    [](rank_t p, bytes_t bytes, bytes_t element) { return Algorithm{.ranks = p, .bytes = bytes, .element = element}; };

struct message_size {
    bytes_t bytes, element;
};

/// The messages worth trying among p ranks: of no element, one, fewer than ranks, and more than can be shared out
/// evenly, in elements of 1, 3, 8, 16 and 24 bytes; beyond 16 ranks, of one size of elements, at each p another.
std::vector<message_size> message_sizes(rank_t p);

/// Checks it in both bindings by the verifier, and for few ranks and bytes by a replay that shares no code with it.
void check_proved(const some_schedule& x, const contract& contract);

/// The tested roots: all for few ranks, else the first, one in the middle, and the last.
std::vector<rank_t> roots_of(rank_t p);

/// Parameters of an algorithm of whole messages with a root.
template <class Algorithm>
inline constexpr auto of_root = [](rank_t p, rank_t root, bytes_t bytes, bytes_t element) {
    return Algorithm{.ranks = p, .root = root, .bytes = bytes, .element = element};
};

/// Checks broadcasts or reductions for p = 1 .. most with messages of all kinds.
template <class Make>
void check_rooted(const Make& make, collective kind, rank_t most = 64) {
    for (rank_t p = 1; p <= most; ++p)
        for (const rank_t root : roots_of(p))
            for (const auto& [bytes, element] : message_sizes(p))
                check_proved(make(p, root, bytes, element), {.collective = kind,
                                                             .ranks = p,
                                                             .root = root,
                                                             .bytes = bytes,
                                                             .element = element,
                                                             .commutative = kind == collective::reduce});
}

/// Proves it at compile time for p = 1 .. Most and the first, the middle and the last root.
template <auto Make, rank_t Wanted, rank_t Most = std::min(Wanted, most_proved)>
constexpr bool rooted_proved_up_to = []<rank_t... I>(std::integer_sequence<rank_t, I...>) {
    return ((proved<verify(Make(I + 1, rank_t{0}, bytes_t{4 * I + 2}, bytes_t{2}))> &&
             proved<verify(Make(I + 1, I, bytes_t{3}, bytes_t{1}))> &&
             proved<verify(Make(I + 1, I / 2, bytes_t{5}, bytes_t{1}), binding::in_place)>) &&
            ...);
}(std::make_integer_sequence<rank_t, Most>());

}  // namespace support
