#include "collsched/format/schedules/read_json_lines.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/verify.hpp"
#include "support/brief.hpp"
#include "support/refusal.hpp"
#include "support/replaced.hpp"
#include "support/samples.hpp"

using namespace collsched;
using support::replaced;

namespace {

std::string json_lines(const stored_schedule& s, std::string_view name) {
    std::string text;
    write_json_lines(std::back_inserter(text), s, name);
    return text;
}
struct named_schedule {
    std::string name;
    stored_schedule schedule;
};

named_schedule read(std::string text) {
    auto [name, schedule] = read_json_lines(text_file{"f", std::move(text)});
    return {std::move(name), std::move(schedule)};
}
std::string refusal(const std::string& text) {
    return support::refusal_of([&] { read(text); });
}

/// Whether two contracts have the same result at every rank, byte by byte.
bool equal_contracts(const contract& a, const contract& b) {
    if (a.collective != b.collective || a.ranks != b.ranks || a.root != b.root || a.element != b.element ||
        a.commutative != b.commutative)
        return false;
    for (rank_t r = 0; r < a.ranks; ++r) {
        std::vector<std::int64_t> one, other;
        const auto describe = [&](const contract& c, std::vector<std::int64_t>& words) {
            words = {c.input_bytes(r), c.output_bytes(r)};
            c.results(r, [&](const contract::result_range& part) {
                for (const std::int64_t word : {part.where.offset, part.where.size, part.first, part.last, part.at})
                    words.push_back(word);
            });
        };
        describe(a, one);
        describe(b, other);
        if (one != other || a.alias(r, binding::in_place).offset != b.alias(r, binding::in_place).offset) return false;
    }
    return true;
}

bool same(const stored_schedule& a, const stored_schedule& b) {
    bool memory = true;
    for (rank_t r = 0; r < a.ranks; ++r)
        memory = memory && a.scratch(r) == b.scratch(r) && a.staging(r) == b.staging(r);
    return equal_contracts(a.contract(), b.contract()) && a.steps() == b.steps() && a.pacing() == b.pacing() &&
           memory && std::ranges::equal(a.edges(), b.edges());
}

std::string ring() { return json_lines(materialize(allgather::ring{.ranks = 4, .block = 2}), "allgather/ring"); }

}  // namespace

TEST_CASE("read_json_lines: every registered schedule is the same after it was written and read") {
    std::size_t read_back = 0, seen = 0;
    for (const rank_t p : {1, 2, 7, 8})
        for (const support::sample& one : support::samples(p)) {
            if (p != 7 && ++seen % 5 != 0) continue;
            const stored_schedule written = materialize(one.schedule);
            const std::string text = json_lines(written, std::string(name_of(written.contract().collective)) + "/x");
            const named_schedule found = read(text);
            CHECK_MESSAGE(same(written, found.schedule), one.name);
            CHECK_MESSAGE(json_lines(found.schedule, found.name) == text, one.name);
            CHECK_MESSAGE(verify(found.schedule).ok(), one.name);
            ++read_back;
        }
    CHECK(read_back > 500 / support::one_of());
}

TEST_CASE("read_json_lines: the order of lines and keys, and blanks, do not matter") {
    const std::string text = ring();
    const std::size_t second = text.find('\n') + 1, third = text.find('\n', second) + 1;
    const std::string moved =
        text.substr(0, second) + "\n  \r\n" + text.substr(third) + text.substr(second, third - second);
    CHECK(read(moved).schedule == read(text).schedule);
    CHECK(read(moved).schedule.fingerprint() == read(text).schedule.fingerprint());
    CHECK(read(text.substr(0, text.size() - 1)).schedule == read(text).schedule);
    CHECK(read(replaced(text, R"("step":0,"src":0)", R"("src": 0, "step" : 0)")).schedule == read(text).schedule);
    CHECK(read(text).name == "allgather/ring");
    CHECK(read(text).schedule.fingerprint() !=
          read(replaced(text, "\"data\"", "\"window(1)\"")).schedule.fingerprint());
}

TEST_CASE("read_json_lines: an edited schedule that is wrong is read, and verify reports its error") {
    const std::string text = ring();
    const verdict found = verify(read(replaced(text, R"("step":1,"src":0,"dst":1,"from":"output","from_offset":6)",
                                               R"("step":1,"src":0,"dst":1,"from":"output","from_offset":4)"))
                                     .schedule);
    CHECK(found.finding == verdict::kind::not_held);
    CHECK(found.step == 1);
    CHECK(found.rank == 0);
}

