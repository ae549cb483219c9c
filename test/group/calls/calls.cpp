#include "collsched/group/calls.hpp"

#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>


using namespace collsched;

TEST_CASE("calls: sizes, memory and the kind of value follow from the arrays") {
    const std::vector<double> in(3);
    std::array<double, 3> out{};
    const collective_call call = calls::allreduce(in, out, std::plus<>());
    CHECK((call.collective == collective::allreduce && call.binding == binding::separate && !call.wrong));
    CHECK((call.bytes == 24 && call.value == 8 && call.values == detail::value_kind<double>()));
    CHECK((call.input.data() == std::as_bytes(std::span(in)).data() && call.input.size() == 24));
    CHECK((call.output.data() == std::as_writable_bytes(std::span(out)).data() && call.output.size() == 24));
    CHECK(call.op.commutative);
}

TEST_CASE("calls: one array is input and output in place") {
    std::vector<int> values(6);
    for (const collective_call& call :
         {calls::broadcast(values, 2), calls::allreduce(values, std::plus<>()), calls::scan(values, std::plus<>()),
          calls::exscan(values, std::plus<>()), calls::reduce(values, std::plus<>(), 2), calls::allgather(values),
          calls::reduce_scatter(values, std::plus<>()), calls::alltoall(values), calls::gather(values, 2),
          calls::scatter(values, 2)}) {
        CHECK((call.binding == binding::in_place && call.bytes == 24 && call.value == 4));
        CHECK((call.input.data() == call.output.data() && call.input.size() == 24 && call.output.size() == 24));
        CHECK(call.root == (is_rooted(call.collective) ? 2 : 0));
        CHECK(static_cast<bool>(call.op.combine) == reduces(call.collective));
    }
}

TEST_CASE("calls: what bytes counts") {
    using size = collective_call::size;
    std::vector<short> one(2), all(8);
    const std::plus<> op;
    const neighborhood none;
    CHECK((calls::scatter(all, one).bytes == 4 && calls::scatter(all, one).sizes == size::block));
    CHECK((calls::gather(one, all).bytes == 4 && calls::gather(one, all).sizes == size::block));
    CHECK((calls::allgather(one, all).bytes == 4 && calls::allgather(one, all).sizes == size::block));
    CHECK((calls::reduce_scatter(all, one, op).bytes == 4 && calls::reduce_scatter(all, one, op).sizes == size::block));
    CHECK((calls::alltoall(all, all).bytes == 16 && calls::alltoall(all, all).sizes == size::all_blocks));
    CHECK(calls::allgather(all).sizes == size::all_blocks);
    CHECK((calls::gather(all).sizes == size::root_blocks && calls::scatter(all).sizes == size::root_blocks));
    CHECK(
        (calls::neighbor_allgather(one, all, none).bytes == 4 && calls::neighbor_alltoall(all, one, none).bytes == 16));
    CHECK(calls::neighbor_alltoall(all, one, none).neighbors == &none);
    CHECK((calls::reduce(one, all, op).bytes == 4 && calls::barrier().collective == collective::barrier));
}

TEST_CASE("calls: input and output of one size are checked") {
    std::vector<int> three(3), four(4);
    const std::plus<> op;
    for (const collective_call& call : {calls::allreduce(three, four, op), calls::scan(three, four, op),
                                        calls::exscan(three, four, op), calls::alltoall(three, four)}) {
        REQUIRE(call.wrong);
        CHECK(call.wrong.text().c_str() == std::string("output: got 4, expected as many values as the input"));
    }
    CHECK(!calls::gather(three, four).wrong);
}

TEST_CASE("calls: arrays of other values, and constant results, do not compile") {
    static_assert(detail::results_of<std::vector<int>&, std::vector<int>>);
    static_assert(!detail::results_of<std::vector<int>&, std::vector<float>>);
    static_assert(!detail::writable_values<const std::vector<int>&> && detail::readable_values<const std::vector<int>&>);
    static_assert(!detail::readable_values<std::vector<std::vector<int>>>);
    static_assert(detail::value_operation<std::plus<>> && !detail::value_operation<std::vector<int>>);
    CHECK(detail::writable_values<std::span<int>>);
}

TEST_CASE("calls: without a root rank 0 is the root") {
    std::vector<int> a(4), b(4);
    const std::vector<std::int64_t> counts{2, 2};
    for (const collective_call& call :
         {calls::broadcast(a), calls::scatter(a, b), calls::scatter(a), calls::gather(a, b), calls::gather(a),
          calls::reduce(a, b, std::plus<>()), calls::reduce(a, std::plus<>()), calls::scatterv(a, b, counts),
          calls::gatherv(a, b, counts)})
        CHECK(call.root == 0);
    CHECK((calls::broadcast(a, 3).root == 3 && calls::reduce(a, b, std::plus<>(), 2).root == 2));
}
