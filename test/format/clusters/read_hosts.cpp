#include "collsched/format/clusters/read_hosts.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "support/refusal.hpp"

using namespace collsched;

namespace {

cluster::rank_hosts read(const std::string& text) { return read_hosts(text_file{"h", text, {}}); }

std::string refusal(const std::string& text) {
    return support::refusal_of([&] { read(text); });
}

/// The host of each rank, with commas between them.
std::string hosts(const std::string& text) {
    std::string all;
    for (const cluster::rank_hosts::entry& one : read(text).entries)
        for (rank_t r = 0; r < one.ranks; ++r) all += (all.empty() ? "" : ",") + one.name;
    return all;
}

std::vector<rank_t> seats(const topology::placement& where) {
    std::vector<rank_t> list;
    for (rank_t r = 0; r < where.ranks(); ++r) list.push_back(where.node(r));
    return list;
}

cluster on_one_switch(std::vector<std::string> names) {
    const std::vector<picoseconds> overheads(names.size());
    const std::vector<lob_model::link_cost> own(names.size(), {2, 3}), uplinks(1);
    const topology::switch_tree switches = topology::switch_tree::flat(static_cast<rank_t>(names.size()));
    return {"c", std::move(names), {"switch"}, lob_model(switches, overheads, own, uplinks)};
}

}  // namespace

TEST_CASE("read_hosts: a name per line is a rank each, in order, and names may repeat") {
    CHECK(hosts("b\na\nb\n") == "b,a,b");
    CHECK(hosts("# ranks\n\n  b \t# first\r\n\ta\n\nb") == "b,a,b");
    CHECK(read("\n#\nb\n\na") == cluster::rank_hosts{"h", {{"b", 1, 3}, {"a", 1, 5}}});
    CHECK(read("b\na").ranks() == 2);
}

TEST_CASE("read_hosts: slots of an Open MPI hostfile are consecutive ranks") {
    CHECK(hosts("a slots=2 max_slots=4\nb\nc\tmax-slots=3\n d max_slots=2 slots=1") == "a,a,b,c,c,c,d");
    CHECK(hosts("b\nc slots=1") == "b,c");
}

TEST_CASE("read_hosts: numbers of an MPICH hostfile are consecutive ranks") {
    CHECK(hosts("a:2\nb\na:1") == "a,a,b,a");
}

TEST_CASE("read_hosts: lists of Slurm are expanded, with a second line of counts or without") {
    CHECK(hosts("tux[0-2,12],login1") == "tux0,tux1,tux2,tux12,login1");
    CHECK(hosts("n[08-10]\n# counts\n2(x2),1") == "n08,n08,n09,n09,n10");
    CHECK(hosts("n1,n1\n2,1") == "n1,n1,n1");
    CHECK(hosts("n[1-3]\n2(x3)") == "n1,n1,n2,n2,n3,n3");
}

TEST_CASE("read_hosts: malformed lines are rejected with their number") {
    const std::string slots = ", expected NAME, with slots=N and max_slots=N or without, 1 to 2^20";
    const std::string mpich = ", expected NAME or NAME:RANKS, 1 to 2^20 ranks";
    const std::string name = ", expected the name of a host, of at most 256 characters";
    CHECK(refusal("") == "h:1: got nothing in it, expected the host of each rank");
    CHECK(refusal("#a\n \n") == "h:1: got nothing in it, expected the host of each rank");
    CHECK(refusal("a\n" + std::string("b\0c", 3)) == "h:2: got a zero byte, expected a text");
    CHECK(refusal("a\nb c") == "h:2: got \"b c\"" + name);
    CHECK(refusal(std::string(300, 'x')) == "h:1: got \"" + std::string(100, 'x') + "\"" + name);
    for (const char* wrong : {"slots=0", "slots=-1", "slots=x", "slots=", "slots", "slots=1048577", "cores=2",
                              "slots=1 slots=1", "slots=99999999999999999999", "slots=1x", "=1"})
        CHECK(refusal("a slots=1\nb " + std::string(wrong)) == "h:2: got \"b " + std::string(wrong) + "\"" + slots);
    CHECK(refusal("a slots=3 max_slots=2") ==
          "h:1: got \"a slots=3 max_slots=2\", expected slots=N, at most max_slots=N");
    CHECK(refusal("a slots=1\nb\na") == "h:3: got \"a\" twice, expected every host once beside slots=N");
    for (const char* wrong : {"b:", "b:0", "b:-1", "b:1:1", "b:x", "b:1048577"})
        CHECK(refusal("a:1\n" + std::string(wrong)) == "h:2: got \"" + std::string(wrong) + "\"" + mpich);
    CHECK(refusal("a:1\nb slots=1") == "h:2: got \"b slots=1\"" + name);
    CHECK(refusal(":1") == "h:1: got \"\"" + name);
    CHECK(refusal("a slots=1\nb:1") == "h:2: got \"b:1\"" + name);
    CHECK(refusal("{\"a\"}:1") == "h:1: got \"{\\\"a\\\"}\"" + name);
}

