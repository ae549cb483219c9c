#include "examples/programs/collsched/measured/algorithm_words.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace collsched::measured;

namespace {

/// The parts as one text: base, implementation, segment, ports.
std::string parts(std::string_view name) {
    const algorithm_words words(name);
    return words.base + "|" + words.implementation + "|" + std::to_string(words.segment) + "|" +
           std::to_string(words.ports);
}

}  // namespace

TEST_CASE("algorithm_words: the implementation is a word of its own") {
    CHECK(parts("recursive_doubling_ompi") == "recursive_doubling|ompi|0|1");
    CHECK(parts("bine_block_by_block_over_any_even") == "bine_block_by_block_any_even|over|0|1");
    CHECK(parts("ring") == "ring||0|1");
    CHECK(parts("overlap") == "overlap||0|1");
}

TEST_CASE("algorithm_words: numbers at the end are the segment and the ports") {
    CHECK(parts("bine_bdw_remap_segmented_over_16384") == "bine_bdw_remap_segmented|over|16384|1");
    CHECK(parts("RING-B_CONT-UTOFU-65536-6") == "ring_b_cont|utofu|65536|6");
    CHECK(parts("BINE-L-UTOFU-0-1") == "bine_l|utofu|0|1");
    CHECK(parts("a-0-0") == "a||0|1");
}

TEST_CASE("algorithm_words: other numbers belong to the base") {
    CHECK(parts("bine_2_blocks_over") == "bine_2_blocks|over|0|1");
    CHECK(parts("a-1-2-3") == "a_1||2|3");
    CHECK(parts("7") == "7||0|1");
    CHECK(parts("a-1234567890123456") == "a_1234567890123456||0|1");
}

TEST_CASE("algorithm_words: names without words have an empty base") {
    CHECK(parts("") == "||0|1");
    CHECK(parts("-_-") == "||0|1");
    CHECK(parts("__a--b_") == "a_b||0|1");
}

TEST_CASE("algorithm_words: has() finds any of its texts in the base alone") {
    const algorithm_words words("Scatter_Allgather_ring_ompi");
    CHECK(words.has("ring"));
    CHECK(words.has("none", "scatter"));
    CHECK_FALSE(words.has("ompi", "linear"));
}

TEST_CASE("algorithm_words: letters A to Z alone are in lower case, and all digits are digits") {
    CHECK(parts("ABCYZ") == "abcyz||0|1");
    CHECK(parts("@A[Z`az{") == "@a[z`az{||0|1");
    CHECK(parts("a-1029384756") == "a||1029384756|1");
    CHECK(parts("a-123456789012345-9") == "a||123456789012345|9");
    CHECK(parts("x-5-0") == "x||5|1");
    for (const char* name : {"ompi", "mpich", "over", "mpi", "utofu", "ucx"})
        CHECK(parts(std::string("ring_") + name) == std::string("ring|") + name + "|0|1");
}