TEST_CASE("read_json_lines: texts that are no schedule are rejected with their line") {
    const std::string text = ring();
    CHECK(refusal("") == "f:1: got no lines, expected a header, then one line per edge");
    CHECK(refusal("\n[]\n").starts_with("f:2: the header: got no object, expected {format, "));
    CHECK(refusal("{").starts_with("f:1: got "));
    CHECK(refusal(replaced(text, "\"format\":1", "\"format\":3")) ==
          "f:1: format: got another version, expected 1, or 2 with paths");
    CHECK(refusal(replaced(text, "\"format\":1,", "")) == "f:1: format is required: a key of this object");
    CHECK(
        refusal(replaced(text, "\"ranks\":4", "\"ranks\":4,\"rank\":2")).starts_with("f:1: got unknown key \"rank\" "));
    CHECK(refusal(replaced(text, "\"ranks\":4", "\"ranks\":5")) ==
          "f:1: input: got 4 entries, expected 5, one for each rank");
    CHECK(refusal(replaced(text, "\"ranks\":4", "\"ranks\":0")).starts_with("f:1: ranks: got 0,"));
    CHECK(refusal(replaced(text, "\"root\":0", "\"root\":4")) == "f:1: root: got 4, expected a whole number, 0 to 3");
    CHECK(refusal(replaced(text, "\"data\"", "\"window(0)\"")).starts_with("f:1: pacing: got \"window(0)\","));
    CHECK(refusal(replaced(text, "\"data\"", "\"window(1\"")).starts_with("f:1: pacing: got "));
    CHECK(refusal(replaced(text, "\"collective\":\"allgather\"", "\"collective\":\"gossip\"")) ==
          "f:1: collective: got \"gossip\", expected one of 'collsched list'");
    CHECK(refusal(replaced(text, "[8,8,8,8]", "[8,8,7,8]")) ==
          "f:1: output[2]: got 7, expected 8, as follows from the collective and its blocks");
    CHECK(refusal(replaced(text, "\"scratch\":[0,", "\"scratch\":[-1,")).starts_with("f:1: scratch[0]: got -1,"));
    CHECK(refusal(replaced(text, "\"step\":0", "\"step\":3")) == "f:2: step: got 3, expected a whole number, 0 to 2");
    CHECK(refusal(replaced(text, "\"dst\":0", "\"dst\":4")).starts_with("f:2: dst: got 4,"));
    CHECK(refusal(replaced(text, "\"from\":\"input\"", "\"from\":\"staging\"")) ==
          "f:2: from: got \"staging\", expected input, output, scratch");
    CHECK(refusal(replaced(text, "\"action\":\"copy\"", "\"action\":\"move\"")) ==
          "f:2: action: got \"move\", expected copy, combine_before, combine_after");
    CHECK(refusal(replaced(text, "\"size\":2,", "")) == "f:2: size is required: a key of this object");
    CHECK(refusal(replaced(text, "\"size\":2", "\"size\":1e30")).starts_with("f:2: size: got 1e+30,"));
    CHECK(refusal(text + "{}").starts_with("f:18: step is required: "));
    CHECK(refusal(replaced(text, "\"element\":1", "\"element\":0")).starts_with("f:1: element: got 0,"));
}

TEST_CASE("read_json_lines: paths have the line of their edge, and copies within a rank have none") {
    std::string text = replaced(ring(), "\"format\":1", "\"format\":2");
    const auto with_path = [&](const std::string& ends, const std::string& path) {
        const std::size_t at = text.find(ends);
        const std::size_t end = text.find('}', at);
        return text.substr(0, end) + path + text.substr(end);
    };
    std::vector<edge_path> paths;
    const std::string network_path = R"(,"path":["a","s","b"])";
    const stored_schedule made =
        read_json_lines(text_file{"f", with_path(R"("step":1,"src":2,"dst":3)", network_path)}, &paths).second;
    REQUIRE(paths.size() == made.edges().size());
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const edge& e = made.edges()[i];
        const bool has_path = e.step == 1 && e.src == 2;
        CHECK(paths[i].vertices == (has_path ? std::vector<std::string>{"a", "s", "b"} : std::vector<std::string>{}));
        CHECK(paths[i].line == static_cast<int>(i) + 2);
    }
    CHECK(refusal(with_path(R"("step":0,"src":1,"dst":1)", network_path))
              .ends_with(": path: got a path, expected none, for a copy within a rank"));
    CHECK(refusal(with_path(R"("step":0,"src":1,"dst":2)", R"(,"path":["a"])"))
              .ends_with(": path: got 1 names, expected 2 or more"));
}

TEST_CASE("read_json_lines: a missing file is reported") {
    CHECK_THROWS_AS(read_json_lines(std::filesystem::path("nowhere")), input_error);
}
