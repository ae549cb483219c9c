#include "examples/programs/collsched/foreign/write_mpich_selection.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace collsched;
using namespace collsched::foreign;

namespace {

using json = nlohmann::ordered_json;

/// The algorithm that MPICH selects: the first condition that holds, level by level.
std::string pick(const json& node, long ranks, long bytes, const std::string& yes) {
    for (const auto& [key, below] : node.items()) {
        if (key.starts_with("algorithm=")) return key.substr(10);
        const auto less = key.find('<');
        const long limit = less == key.npos ? 0 : std::stol("0" + key.substr(less + 1));
        const bool holds = key.ends_with("=any") || key == yes || (key.starts_with("comm_size<") && ranks < limit) ||
                           (key == "comm_size=pow2" && (ranks & (ranks - 1)) == 0) ||
                           (key.find("_msg_size<") != key.npos && bytes < limit);
        if (holds) return pick(below, ranks, bytes, yes);
    }
    return "nothing";
}

const json base = json::parse(
    R"({"collective=bcast":{"comm_type=intra":{"algorithm=old_bcast":{}},"comm_type=inter":{"algorithm=inter":{}}},
    "collective=reduce_scatter":{"comm_type=intra":{"algorithm=old_rs":{}}},
    "collective=reduce_scatter_block":{"comm_type=intra":{"algorithm=old_rsb":{}}},
    "collective=alltoall":{"comm_type=intra":{"algorithm=old_a2a":{}}},
    "collective=allreduce":{"comm_type=intra":{"algorithm=old_ar":{}}},
    "collective=allgather":{"comm_type=intra":{"algorithm=old_ag":{}}},
    "collective=scan":{"algorithm=old_scan":{}}})");

}  // namespace

TEST_CASE("write_mpich_selection: rules replace MPICH's own, and the rest is unchanged") {
    const std::vector<foreign_rule> rules = {{collective::broadcast, 4, 0, "A"},
                                             {collective::broadcast, 4, 1000, "B"},
                                             {collective::broadcast, 16, 0, "C"},
                                             {collective::scan, 4, 0, "ignored"}};
    const json made = json::parse(mpich_selection(base, rules));
    const json& intra = made["collective=bcast"]["comm_type=intra"];
    CHECK(pick(intra, 3, 5, "") == "old_bcast");
    CHECK(pick(intra, 4, 999, "") == "A");
    CHECK(pick(intra, 15, 1000, "") == "B");
    CHECK(pick(intra, 16, 1 << 30, "") == "C");
    for (const auto& [key, value] : base.items())
        if (key != "collective=bcast") CHECK(made[key] == value);
    CHECK(made["collective=bcast"]["comm_type=inter"] == base["collective=bcast"]["comm_type=inter"]);
}

TEST_CASE("write_mpich_selection: an inapplicable algorithm is replaced by another") {
    const std::vector<foreign_rule> rules = {
        {collective::allreduce, 1, 0, "MPIR_Allreduce_intra_reduce_scatter_allgather"},
        {collective::reduce_scatter, 1, 0, "MPIR_Reduce_scatter_intra_pairwise"},
        {collective::alltoall, 2, 0, "MPIR_Alltoall_intra_brucks"},
        {collective::alltoall, 2, 800, "MPIR_Alltoall_intra_pairwise"}};
    const json made = json::parse(mpich_selection(base, rules));
    const json& allreduce = made["collective=allreduce"]["comm_type=intra"];
    CHECK(pick(allreduce, 8, 1, "is_op_built_in=yes") == "MPIR_Allreduce_intra_reduce_scatter_allgather");
    CHECK(pick(allreduce, 8, 1, "is_op_built_in=no") == "MPIR_Allreduce_intra_recursive_doubling");
    const json& block = made["collective=reduce_scatter_block"]["comm_type=intra"];
    CHECK(pick(block, 8, 1, "is_commutative=yes") == "MPIR_Reduce_scatter_block_intra_pairwise");
    CHECK(pick(block, 8, 1, "is_commutative=no") == "MPIR_Reduce_scatter_block_intra_recursive_doubling");
    const json& alltoall = made["collective=alltoall"]["comm_type=intra"];
    CHECK(pick(alltoall, 8, 1, "is_sendbuf_inplace=yes") == "MPIR_Alltoall_intra_pairwise_sendrecv_replace");
    CHECK(pick(alltoall, 1, 1, "is_sendbuf_inplace=no") == "old_a2a");
    // MPICH counts one block: 800 bytes on two ranks are two of 400.
    CHECK(pick(alltoall, 2, 399, "is_sendbuf_inplace=no") == "MPIR_Alltoall_intra_brucks");
    CHECK(pick(alltoall, 2, 400, "is_sendbuf_inplace=no") == "MPIR_Alltoall_intra_pairwise");
}

TEST_CASE("write_mpich_selection: a limit of all blocks is one of the size of a block, rounded up") {
    const std::vector<foreign_rule> rules = {{collective::alltoall, 6, 0, "A"},
                                             {collective::alltoall, 6, 64, "B"},
                                             {collective::alltoall, 1000, 0, "A"},
                                             {collective::alltoall, 1000, 64, "B"},
                                             {collective::alltoall, 1000, 512, "C"}};
    const json made = json::parse(mpich_selection(base, rules));
    const json& alltoall = made["collective=alltoall"]["comm_type=intra"];
    CHECK(pick(alltoall, 6, 10, "is_sendbuf_inplace=no") == "A");  // 60 bytes
    CHECK(pick(alltoall, 6, 11, "is_sendbuf_inplace=no") == "B");
    CHECK(pick(alltoall, 1000, 0, "is_sendbuf_inplace=no") == "A");
    CHECK(pick(alltoall, 1000, 1, "is_sendbuf_inplace=no") == "C");
}

TEST_CASE("write_mpich_selection: recursive doubling of allgather is for powers of two only") {
    const std::vector<foreign_rule> rules = {{collective::allgather, 4, 0, "MPIR_Allgather_intra_recursive_doubling"}};
    const json made = json::parse(mpich_selection(base, rules));
    const json& allgather = made["collective=allgather"]["comm_type=intra"];
    for (const long p : {4, 8, 64}) CHECK(pick(allgather, p, 1, "") == "MPIR_Allgather_intra_recursive_doubling");
    for (const long p : {5, 6, 7, 12}) CHECK(pick(allgather, p, 1, "") == "MPIR_Allgather_intra_brucks");
}

TEST_CASE("write_mpich_selection: a base without the collective is reported") {
    const std::vector<foreign_rule> rules = {{collective::reduce, 1, 0, "x"}};
    CHECK_THROWS_AS(mpich_selection(base, rules), nlohmann::json::exception);
}
