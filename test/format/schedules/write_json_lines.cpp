#include "collsched/format/schedules/write_json_lines.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/collective/neighbor_linear.hpp"
#include "support/layouts.hpp"
#include "support/neighborhoods.hpp"
#include "support/registry.hpp"

using namespace collsched;
using nlohmann::json;

namespace {

std::vector<json> lines_of(const std::string& text) {
    std::vector<json> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(json::parse(line));
    CHECK((text.empty() || text.back() == '\n'));
    return lines;
}

template <class... Args>
std::string json_lines(const Args&... args) {
    std::string text;
    write_json_lines(std::back_inserter(text), args...);
    return text;
}

void check_edge(const json& line, const edge& e) {
    const json expected = {{"step", e.step},
                           {"src", e.src},
                           {"dst", e.dst},
                           {"from", name_of(e.from)},
                           {"from_offset", e.from_offset},
                           {"into", name_of(e.into)},
                           {"into_offset", e.into_offset},
                           {"size", e.size},
                           {"action", name_of(e.action)}};
    CHECK(line == expected);
}

}  // namespace

TEST_CASE("write_json_lines: the header and the first edges, to the letter") {
    const std::string text = json_lines(materialize(allgather::ring{.ranks = 4, .block = 2}), "allgather/ring");
    CHECK(text.starts_with(
        R"({"format":1,"schedule":"allgather/ring","collective":"allgather","algorithm":"ring","ranks":4,"root":0,)"
        R"("steps":3,"rounds":3,"pacing":"data","element":1,"commutative":false,"input":[2,2,2,2],)"
        R"("output":[8,8,8,8],"scratch":[0,0,0,0],"staging":[0,0,0,0]})"
        "\n"
        R"({"step":0,"src":0,"dst":0,"from":"input","from_offset":0,"into":"output","into_offset":0,"size":2,)"
        R"("action":"copy"})"
        "\n"
        R"({"step":0,"src":0,"dst":1,"from":"input","from_offset":0,"into":"output","into_offset":0,"size":2,)"
        R"("action":"copy"})"
        "\n"));
}

TEST_CASE("write_json_lines: the output reads back as the schedule") {
    for (rank_t p = 1; p <= 9; ++p)
        for (const auto& [name, blocks] : support::layouts(p))
            for (const algorithm_entry& entry : support::registered_at(p)) {
                CAPTURE(p);
                CAPTURE(name);
                CAPTURE(entry.info.name);
                const stored_schedule s = materialize(entry.make({.ranks = p, .block = blocks}));
                const std::vector<json> lines = lines_of(json_lines(s, schedule_name(entry.info)));
                REQUIRE(lines.size() == s.edges().size() + 1);
                const json& header = lines[0];
                CHECK(header["ranks"] == p);
                CHECK(header["steps"] == s.steps());
                CHECK(header["rounds"] == detail::rounds_of(s.edges()));
                CHECK(header.contains("counts") ==
                      (moves_blocks(s.contract().collective) && !detail::equal_and_packed(blocks, p)));
                for (rank_t r = 0; r < p; ++r) {
                    const auto at = static_cast<std::size_t>(r);
                    CHECK(header["input"][at] == s.contract().input_bytes(r));
                    CHECK(header["output"][at] == s.contract().output_bytes(r));
                    CHECK(header["scratch"][at] == s.scratch(r));
                    CHECK(header["staging"][at] == s.staging(r));
                    if (!header.contains("counts")) continue;
                    CHECK(header["counts"][at] == blocks.count(r));
                    CHECK(header["displs"][at] == blocks.displ(r));
                }
                for (std::size_t i = 0; i < s.edges().size(); ++i) check_edge(lines[i + 1], s.edges()[i]);
            }
}

