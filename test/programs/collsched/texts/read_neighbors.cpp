#include "examples/programs/collsched/texts/read_neighbors.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/refusal.hpp"

using namespace collsched;
using namespace collsched::texts;

namespace {

neighborhood read(const std::string& text) { return read_neighbors(text_file{"n.json", text}); }

std::string refusal(const std::string& text) {
    return support::refusal_of([&] { read(text); });
}

}  // namespace

TEST_CASE("read_neighbors: a list of targets per rank is read") {
    const std::vector<int> degrees{3, 0, 1}, targets{1, -1, 1, 2};
    CHECK(read("[[1, -1, 1],\n [],\n [2]]\n") == neighborhood(degrees, targets));
    CHECK(read("[[]]").ranks() == 1);
    CHECK(!read("[[0]]").check(1));
}

TEST_CASE("read_neighbors: texts that are no such list are rejected with their line") {
    CHECK(refusal("{}") == "n.json:1: got no list of lists, expected a list of targets for each rank");
    CHECK(refusal("[]") == "n.json:1: got no list of lists, expected a list of targets for each rank");
    CHECK(refusal("[[1],\n3]") == "n.json:2: got targets that are no list, expected a list of ranks");
    CHECK(refusal("[[1],\n[2]]") == "n.json:2: got target 2, expected a rank, 0 to 1, or -1");
    CHECK(refusal("[[-2]]") == "n.json:1: got target -2, expected a rank, 0 to 0, or -1");
    CHECK(refusal("[[0.5]]") == "n.json:1: got target 0.5, expected a rank, 0 to 0, or -1");
    CHECK(refusal("[[\"0\"]]") == "n.json:1: got no number, expected a rank, 0 to 0, or -1");
    CHECK(refusal("[[0]").starts_with("n.json:1: "));
    CHECK(refusal("").starts_with("n.json:1: "));
}

TEST_CASE("read_neighbors: a missing file is reported") {
    CHECK_THROWS_AS(read_neighbors("nowhere.json"), input_error);
}
