#include "support/layouts.hpp"

#include <cstddef>
#include <utility>

namespace support {

namespace {

/// 0 .. n-1 in any order.
std::vector<rank_t> any_order(rank_t n, random_source& random) {
    std::vector<rank_t> order(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<rank_t>(i);
    for (rank_t i = n - 1; i > 0; --i)
        std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random.below(i + 1))]);
    return order;
}

}  // namespace

block_layout shuffled(const std::vector<bytes_t>& counts, std::uint64_t seed, bytes_t largest_gap) {
    random_source random(seed);
    std::vector<bytes_t> displs(counts.size());
    bytes_t next = 0;
    for (const rank_t block : any_order(std::ssize(counts), random)) {
        const auto i = static_cast<std::size_t>(block);
        next += random.below(largest_gap + 1);
        displs[i] = next;
        next += counts[i];
    }
    return {counts, displs};
}

std::vector<named_layout> layouts(rank_t ranks, bytes_t unit) {
    const auto p = static_cast<std::size_t>(ranks);
    std::vector<bytes_t> zeros(p), huge(p, unit), lonely(p, 0), stairs(p), gapped(p), reversed(p);
    for (std::size_t i = 0; i < p; ++i) {
        zeros[i] = i % 3 == 1 ? 0 : i % 3 == 2 ? 1 : unit + static_cast<bytes_t>(i % 4);
        stairs[i] = static_cast<bytes_t>(i % 5) * unit;
        gapped[i] = static_cast<bytes_t>(i) * (unit + 3);
        reversed[p - 1 - i] = static_cast<bytes_t>(i) * unit;
    }
    huge[p / 2] = 1000 * unit;
    lonely[p - 1] = 7 * unit;
    const std::vector<bytes_t> equal(p, unit);
    return {{"equal", block_layout(unit)},
            {"empty", block_layout(0)},
            {"cut", block_layout::partition(unit * ranks + ranks / 2, ranks)},
            {"zeros", block_layout(zeros)},
            {"huge", block_layout(huge)},
            {"lonely", block_layout(lonely)},
            {"stairs", block_layout(stairs)},
            {"gaps", block_layout(equal, gapped)},
            {"reversed", block_layout(equal, reversed)},
            {"shuffled zeros", shuffled(zeros, 1, 0)},
            {"shuffled gaps", shuffled(stairs, 2, 5)}};
}

permutation shuffled_ranks(rank_t ranks, std::uint64_t seed) {
    random_source random(seed);
    return permutation(any_order(ranks, random));
}

std::vector<named_matrix> matrices(rank_t ranks, bytes_t unit) {
    const auto p = static_cast<std::size_t>(ranks);
    random_source random(static_cast<std::uint64_t>(ranks));
    std::vector<bytes_t> any(p * p), hot(p * p), alone(p * p), kept(p * p), send_displs(p * p), recv_displs(p * p);
    for (std::size_t i = 0; i < p; ++i) {
        for (std::size_t j = 0; j < p; ++j) {
            const bool empty = i % 4 == 1 || j % 5 == 2 || random.below(4) == 0;
            any[i * p + j] = empty ? 0 : 1 + random.below(3 * unit);
            hot[i * p + j] = j == p / 2 ? 100 * unit + random.below(unit) : random.below(2);
            alone[i * p + j] = i == p - 1 ? unit : 0;
            kept[i * p + j] = i == j ? unit : 0;
        }
    }
    for (std::size_t j = 0; j < p; ++j) {
        bytes_t displ = 5;
        for (std::size_t n = 0; n < p; ++n) {
            const std::size_t i = (n + j) % p;
            recv_displs[j * p + i] = displ;
            displ += any[i * p + j] + 1;
        }
    }
    for (std::size_t i = 0; i < p; ++i) {
        bytes_t sent = random.below(3);
        for (std::size_t j = p; j-- > 0;) {
            send_displs[i * p + j] = sent;
            sent += any[i * p + j] + random.below(3);
        }
    }
    return {{"any", block_matrix(any)},
            {"hot receiver", block_matrix(hot)},
            {"alone", block_matrix(alone)},
            {"kept", block_matrix(kept)},
            {"gaps", block_matrix(any, send_displs, recv_displs)}};
}

}  // namespace support