TEST_CASE(
    "write_json_lines: sizes of a complete exchange are a matrix if they differ, with displacements if not packed") {
    const auto header = [](const block_matrix& blocks) {
        return lines_of(json_lines(materialize(alltoall::ring{.ranks = 2, .block = blocks}), "alltoallv/ring"))[0];
    };
    CHECK_FALSE(header(3).contains("matrix"));
    const std::vector<bytes_t> counts{1, 2, 3, 4};
    const json packed = header(block_matrix(counts));
    CHECK(packed["matrix"] == json::parse("[[1,2],[3,4]]"));
    CHECK_FALSE(packed.contains("send_displs"));
    const json placed =
        header(block_matrix(counts, std::vector<bytes_t>{2, 0, 0, 5}, std::vector<bytes_t>{0, 1, 6, 0}));
    CHECK(placed["matrix"] == packed["matrix"]);
    CHECK(placed["send_displs"] == json::parse("[[2,0],[0,5]]"));
    CHECK(placed["recv_displs"] == json::parse("[[0,1],[6,0]]"));
    CHECK(header(block_layout::partition(3, 2))["matrix"] == json::parse("[[2,1],[2,1]]"));

    const json one =
        lines_of(json_lines(alltoall::ring{.ranks = 2, .block = block_matrix(counts)}, "alltoallv/ring", 1))[0];
    CHECK(one["matrix"] == json::parse("[[3,4]]"));
    CHECK(one["column"] == json::parse("[[2,4]]"));
}

TEST_CASE("write_json_lines: neighborhoods are written so that they can be made again, with their sizes if given") {
    const auto flat = [](const json& rows) {
        std::vector<std::int64_t> all;
        for (const json& row : rows) all.insert(all.end(), row.begin(), row.end());
        return all;
    };
    const auto lengths = [](const json& rows) {
        std::vector<std::int64_t> all;
        for (const json& row : rows) all.push_back(std::ssize(row));
        return all;
    };
    const auto header = [](const auto& x) { return lines_of(json_lines(materialize(x), "x/y"))[0]; };
    for (const rank_t p : {1, 2, 4, 9})
        for (const auto& [name, n] : support::neighborhoods(p)) {
            CAPTURE(name);
            const json equal = header(neighbor_alltoall::linear{.ranks = p, .neighbors = n, .block = 3});
            CHECK_FALSE(equal.contains("counts"));
            CHECK_FALSE(equal.contains("recv_displs"));
            CHECK(neighborhood(lengths(equal["neighbors"]), flat(equal["neighbors"]), lengths(equal["sources"]),
                               flat(equal["sources"]), flat(equal["slots"])) == n);
            std::vector<bytes_t> of_slots, of_ranks, send_displs, recv_displs;
            for (std::int64_t s = 0; s < n.out_slots(); ++s) of_slots.push_back(s % 5), send_displs.push_back(9 * s);
            for (std::int64_t s = 0; s < n.in_slots(); ++s) recv_displs.push_back(7 * s + 2);
            for (rank_t r = 0; r < p; ++r) of_ranks.push_back(r % 4);
            const slot_layout::exchanged packed(n, of_slots), placed(n, of_slots, send_displs, recv_displs);
            const json counted = header(neighbor_alltoall::linear{.ranks = p, .neighbors = n, .block = packed});
            CHECK(flat(counted["counts"]) == of_slots);
            CHECK_FALSE(counted.contains("send_displs"));
            const json spread = header(neighbor_alltoall::linear{.ranks = p, .neighbors = n, .block = placed});
            CHECK(slot_layout::exchanged(n, flat(spread["counts"]), flat(spread["send_displs"]),
                                         flat(spread["recv_displs"])) == placed);
            const slot_layout::gathered own(n, of_ranks, recv_displs);
            const json gathered = header(neighbor_allgather::linear{.ranks = p, .neighbors = n, .block = own});
            CHECK(gathered["counts"] == json(of_ranks));
            CHECK(flat(gathered["recv_displs"]) == recv_displs);
            CHECK_FALSE(gathered.contains("send_displs"));
        }
    const neighborhood n(std::vector<int>{2, 1}, std::vector<int>{1, -1, 0});
    const json whole = header(neighbor_allgather::linear{.ranks = 2, .neighbors = n, .block = 4});
    CHECK(whole["neighbors"] == json::parse("[[1,-1],[0]]"));
    CHECK(whole["sources"] == json::parse("[[1],[0]]"));
    CHECK(whole["slots"] == json::parse("[[0,-1],[0]]"));
    const neighbor_alltoall::linear a{
        .ranks = 2, .neighbors = n, .block = slot_layout::exchanged(n, std::vector<bytes_t>{5, 6, 7})};
    const json one = lines_of(json_lines(a, "neighbor_alltoallv/linear", 0))[0];
    CHECK(one["neighbors"] == json::parse("[[1,-1]]"));
    CHECK(one["sources"] == json::parse("[[1]]"));
    CHECK(one["slots"] == json::parse("[[0,-1]]"));
    CHECK(one["counts"] == json::parse("[[5,6]]"));
    CHECK(one["output"] == json{7});
}

