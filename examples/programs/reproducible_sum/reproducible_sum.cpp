// Sums of random numbers that are distributed at random over 1 .. 16 ranks, by several allreduces over threads.
// Binned sums have the same bits on all ranks, for every number of ranks, distribution and algorithm. Sums of doubles
// have not.
// reproducible_sum [NUMBERS [SEED]]

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdio>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "distributed_sums.hpp"

using namespace collsched;

constexpr std::size_t sums = 4;
constexpr rank_t most_ranks = 16;

/// The sums of one rank as bits.
using bits = std::vector<std::uint64_t>;

/// Returns the results of all ranks and algorithms.
template <class Sum>
std::set<bits> results(const std::vector<std::vector<doubles>>& parts) {
    std::set<bits> all;
    const auto operands = local_sums<Sum>(parts);
    for_each_allreduce(static_cast<rank_t>(parts.size()), sums, sizeof(Sum), [&](std::string_view name, const auto& s) {
        const doubles values = reduced(operands, [&](std::span<const rank_memory> memory, reduction add) {
            return run_threads(s, memory, binding::separate, add).done();
        });
        if (values.empty()) throw std::runtime_error("allreduce by " + std::string(name) + " failed");
        for (std::size_t first = 0; first < values.size(); first += sums) {
            bits of_rank;
            for (const double x : std::span(values).subspan(first, sums))
                of_rank.push_back(std::bit_cast<std::uint64_t>(x));
            all.insert(of_rank);
        }
    });
    return all;
}

/// Prints the results, and returns whether all binned sums are equal.
bool run(std::size_t count, std::uint64_t seed) {
    const doubles all = random_numbers(count, seed);
    std::set<bits> binned, plain;
    std::printf("%zu sums of %zu random numbers; bits of the first sum in one of the results\n\n", sums, count);
    std::printf("       binned sums                plain sums\nranks  results  bits              results  bits\n");
    for (rank_t ranks = 1; ranks <= most_ranks; ++ranks) {
        const auto parts = distribute(all, ranks, sums, seed + static_cast<std::uint64_t>(ranks));
        const auto binned_now = results<binned_sum<>>(parts), plain_now = results<plain_sum>(parts);
        std::printf("%5d  %7zu  %016llx  %7zu  %016llx\n", static_cast<int>(ranks), binned_now.size(),
                    static_cast<unsigned long long>(binned_now.begin()->front()), plain_now.size(),
                    static_cast<unsigned long long>(plain_now.begin()->front()));
        binned.insert(binned_now.begin(), binned_now.end());
        plain.insert(plain_now.begin(), plain_now.end());
    }
    std::printf("\ndifferent results: %zu of binned sums, %zu of plain sums\n", binned.size(), plain.size());
    return binned.size() == 1;
}

/// Reads a decimal number of the range, or prints a line about the argument and returns false.
template <class T>
bool read(const char* name, std::string_view text, T lowest, T highest, T& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && lowest <= number && number <= highest) return true;
    std::string shown(text);
    std::ranges::replace_if(shown, [](unsigned char c) { return c < 0x20 || c > 0x7e; }, '?');
    std::fprintf(stderr, "%s: got %s, expected %llu..%llu\n", name, shown.c_str(),
                 static_cast<unsigned long long>(lowest), static_cast<unsigned long long>(highest));
    return false;
}

int main(int argc, char** argv) {
    std::size_t count = 100'000;
    std::uint64_t seed = 1;
    if (argc > 3) {
        std::fprintf(stderr, "arguments: got %d, expected NUMBERS and SEED at most\n", argc - 1);
        return 2;
    }
    if (argc > 1 && !read<std::size_t>("NUMBERS", argv[1], 1, 10'000'000, count)) return 2;
    if (argc > 2 && !read<std::uint64_t>("SEED", argv[2], 0, 1'000'000'000, seed)) return 2;
    try {
        return run(count, seed) ? 0 : 1;
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "reproducible_sum: %s\n", failure.what());
        return 1;
    }
}
