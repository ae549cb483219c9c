#include "examples/programs/collsched/texts/write_c_table.hpp"

#include <doctest/doctest.h>

#include <iterator>
#include <string>

#include "collsched/collective/barrier/over_tree.hpp"
#include "collsched/collective/gather/linear.hpp"

using namespace collsched;
using namespace collsched::texts;

namespace {

std::string table(const stored_schedule& s, std::string_view name) {
    std::string text;
    write_c_table(std::back_inserter(text), s, name);
    return text;
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("write_c_table: names of C") {
    CHECK(c_name("allgather/neighbor-exchange") == "allgather_neighbor_exchange");
    CHECK(c_name("2x/y.z") == "_2x_y_z");
    CHECK(c_name("") == "schedule");
}

TEST_CASE("write_c_table: the tables to the letter") {
    const std::string text = table(materialize(scatter::linear{.ranks = 2, .root = 1, .block = 4}), "scatter/linear");
    CHECK(text.starts_with("#ifndef COLLSCHED_TABLE_SCATTER_LINEAR_2\n#define COLLSCHED_TABLE_SCATTER_LINEAR_2\n"));
    CHECK(
        text.ends_with("static const int64_t scatter_linear_2_ranks = 2;\n"
                       "static const int64_t scatter_linear_2_root = 1;\n"
                       "static const int64_t scatter_linear_2_steps = 1;\n"
                       "static const int64_t scatter_linear_2_window = 1;\n"
                       "static const int64_t scatter_linear_2_element = 1;\n"
                       "static const int64_t scatter_linear_2_edge_count = 2;\n"
                       "static const int64_t scatter_linear_2_input[] = {0, 8};\n"
                       "static const int64_t scatter_linear_2_output[] = {4, 4};\n"
                       "static const int64_t scatter_linear_2_scratch[] = {0, 0};\n"
                       "static const int64_t scatter_linear_2_staging[] = {0, 0};\n"
                       "static const collsched_edge scatter_linear_2_edges[] = {\n"
                       "    {0, 1, 0, 0, 0, 4, collsched_input, collsched_output, collsched_copy},\n"
                       "    {0, 1, 1, 4, 0, 4, collsched_input, collsched_output, collsched_copy},\n"
                       "};\n\n#endif\n"));
}

TEST_CASE("write_c_table: a schedule without edges has a table") {
    const std::string text = table(materialize(barrier::linear{.ranks = 1}), "barrier/linear");
    CHECK(holds(text, "barrier_linear_1_edge_count = 0;\n"));
    CHECK(holds(text, "    {0, 0, 0, 0, 0, 0, 0, 0, 0}, /* none"));
}
