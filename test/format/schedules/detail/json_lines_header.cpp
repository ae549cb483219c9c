#include "collsched/format/schedules/detail/json_lines_header.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <string>
#include <vector>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/collective/neighbor_linear.hpp"
#include "support/refusal.hpp"
#include "support/replaced.hpp"

using namespace collsched;
using namespace collsched::detail;
using support::replaced;

namespace {

/// The first line of a schedule's file.
template <class X>
std::string header_of(const X& x) {
    const stored_schedule s = materialize(x);
    std::string text;
    write_json_lines(std::back_inserter(text), s, std::string(name_of(s.contract().collective)) + "/x");
    return text.substr(0, text.find('\n'));
}
json_lines_header read(std::string line) {
    const text_file file{"f", std::move(line)};
    return json_lines_header_reader(file).read(parse_json(file));
}
std::string refusal(const std::string& line) {
    return support::refusal_of([&] { read(line); });
}

}  // namespace

TEST_CASE("json_lines_header: the values of the line") {
    const allreduce::ring right{.ranks = 3, .bytes = 24, .element = 4};
    const json_lines_header found = read(header_of(right));
    const auto s = lower(right);
    CHECK(found.name == "allreduce/x");
    CHECK(found.contract.collective == collective::allreduce);
    CHECK(found.contract.ranks == 3);
    CHECK(found.contract.element == 4);
    CHECK(found.contract.bytes == 24);
    CHECK(found.steps == s.steps());
    CHECK(found.paced == s.pacing());
    CHECK(found.staging == std::vector<bytes_t>(3, s.staging(0)));
    CHECK(found.line == 1);
}

TEST_CASE("json_lines_header: names are short, and numbers are integers") {
    const std::string line = header_of(allgather::ring{.ranks = 3, .block = 4});
    const std::string name(256, 'a');
    CHECK(read(replaced(line, "allgather/x", name)).name == name);
    CHECK(refusal(replaced(line, "allgather/x", name + "a"))
              .ends_with(", expected a name of at most 256 printable characters"));
    CHECK(refusal(replaced(line, "\"ranks\":3", "\"ranks\":3.0")) ==
          "f:1: ranks: got 3.0, expected a whole number, 1 to 2^63-1");
}

TEST_CASE("json_lines_header: no block and no displacement splits an element") {
    const auto refuses = [](const auto& x, bytes_t element) {
        return refusal(replaced(header_of(x), "\"element\":1", "\"element\":" + std::to_string(element)));
    };
    const neighborhood around = neighborhood::cartesian(std::vector<rank_t>{3}, std::vector<int>{1});
    const std::vector<bytes_t> sizes{3, 6, 4, 9, 0, 3, 6, 3, 3}, slots{3, 4, 6, 3, 0, 6}, threes{3, 6, 9};
    const std::string lines[] = {
        refuses(allgather::ring{.ranks = 3, .block = 4}, 3),
        refuses(alltoall::linear{.ranks = 3, .block = 4}, 3),
        refuses(alltoall::linear{.ranks = 3, .block = block_matrix(sizes)}, 3),
        refuses(neighbor_allgather::linear{.ranks = 3, .neighbors = around, .block = 4}, 3),
        refuses(neighbor_alltoall::linear{.ranks = 3, .neighbors = around, .block = 4}, 3),
        refuses(neighbor_alltoall::linear{.ranks = 3, .neighbors = around, .block = {around, slots}}, 3),
    };
    const std::string line = "f:1: element: got 3, expected a size that divides every block and displacement";
    for (const std::string& one : lines) CHECK(one == line);
    CHECK(refuses(alltoall::linear{.ranks = 3, .block = 6}, 3) == "");
    CHECK(refuses(neighbor_allgather::linear{.ranks = 3, .neighbors = around, .block = {around, threes}}, 3) == "");
}

TEST_CASE("json_lines_header: sizes that contradict each other are rejected") {
    const std::string counts =
        header_of(allgather::ring{.ranks = 2, .block = block_layout(std::vector<bytes_t>{3, 1})});
    CHECK(refusal(replaced(counts, "\"counts\":[3,1]", "\"counts\":[3,2]")) ==
          "f:1: input[1]: got 1, expected 2, as follows from the collective and its blocks");
    CHECK(refusal(replaced(counts, ",\"counts\":[3,1]", "")) == "f:1: got displs without counts, expected both");
    CHECK(refusal(replaced(counts, ",\"displs\":[0,3]", "")) == "");
    CHECK(refusal(replaced(counts, ",\"counts\":[3,1],\"displs\":[0,3]", "")) ==
          "f:1: input[1]: got 1, expected 3, as follows from the collective and its blocks");
}
