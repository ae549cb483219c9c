#pragma once

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "collsched/core/bits.hpp"
#include "collsched/verify/verify.hpp"
#include "support/brief.hpp"
#include "support/messages.hpp"
#include "support/proof_size.hpp"
#include "support/same_bits.hpp"
#include "support/some_schedule.hpp"

namespace support {

using namespace collsched;

/// Proves the schedules of Make at compile time for these numbers of ranks: with elements that p does not divide,
/// and with fewer elements than ranks; bound separately and in place.
template <auto Make, rank_t Ranks>
constexpr bool allreduce_proved_at = [] {
    if constexpr (Ranks > most_proved) return true;
    else
        return proved<verify(Make(Ranks, bytes_t{4 * Ranks - 2}, bytes_t{2}))> &&
               proved<verify(Make(Ranks, bytes_t{3}, bytes_t{1}), binding::in_place)>;
}();
template <auto Make, rank_t... Ranks>
constexpr bool allreduce_proved_for = (allreduce_proved_at<Make, Ranks> && ...);

template <auto Make, rank_t Most>
constexpr bool allreduce_proved_up_to = []<rank_t... I>(std::integer_sequence<rank_t, I...>) {
    return allreduce_proved_for<Make, I + 1 ...>;
}(std::make_integer_sequence<rank_t, Most>());

/// Checks it in both bindings, with the same bits on all ranks.
void check_right(const some_schedule& x, const contract& contract);

/// Checks p = 1 .. most with messages of all kinds. Skips rejected numbers of ranks, and returns how many were
/// accepted. In short runs it tries one of five numbers of ranks above 17, and the last.
template <class Make>
rank_t check_allreduce(const Make& make, bool keeps_order, rank_t most = 64) {
    rank_t able = 0;
    for (rank_t p = 1; p <= most; ++p) {
        const argument_error error = check(make(p, bytes_t{8}, bytes_t{8}));
        if (error && error.argument == std::string("ranks")) continue;
        ++able;
        if (brief() && p > 17 && p < most && p % 5 != 0) continue;
        for (const auto& [bytes, element] : message_sizes(p))
            check_right(make(p, bytes, element), {.collective = collective::allreduce,
                                                  .ranks = p,
                                                  .bytes = bytes,
                                                  .element = element,
                                                  .commutative = !keeps_order});
    }
    return able;
}

/// Checks that sums of floating-point numbers are the same on all of four ranks.
template <class Make>
void check_sums(const Make& make) {
    for (const bytes_t count : {1, 7})
        for (const binding binding : {binding::separate, binding::in_place}) {
            CHECK(wrong_sums(make(4, 8 * count, 8), 1e8, binding) == "");
            CHECK(wrong_sums(make(4, 8 * count, 8), 1e17, binding) == "");
            CHECK(wrong_sums(make(4, 4 * count, 4), 1e8F, binding) == "");
        }
}

/// Checks the number of rounds, and that every rank sends and receives `least` to `most` bytes.
void check_traffic(const some_schedule& x, step_t rounds, bytes_t least, bytes_t most);

/// Every rank sends, and receives, 2 (n-1) of n parts of the message: 2 m (n-1)/n bytes, up to an element per part.
struct parts_moved {
    rank_t n;
    std::int64_t elements;  ///< of 8 bytes
    bytes_t least() const { return 2 * (n - 1) * (elements / n) * 8; }
    bytes_t most() const { return 2 * (n - 1) * ((elements + n - 1) / n) * 8; }
};

/// Checks rounds and bytes for messages that n divides and for others.
template <class Make>
void check_in_parts(const Make& make, rank_t p, step_t rounds) {
    CAPTURE(p);
    for (const std::int64_t elements : {p, 3 * p + p / 2}) {
        const parts_moved moved{p, elements};
        check_traffic(make(p, 8 * elements, bytes_t{8}), rounds, moved.least(), moved.most());
    }
}

/// p ranks, among n = 2^floor(log2 p) hosts, take so many rounds, and send and receive between `least` and `most`
/// bytes. They take two rounds more where n < p: the ranks 1, 3, 5 ... up to 2 (p-n) are guests of those before them,
/// and give and get `bytes`.
void check_pairs_folded(const some_schedule& x, rank_t p, bytes_t bytes, step_t rounds, bytes_t least, bytes_t most);

/// The same for an allreduce that halves and doubles among the hosts.
template <class Make>
void check_halving(const Make& make, rank_t p) {
    CAPTURE(p);
    const rank_t n = floor_power_of_two(p);
    for (const std::int64_t elements : {n, 2 * n + n / 2 + 1}) {
        const parts_moved moved{n, elements};
        const bytes_t bytes = 8 * elements;
        check_pairs_folded(make(p, bytes, bytes_t{8}), p, bytes, 2 * floor_log2(p), moved.least(), moved.most());
    }
}

}  // namespace support