TEST_CASE("read_hosts: malformed lists of Slurm are rejected with their line") {
    const std::string counts = ", expected counts of ranks per host such as 4(x2),3";
    CHECK(refusal("n[0-1\n") == "h:1: got \"n[0-1\", expected names with brackets in pairs");
    CHECK(refusal("n[1-0]") == "h:1: got \"1-0\", expected numbers below 2^31 and ranges of them such as 0-3,7");
    CHECK(refusal("n[0-9999999]") == "h:1: got \"0-9999999\", expected at most 2^20 names");
    CHECK(refusal("a,,b") == "h:1: got \"a,,b\", expected names");
    for (const char* wrong : {"0", "2(x2", "2(y2)", "2(x0)", "(x2)", "2,", "2(x2)3"})
        CHECK(refusal("n[0-1]\n" + std::string(wrong)) == "h:2: got \"" + std::string(wrong) + "\"" + counts);
    CHECK(refusal("n[0-1]\n2") == "h:2: got \"2\", expected counts for 2 hosts");
    CHECK(refusal("n[0-1]\n2(x3)") == "h:2: got \"2(x3)\", expected counts for 2 hosts");
    CHECK(refusal("n[0-1]\n2(x2)\n1") == "h:3: got \"1\", expected one list of hosts and one line of counts");
    CHECK(refusal("a\nn[0-1]\n") == "h:2: got \"n[0-1]\", expected counts of ranks per host such as 4(x2),3");
}

TEST_CASE("read_hosts: more than 2^20 ranks are rejected") {
    CHECK(read("a:1048576").ranks() == 1048576);
    CHECK(refusal("a:1048576\nb") == "h:2: got more ranks, expected at most 2^20");
    CHECK(refusal("n[0-1]\n1048576(x2)") == "h:1: got more ranks, expected at most 2^20");
    std::string many;
    for (int i = 0; i < 1048577; ++i) many += "a\n";
    CHECK(refusal(many) == "h:1048577: got more ranks, expected at most 2^20");
}

TEST_CASE("read_hosts: ranks run on the nodes of a cluster with the names of their hosts") {
    const cluster c = on_one_switch({"a", "b", "c"});
    const cluster::rank_hosts job = read("c:2\na\nc");
    CHECK(seats(job.on(c, 4)) == std::vector<rank_t>{2, 2, 0, 2});
    CHECK(seats(job.on(c, 1)) == std::vector<rank_t>{2});
    CHECK(job.on(c, 3).nodes() == 3);
    CHECK(support::refusal_of([&] { job.on(c, 5); }) == "ranks: got 5, expected at most 4, the ranks of h");
    CHECK(support::refusal_of([&] { read("a\n#\nd").on(c, 2); }) ==
          "h:3: got host \"d\", expected a node of the cluster \"c\", such as \"a\"");
    CHECK(seats(read("a\nd").on(c, 1)) == std::vector<rank_t>{0});
}

TEST_CASE("read_hosts: without a cluster hosts are numbered by their first appearance") {
    const cluster::rank_hosts job = read("c:2\na\nc\nb");
    CHECK(seats(job.on_hosts(5)) == std::vector<rank_t>{0, 0, 1, 0, 2});
    CHECK(job.on_hosts(5).nodes() == 3);
    CHECK(job.on_hosts(4).nodes() == 2);
    CHECK(job.on_hosts(2).nodes() == 1);
    CHECK(support::refusal_of([&] { job.on_hosts(6); }) == "ranks: got 6, expected at most 5, the ranks of h");
}

TEST_CASE("read_hosts: a missing file is reported") { CHECK_THROWS_AS(read_hosts("nowhere.txt"), input_error); }
