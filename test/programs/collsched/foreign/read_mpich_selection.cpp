#include "examples/programs/collsched/foreign/read_mpich_selection.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "examples/programs/collsched/foreign/write_mpich_selection.hpp"
#include "examples/programs/collsched/foreign/foreign_algorithms.hpp"

using namespace collsched;
using namespace collsched::foreign;

namespace {

mpich_selection_file read(const std::string& text) { return read_mpich_selection(text_file{"s.json", text}); }
std::string findings(const std::string& text) {
    std::string all;
    for (const auto& one : read(text).findings) all += one.text + "\n";
    return all;
}
std::string refusal(const std::string& text) {
    try {
        read(text);
    } catch (const input_error& wrong) {
        return wrong.what();
    }
    return "read";
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("MPICH: written rules are read, without findings") {
    nlohmann::ordered_json base;
    for (const char* const name :
         {"allgather", "allreduce", "alltoall", "bcast", "reduce", "reduce_scatter", "reduce_scatter_block"}) {
        const std::string upper = static_cast<char>(name[0] - 'a' + 'A') + std::string(name + 1);
        base[std::string("collective=") + name]["comm_type=intra"]["algorithm=MPIR_" + upper + "_intra_auto"] =
            nlohmann::ordered_json::object();
    }
    std::vector<foreign_rule> rules;
    for (const foreign_algorithm& row : mpich_algorithms) {
        const bool again = !rules.empty() && rules.back().collective == row.collective;
        rules.push_back({row.collective, 4, again ? rules.back().bytes + 4096 : 0, row.foreign});
    }
    const mpich_selection_file made = read(mpich_selection(base, rules));
    for (const auto& one : made.findings) MESSAGE(one.text);
    CHECK(made.findings.empty());
    for (const foreign_algorithm& row : mpich_algorithms) {
        bool found = false;
        for (const auto& one : made.rules) found = found || one.algorithm == row.foreign;
        CHECK(found);
    }
}

TEST_CASE("MPICH: restrictions of algorithms without a condition") {
    const auto only = [](const std::string& collective, const std::string& below) {
        return findings("{\"collective=" + collective + "\": {\"comm_type=intra\": " + below + "}}");
    };
    const auto leaf = [](const std::string& name) { return "{\"algorithm=MPIR_" + name + "\": {}}"; };
    CHECK(has(only("allgather", leaf("Allgather_intra_recursive_doubling")), "comm_size=pow2 is missing"));
    CHECK(only("allgather", "{\"comm_size=pow2\": " + leaf("Allgather_intra_recursive_doubling") +
                                ", \"comm_size=any\": " + leaf("Allgather_intra_ring") + "}") == "");
    CHECK(has(only("reduce", leaf("Reduce_intra_reduce_scatter_gather")), "is_op_built_in=yes is missing"));
    CHECK(has(only("reduce_scatter", leaf("Reduce_scatter_intra_pairwise")), "is_commutative=yes is missing"));
    CHECK(has(only("alltoall", leaf("Alltoall_intra_brucks")), "is_sendbuf_inplace=no is missing"));
    CHECK(has(only("bcast", leaf("Reduce_intra_binomial")), "no algorithm of this collective"));
    CHECK(has(only("bcast", "{\"avg_msg_size<8\": " + leaf("Bcast_intra_binomial") + "}"), "no rule for what"));
    CHECK(has(only("bcast", "{\"avg_msg_size<8\": " + leaf("Bcast_intra_binomial") + ", \"avg_msg_size<8\": " +
                                leaf("Bcast_intra_smp") + ", \"avg_msg_size=any\": " + leaf("Bcast_intra_smp") + "}"),
              "limits do not ascend"));
}

TEST_CASE("MPICH: the files of ch4 and of its POSIX layer have names of their own") {
    const auto below = [](const std::string& collective, const std::string& leaf) {
        return "{ \"collective=" + collective +
               "\": { \"comm_type=intra\": { \"is_multi_threaded=no\": { \"is_commutative=yes\": { \"" + leaf +
               "\":{} } } } } }";
    };
    for (const std::string name : {"bcast", "reduce", "allreduce", "barrier"})
        CHECK(findings(below(name, "algorithm=MPIDI_POSIX_mpi_" + name + "_release_gather")) == "");
    CHECK(findings(below("bcast", "algorithm=MPIDI_POSIX_mpi_bcast_ipc_read")) == "");
    CHECK(read(below("bcast", "algorithm=MPIDI_POSIX_mpi_bcast_ipc_read")).rules.size() == 1);
    CHECK(
        has(findings(below("bcast", "algorithm=MPIDI_POSIX_mpi_reduce_release_gather")), "no algorithm of this coll"));
    CHECK(findings(below("reduce_scatter", "composition=MPIDI_Reduce_scatter_intra_composition_alpha")) == "");
    CHECK(read(below("bcast", "composition=MPIDI_Bcast_intra_composition_beta")).rules[0].algorithm ==
          "MPIDI_Bcast_intra_composition_beta");
    CHECK(
        has(findings(below("bcast", "composition=MPIDI_Reduce_intra_composition_beta")), "no algorithm of this coll"));
    CHECK(has(findings(below("bcast", "algorithm=MPIR_Bcast_intra_binomial")), "no rule for what"));
}

TEST_CASE("MPICH: comments, a comma after the last element and blanks in keys are MPICH's") {
    const auto made = read(
        "{ // selected\n\"collective = bcast\": { /* all */ \"comm_type = intra\":\n"
        "{\"algorithm = MPIR_Bcast_intra_binomial\": {}, }, }, }");
    REQUIRE(made.rules.size() == 1);
    CHECK(made.findings.empty());
    CHECK(made.rules[0].algorithm == "MPIR_Bcast_intra_binomial");
    CHECK(made.rules[0].conditions == std::vector<std::string>{"collective=bcast", "comm_type=intra"});
    CHECK(made.rules[0].line == 3);
}

TEST_CASE("MPICH: malformed text is rejected with its line") {
    CHECK(has(refusal("{"), "s.json:1:"));
    CHECK(has(refusal("[]"), "s.json:1: got no object"));
    CHECK(has(refusal("{\n\"x\": {}}"), "s.json:2: got \"x\""));
    CHECK(has(refusal("{\"collective=bcast\":\n{}}"), "s.json:2: got nothing below"));
    CHECK(has(refusal("{\"collective=bcast\": {\"what\": {\"algorithm=x\": {}}}}"), "\"what\""));
    std::string deep = "{\"collective=bcast\": ", end = "}";
    for (int i = 0; i < 40; ++i) deep += "{\"a=b\": ", end += "}";
    CHECK(has(refusal(deep + "{\"algorithm=x\": {}}" + end), "too many conditions"));
}