TEST_CASE("write_json_lines: one rank's part has its edges and its entry of every list") {
    const std::vector<bytes_t> counts{3, 0, 5, 1, 2};
    const allgather::bruck bruck{.ranks = 5, .block = block_layout(std::span<const bytes_t>(counts))};
    for (rank_t r = 0; r < 5; ++r) {
        const std::vector<json> lines = lines_of(json_lines(bruck, "allgatherv/bruck", r));
        CHECK(lines[0]["collective"] == "allgatherv");
        CHECK(lines[0]["ranks"] == 5);
        CHECK(lines[0]["rank"] == r);
        CHECK_FALSE(lines[0].contains("rounds"));
        CHECK(lines[0]["input"] == json{counts[static_cast<std::size_t>(r)]});
        CHECK(lines[0]["output"] == json{11});
        CHECK(lines[0]["counts"] == json{counts[static_cast<std::size_t>(r)]});
        std::size_t i = 0;
        for (const edge& e : program(bruck, r)) check_edge(lines.at(++i), e);
        CHECK(lines.size() == i + 1);
    }
}

TEST_CASE("write_json_lines: uneven blocks of a partition have counts, equal blocks have none") {
    CHECK(detail::equal_and_packed(block_layout::partition(12, 4), 4));
    CHECK_FALSE(detail::equal_and_packed(block_layout::partition(13, 4), 4));
    const std::vector<bytes_t> counts{2, 2}, displs{0, 2}, gap{0, 3};
    CHECK(detail::equal_and_packed(block_layout(counts, displs), 2));
    CHECK_FALSE(detail::equal_and_packed(block_layout(counts, gap), 2));
}

TEST_CASE("write_json_lines: pacing, actions and operand order are written unchanged") {
    CHECK(pacing_text({}) == "data");
    CHECK(pacing_text({3}) == "window(3)");
    const contract contract{
        .collective = collective::allreduce, .ranks = 2, .bytes = 4, .element = 2, .commutative = true};
    owned_array<edge> edges(2);
    edges[0] = {.src = 0, .dst = 0, .size = 4};
    edges[1] = {.step = 1, .src = 1, .dst = 0, .size = 4, .action = action::combine_after};
    const stored_schedule s(contract, 2, {1}, owned_array<bytes_t>(2), owned_array<bytes_t>(2), edges, 0);
    const std::vector<json> lines = lines_of(json_lines(s, "allreduce/by \"hand\""));
    CHECK(lines[0]["schedule"] == "allreduce/by \"hand\"");
    CHECK(lines[0]["pacing"] == "window(1)");
    CHECK(lines[0]["element"] == 2);
    CHECK(lines[0]["commutative"] == true);
    CHECK(lines[0]["rounds"] == 1);
    CHECK_FALSE(lines[0].contains("counts"));
    CHECK(lines[2]["action"] == "combine_after");
}
