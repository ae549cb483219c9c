#include "collsched/group/detail/plan_cache.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <set>
#include <vector>

#include "collsched/group/calls.hpp"

using namespace collsched;
using detail::call_key;

TEST_CASE("call_key: calls that need different plans have different keys and hashes") {
    std::vector<int> six(6), other(6), two(2);
    std::vector<float> floats(6);
    std::vector<double> doubles(3);
    const std::vector<std::int64_t> counts{1, 2, 3}, displs{3, 1, 0}, more{3, 2, 1};
    const neighborhood ring(std::vector<int>{1, 1}, std::vector<int>{1, 0}), same = ring;
    const neighborhood equal(std::vector<int>{1, 1}, std::vector<int>{1, 0});
    const auto least = [](int a, int b) { return a < b ? a : b; };
    const std::vector<collective_call> calls{calls::broadcast(six),
                                             calls::broadcast(six, 1),
                                             calls::broadcast(two),
                                             calls::broadcast(doubles),
                                             calls::allreduce(six, std::plus<>()),
                                             calls::allreduce(six, other, std::plus<>()),
                                             calls::allreduce(six, least),
                                             calls::scan(six, std::plus<>()),
                                             calls::allgather(six),
                                             calls::allgather(two, six),
                                             calls::allgatherv(two, six, counts),
                                             calls::allgatherv(two, six, more),
                                             calls::allgatherv(six, counts),
                                             calls::allgatherv(two, six, collective_call::value_blocks(counts, displs)),
                                             calls::alltoallv(six, counts, other, more),
                                             calls::alltoallv(six, more, other, counts),
                                             calls::alltoallv(six, counts, other, counts),
                                             calls::neighbor_alltoall(two, two, ring),
                                             calls::neighbor_alltoall(two, two, equal),
                                             calls::neighbor_alltoall(two, six, ring),
                                             calls::neighbor_allgather(two, two, ring)};
    std::set<std::uint64_t> hashes;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        CAPTURE(i);
        CHECK(hashes.insert(call_key(calls[i]).hash()).second);
        for (std::size_t j = 0; j < calls.size(); ++j) CHECK(call_key(calls[i]).is_of(calls[j]) == (i == j));
    }
    CHECK(call_key(calls::broadcast(six)).is_of(calls::broadcast(floats)));
    CHECK(call_key(calls::allreduce(six, std::plus<>())).is_of(calls::allreduce(other, std::bit_xor<>())));
    CHECK(call_key(calls::neighbor_alltoall(two, two, ring)).is_of(calls::neighbor_alltoall(two, two, same)));
}

TEST_CASE("call_key: keep_numbers() refers to a copy") {
    std::vector<int> six(6);
    std::vector<std::int64_t> counts{1, 2, 3}, more{6, 0, 0};
    const collective_call call = calls::alltoallv(six, collective_call::value_blocks(counts, counts), six, more);
    call_key kept(call);
    std::vector<std::int64_t> memory;
    kept.keep_numbers(memory);
    CHECK(kept.is_of(call));
    CHECK(kept.hash() == call_key(call).hash());
    CHECK(memory == std::vector<std::int64_t>{1, 2, 3, 1, 2, 3, 6, 0, 0});
    counts[0] = 5;
    CHECK(!kept.is_of(call));
}
