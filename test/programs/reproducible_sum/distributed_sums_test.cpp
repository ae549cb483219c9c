#include "examples/programs/reproducible_sum/distributed_sums.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string_view>

namespace {

using namespace collsched;

constexpr std::size_t sums = 5;
using parts_of_ranks = std::vector<std::vector<doubles>>;

std::vector<std::uint64_t> bits(std::span<const double> values) {
    std::vector<std::uint64_t> all;
    for (const double x : values) all.push_back(std::bit_cast<std::uint64_t>(x));
    return all;
}

/// The bits of the sums of every rank over a mock network that delays and reorders messages.
template <class Sum>
std::set<std::vector<std::uint64_t>> results_over_mock(const parts_of_ranks& parts, std::uint64_t seed) {
    std::set<std::vector<std::uint64_t>> all;
    const auto operands = local_sums<Sum>(parts);
    for_each_allreduce(static_cast<rank_t>(parts.size()), sums, sizeof(Sum), [&](std::string_view name, const auto& s) {
        const doubles values = reduced(operands, [&](std::span<const rank_memory> memory, reduction add) {
            const mock_network::options options{
                .seed = seed, .eager = seed % 2 == 0, .at_once = true, .reorder = true, .noise = true, .delay = 300};
            bool done = true;
            for (const run_status& end : run_mock(s, memory, options, binding::separate, add))
                done = done && end.done();
            return done;
        });
        CAPTURE(name);
        REQUIRE(values.size() == parts.size() * sums);
        for (std::size_t first = 0; first < values.size(); first += sums)
            all.insert(bits(std::span(values).subspan(first, sums)));
    });
    return all;
}

/// The sums of one accumulator each, without ranks.
template <class Sum>
std::vector<std::uint64_t> alone(const doubles& all) {
    const auto parts = distribute(all, 1, sums, 0);
    doubles values;
    for (const doubles& of_sum : parts[0]) {
        Sum sum;
        sum.deposit(of_sum);
        values.push_back(sum.value());
    }
    return bits(values);
}

template <std::size_t K>
void check_distributions(const doubles& all) {
    const auto expected = alone<binned_sum<K>>(all);
    for (rank_t ranks = 1; ranks <= 16; ++ranks)
        for (std::uint64_t seed = 0; seed < 3; ++seed) {
            CAPTURE(ranks);
            const auto parts = distribute(all, ranks, sums, seed);
            CHECK(results_over_mock<binned_sum<K>>(parts, seed) == std::set{expected});
        }
}

TEST_CASE("distributed sums: the same bits for 1 to 16 ranks, any distribution and algorithm") {
    check_distributions<2>(random_numbers(3000, 1));
    check_distributions<3>(random_numbers(3000, 2));
    check_distributions<4>(random_numbers(30, 3));  // ranks without numbers
}

TEST_CASE("distributed sums: infinities, NaNs, zeros and a large range, over ranks") {
    doubles all = random_numbers(200, 4);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::ldexp(all[i], static_cast<int>(i * 37 % 1900) - 950);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    all[10] = infinity, all[16] = -infinity, all[21] = -infinity;  // sums 0, 1 and 1
    all[27] = std::numeric_limits<double>::quiet_NaN();            // sum 2
    for (std::size_t i = 3; i < all.size(); i += sums) all[i] = -0.0;
    check_distributions<3>(all);
    CHECK(alone<binned_sum<3>>(all)[3] == std::uint64_t{1} << 63);
}

TEST_CASE("distributed sums: all numbers on one rank") {
    const doubles all = random_numbers(1000, 5);
    const auto expected = alone<binned_sum<3>>(all);
    for (std::size_t holder = 0; holder < 7; ++holder) {
        parts_of_ranks parts(7, std::vector<doubles>(sums));
        parts[holder] = distribute(all, 1, sums, holder)[0];
        CHECK(results_over_mock<binned_sum<3>>(parts, holder) == std::set{expected});
    }
}

TEST_CASE("distributed sums: plain sums of the same numbers differ") {
    const doubles all = random_numbers(3000, 6);
    std::set<std::vector<std::uint64_t>> plain;
    for (rank_t ranks = 1; ranks <= 16; ++ranks)
        plain.merge(results_over_mock<plain_sum>(distribute(all, ranks, sums, 0), 0));
    CHECK(plain.size() > 16);
}

TEST_CASE("distributed sums: the same bits over threads") {
    const doubles all = random_numbers(20000, 7);
    const auto expected = alone<binned_sum<3>>(all);
    for (const rank_t ranks : {2, 3, 8}) {
        const auto operands = local_sums<binned_sum<3>>(distribute(all, ranks, sums, 9));
        for_each_allreduce(ranks, sums, sizeof(binned_sum<3>), [&](std::string_view name, const auto& s) {
            const doubles values = reduced(operands, [&](std::span<const rank_memory> memory, reduction add) {
                return run_threads(s, memory, binding::separate, add, 20).done();
            });
            CAPTURE(name);
            REQUIRE(values.size() == static_cast<std::size_t>(ranks) * sums);
            for (std::size_t first = 0; first < values.size(); first += sums)
                CHECK(bits(std::span(values).subspan(first, sums)) == expected);
        });
    }
}

TEST_CASE("distributed sums: a schedule that divides accumulators is rejected") {
    auto add = reduce_with<binned_sum<3>>(std::plus<binned_sum<3>>{}, true);
    std::vector<binned_sum<3>> in(4), out(4);
    std::vector<rank_memory> memory(2, {std::as_bytes(std::span(in)), std::as_writable_bytes(std::span(out))});
    const allreduce::ring bytewise{.ranks = 2, .bytes = 4 * sizeof(binned_sum<3>), .element = 8};
    CHECK(run_mock(bytewise, memory, {}, binding::separate, add).front().error == element_mismatch);
}

}  // namespace
