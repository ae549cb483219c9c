#include "collsched/group/detail/call_request.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "collsched/group/calls.hpp"

using namespace collsched;

namespace {

/// The request of rank `rank` of 3, or the error.
std::string error_of(const collective_call& call, rank_t rank = 0) {
    choice::request request;
    return detail::fill_request(call, 3, rank, request).text().c_str();
}
choice::request request_of(const collective_call& call, rank_t rank = 0) {
    choice::request request;
    CHECK(!detail::fill_request(call, 3, rank, request));
    return request;
}

}  // namespace

TEST_CASE("call_request: sizes, root, element and order of operands") {
    std::vector<double> six(6), two(2);
    const choice::request sum = request_of(calls::allreduce(six, std::plus<>()));
    CHECK((sum.collective == collective::allreduce && sum.binding == binding::in_place && !sum.keeps_order));
    CHECK((sum.parameters.ranks == 3 && sum.parameters.bytes == 48 && sum.parameters.element == 8));
    CHECK((sum.parameters.segment == shape::as_it_is && sum.parameters.root == 0));
    CHECK(request_of(calls::scan(six, [](double a, double b) { return a < b ? a : b; })).keeps_order);
    const choice::request move = request_of(calls::broadcast(six, 2));
    CHECK((move.parameters.root == 2 && move.parameters.element == 1 && !move.keeps_order));
    for (const collective_call& call :
         {calls::scatter(six, two, 1), calls::gather(two, six), calls::allgather(two, six), calls::allgather(six),
          calls::alltoall(six, six), calls::alltoall(six), calls::reduce_scatter(six, two, std::plus<>()),
          calls::gather(six, 0), calls::scatter(six, 0)})
        CHECK(request_of(call).parameters.block == block_layout(16));
    CHECK(request_of(calls::gather(two, 2)).parameters.block == block_layout(16));
    CHECK(request_of(calls::alltoall(six)).binding == binding::separate);
}

TEST_CASE("call_request: irregular blocks, and those of neighbors") {
    std::vector<int> in(6), out(6);
    const std::vector<std::int64_t> counts{1, 0, 2}, displs{5, 1, 2};
    const std::vector<bytes_t> bytes{4, 0, 8}, places{20, 4, 8};
    CHECK(request_of(calls::gatherv(in, out, counts)).parameters.block == block_layout(bytes));
    CHECK(request_of(calls::gatherv(in, out, collective_call::value_blocks(counts, displs))).parameters.block ==
          block_layout(bytes, places));
    const neighborhood graph(std::vector<int>{2, 0, 1}, std::vector<int>{1, 2, 0});
    const choice::request two = request_of(calls::neighbor_alltoall(in, out, graph));
    CHECK((two.parameters.neighbors == graph && two.parameters.block == block_layout(12)));
    const std::vector<int> none;
    CHECK(request_of(calls::neighbor_alltoall(none, out, graph), 1).parameters.block == block_layout(24));
    CHECK(request_of(calls::neighbor_allgather(in, out, graph)).parameters.block == block_layout(24));
}

TEST_CASE("call_request: wrong arguments") {
    std::vector<int> five(5), six(6);
    const std::vector<std::int64_t> negative{1, -2, 3}, large{1, std::numeric_limits<std::int64_t>::max(), 1};
    CHECK(error_of(calls::allreduce(five, six, std::plus<>())) ==
          "output: got 6, expected as many values as the input");
    CHECK(error_of(calls::broadcast(five, 3)) == "root: got 3, expected a rank of the group");
    CHECK(error_of(calls::broadcast(five, -1)) == "root: got -1, expected a rank of the group");
    CHECK(error_of(calls::alltoall(five)) ==
          "input: got 5, expected a number of values that the number of blocks divides");
    CHECK(error_of({.collective = collective::scan}) ==
          "op: got 0, expected an operation, since the collective reduces");
    CHECK(error_of({.collective = collective::neighbor_alltoall}) ==
          "neighbors: got 0, expected the graph of the neighbors");
    const std::string sizes = "0 values or more, and less than 2^63 bytes";
    CHECK(error_of(calls::gatherv(five, six, negative)) == "counts[1]: got -2, expected " + sizes);
    CHECK(error_of(calls::gatherv(five, six, large)) == "counts[1]: got 9223372036854775807, expected " + sizes);
    CHECK(error_of(calls::gatherv(five, six, collective_call::value_blocks(large, negative))).starts_with("counts[1]"));
    const std::vector<std::int64_t> counts{1, 1, 1};
    CHECK(error_of(calls::gatherv(five, six, collective_call::value_blocks(counts, negative))) ==
          "displs[1]: got -2, expected " + sizes);
    const neighborhood graph(std::vector<int>{1, 1}, std::vector<int>{1, 0});
    CHECK(!error_of(calls::neighbor_allgather(five, six, graph)).empty());  // of two ranks
}

TEST_CASE("call_request: own counts") {
    std::vector<int> in(6), out(6);
    const std::vector<std::int64_t> counts{1, 0, 2}, displs{5, 1, 2}, received{1, 2, 1}, few{1, 2};
    detail::exchange_blocks own;
    CHECK(!detail::find_exchange_blocks(
        calls::alltoallv(in, collective_call::value_blocks(counts, displs), out, received), 3, 0, own));
    CHECK(own.blocks == std::vector<rank_exchange::block>{{20, 4, 0, 4}, {4, 0, 4, 8}, {8, 8, 12, 4}});
    CHECK((own.input == 24 && own.output == 16));
    CHECK(detail::find_exchange_blocks(calls::alltoallv(in, few, out, received), 3, 0, own));
    CHECK(detail::find_exchange_blocks(calls::alltoallv(in, counts, out, few), 3, 0, own));
    CHECK(detail::find_exchange_blocks(calls::alltoallv(in, counts, out, std::vector<std::int64_t>{1, -1, 1}), 3, 0,
                                       own));
    CHECK(detail::find_exchange_blocks(calls::alltoallv(in, counts, out, received), 3, 1, own));  // differs for itself
}
