#include "collsched/format/write_openmpi_rules.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <string>
#include <vector>

using namespace collsched;

TEST_CASE("rules by collective, ranks and bytes, each counted before it comes") {
    const std::vector<foreign_rule> rules = {{collective::allgather, 2, 0, "3"},
                                             {collective::allgather, 2, 4096, "4"},
                                             {collective::allgather, 16, 0, "5", 0, "neighbor-exchange; pat is better"},
                                             {collective::reduce_scatter, 4, 0, "3"},
                                             {collective::broadcast, 4, 0, "6"},
                                             {collective::broadcast, 4, 65536, "3", 8192}};
    std::string text;
    write_openmpi_rules(std::back_inserter(text), rules);
    CHECK(text ==
          "3 # collectives\n"
          "0 # allgather\n2 # communicator sizes\n"
          "2 # ranks or more\n2 # message sizes\n0 3 0 0\n4096 4 0 0\n"
          "16 # ranks or more\n1 # message sizes\n0 5 0 0 # neighbor-exchange; pat is better\n"
          "12 # reduce_scatter\n1 # communicator sizes\n4 # ranks or more\n1 # message sizes\n0 3 0 0\n"
          "7 # broadcast\n1 # communicator sizes\n4 # ranks or more\n2 # message sizes\n0 6 0 0\n65536 3 0 8192\n");
}

TEST_CASE("no rules") {
    std::string text;
    write_openmpi_rules(std::back_inserter(text), std::span<const foreign_rule>{});
    CHECK(text == "0 # collectives\n");
}
