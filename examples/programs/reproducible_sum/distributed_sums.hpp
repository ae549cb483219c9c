#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "binned_sum.hpp"
#include "collsched/collective.hpp"
#include "collsched/execute.hpp"

/// Sums of numbers that are distributed over ranks: every rank sums its own numbers, and an allreduce adds the results.

using doubles = std::vector<double>;

/// Returns random numbers of both signs and of magnitudes from about 2^-20 to 2^20.
inline doubles random_numbers(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    doubles all(count);
    for (double& x : all) {
        const auto mantissa = static_cast<double>(random() >> 11) * 0x1p-52 - 1;  // -1 or more, below 1
        x = std::ldexp(mantissa, static_cast<int>(random() % 41) - 20);
    }
    return all;
}

/// Returns the numbers of every rank for every sum, as [rank][sum]. Number i belongs to sum i mod `sums` and to a
/// random rank, in random order.
inline std::vector<std::vector<doubles>> distribute(const doubles& all, collsched::rank_t ranks, std::size_t sums,
                                                    std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<std::size_t> order(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) order[i] = i;
    for (std::size_t i = all.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    std::vector parts(static_cast<std::size_t>(ranks), std::vector<doubles>(sums));
    for (const std::size_t i : order) parts[random() % parts.size()][i % sums].push_back(all[i]);
    return parts;
}

/// Sum of doubles in the order of the numbers.
struct plain_sum {
    double sum = 0;
    void deposit(std::span<const double> all) {
        for (const double x : all) sum += x;
    }
    double value() const { return sum; }
    friend plain_sum operator+(plain_sum a, plain_sum b) { return {a.sum + b.sum}; }
};

/// Calls f(name, schedule) for allreduces of several algorithms.
/// @param ranks  1 or more
/// @param sums   elements of the message
/// @param size   size of an element in bytes
void for_each_allreduce(collsched::rank_t ranks, std::size_t sums, std::size_t size, auto f) {
    using namespace collsched;
    const auto element = static_cast<bytes_t>(size), bytes = static_cast<bytes_t>(sums) * element;
    f("recursive doubling", allreduce::recursive_doubling{.ranks = ranks, .bytes = bytes, .element = element});
    f("allgather",
      allreduce::allgather_reduce<allgather::circulant>{.ranks = ranks, .bytes = bytes, .element = element});
    f("ring", allreduce::ring{.ranks = ranks, .bytes = bytes, .element = element});
    f("segmented ring",
      allreduce::segmented_ring{.ranks = ranks, .bytes = bytes, .element = element, .segment = element});
    f("circulant", allreduce::circulant{.ranks = ranks, .bytes = bytes, .element = element});
    f("binomial tree", allreduce::over_tree<trees::binomial>{.ranks = ranks, .bytes = bytes, .element = element});
    f("dual root", allreduce::dual_root{.ranks = ranks, .bytes = bytes, .element = element, .segment = element});
}

/// Returns the sums of every rank's own numbers.
/// @tparam Sum  binned_sum<K> or plain_sum
template <class Sum>
std::vector<std::vector<Sum>> local_sums(const std::vector<std::vector<doubles>>& parts) {
    std::vector<std::vector<Sum>> operands;
    for (const auto& of_rank : parts) {
        operands.emplace_back(of_rank.size());
        for (std::size_t s = 0; s < of_rank.size(); ++s) operands.back()[s].deposit(of_rank[s]);
    }
    return operands;
}

/// Adds the operands of all ranks by run(memory, reduction). Returns the sums as doubles, rank after rank, or no
/// doubles if the run fails.
template <class Sum>
doubles reduced(const std::vector<std::vector<Sum>>& operands, auto run) {
    auto outputs = operands;
    std::vector<collsched::rank_memory> memory;
    for (std::size_t r = 0; r < operands.size(); ++r)
        memory.push_back({std::as_bytes(std::span(operands[r])), std::as_writable_bytes(std::span(outputs[r]))});
    auto add = collsched::reduce_with<Sum>(std::plus<Sum>{}, true);
    doubles values;
    if (!run(memory, add)) return values;
    for (const auto& of_rank : outputs)
        for (const Sum& sum : of_rank) values.push_back(sum.value());
    return values;
}
