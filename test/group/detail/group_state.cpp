#include "collsched/group/detail/group_state.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <utility>
#include <vector>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/execute/mock.hpp"
#include "collsched/group/calls.hpp"

using namespace collsched;

namespace {

using state = detail::group_state<mock_network::endpoint>;

/// The state of rank 1 of 2.
struct one_of_two {
    mock_network network{2};
    mock_network::endpoint end = network.at(1);
    state own{resilient_communicator<mock_network::endpoint>(communicator(end, 2, 1)),
              {.policy = policies::named(allreduce::ring{}, allgather::ring{}, alltoall::pairwise{})}};
    argument_error wrong;
};

}  // namespace

TEST_CASE("group_state: memory that is too small is refused, also where the plan is kept") {
    one_of_two all;
    std::vector<int> block(3), whole(6), few(5);
    CHECK(all.own.prepare(calls::allgather(block, few), all.wrong) == nullptr);
    CHECK(all.wrong.text().c_str() ==
          std::string("output: got 5, expected as many values as the call has on this rank"));
    all.wrong = {};
    auto* const made = all.own.prepare(calls::allgather(block, whole), all.wrong);
    REQUIRE(made != nullptr);
    CHECK((made->input == 12 && made->output == 24 && made->reason == "ring, the named algorithm"));
    CHECK(all.own.prepare(calls::allgather(block, whole), all.wrong) == made);
    CHECK(all.own.prepare(calls::allgather(block, few), all.wrong) == nullptr);
    CHECK((all.own.rank() == 1 && all.own.ranks() == 2));
}

TEST_CASE("group_state: in place the buffers are in one array, and an exchange copies it") {
    one_of_two all;
    std::vector<int> whole(6);
    const auto* gathered = all.own.prepare(calls::allgather(whole), all.wrong);
    REQUIRE(gathered != nullptr);
    CHECK((gathered->input_at == 12 && gathered->output_at == 0 && gathered->input == 24 && gathered->output == 24));
    CHECK(gathered->copied_bytes == 0);
    const auto* exchanged = all.own.prepare(calls::alltoall(whole), all.wrong);
    REQUIRE(exchanged != nullptr);
    CHECK((exchanged->copied_bytes == 24 && exchanged->input_at == 0 && exchanged->output == 24));
}

TEST_CASE("group_state: what runs a plan is taken and given back, and its memory counts") {
    one_of_two all;
    std::vector<int> values(4);
    const collective_call call = calls::allreduce(values, std::plus<>());
    auto* const made = all.own.prepare(call, all.wrong);
    REQUIRE(made != nullptr);
    const bytes_t before = all.own.plans().memory();
    auto &first = all.own.take(*made), &second = all.own.take(*made);
    CHECK((&first != &second && made->in_use == 2 && made->idle == nullptr));
    CHECK(all.own.plans().memory() == before + first.memory() + second.memory());
    all.own.give_back(*made, first);
    CHECK((made->in_use == 1 && made->idle == &first));
    all.own.give_back(*made, second);
    CHECK((&all.own.take(*made) == &second && &all.own.take(*made) == &first && made->runs.size() == 2));
}

TEST_CASE("group_state: a call with own counts is a direct exchange, whose schedules need not be equal") {
    one_of_two all;
    std::vector<int> in(6), out(6);
    const std::vector<std::int64_t> sent{1, 2}, received{3, 2};
    collective_call call{.collective = collective::alltoall, .sizes = collective_call::size::own_counts, .value = 4};
    call.blocks = sent, call.received = received;
    call.input = std::as_bytes(std::span(in)), call.output = std::as_writable_bytes(std::span(out));
    const auto* made = all.own.prepare(call, all.wrong);
    REQUIRE(made != nullptr);
    CHECK((!made->compares && made->input == 12 && made->output == 20));
    CHECK(made->reason == "direct exchange, since each rank has its own counts alone");
}
