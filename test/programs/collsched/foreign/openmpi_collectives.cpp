#include "examples/programs/collsched/foreign/openmpi_collectives.hpp"

#include <doctest/doctest.h>

using namespace collsched;
using namespace collsched::foreign;
using namespace collsched::detail;

TEST_CASE("Open MPI collectives: collectives are found by number and by name") {
    for (const openmpi_collective_info& one : openmpi_collectives) {
        CHECK(find_openmpi_collective(static_cast<std::int64_t>(one.id)) == one.id);
        CHECK(find_openmpi_collective(one.name) == one.id);
        CHECK(info_of(one.id).name == one.name);
    }
    for (const std::int64_t number : {-1, 5, 10, 16, 21, 22}) CHECK(!find_openmpi_collective(number));
    CHECK(!find_openmpi_collective("alltoallw"));
    CHECK(!find_openmpi_collective("broadcast"));
}

TEST_CASE("Open MPI collectives: selection is by the message only if ranks agree on it") {
    using enum openmpi_rules::collective;
    for (const openmpi_rules::collective one : {scan, exscan, barrier, alltoallv, allgatherv})
        CHECK(!info_of(one).several_sizes);
    for (const openmpi_rules::collective one : {allgather, allgatherv, alltoall, gather, scatter})
        CHECK(info_of(one).reads_ignored);
    for (const openmpi_rules::collective one : {allreduce, bcast, reduce, reduce_scatter, reduce_scatter_block}) {
        CHECK(info_of(one).several_sizes);
        CHECK(!info_of(one).reads_ignored);
    }
}
