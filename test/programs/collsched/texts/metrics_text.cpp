#include "examples/programs/collsched/texts/metrics_text.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/format/text.hpp"
#include "support/registry.hpp"

using namespace collsched;
using namespace collsched::texts;
using namespace collsched::detail;
using nlohmann::json;

TEST_CASE("write_metrics: metrics in JSON are those counted, to the last digit") {
    for (rank_t p = 1; p <= 17; ++p)
        for (const algorithm_entry& entry : support::registered_at(p)) {
            const metrics_report m = metrics(entry.make({.ranks = p, .block = 3}));
            std::string text;
            write_metrics_json(std::back_inserter(text), m, schedule_name(entry.info));
            const json line = json::parse(text);
            const auto list = [](const owned_array<std::int64_t>& values) {
                return json(std::vector<std::int64_t>(values.begin(), values.end()));
            };
            const json expected = {{"schedule", schedule_name(entry.info)},
                                   {"ranks", p},
                                   {"steps", m.steps},
                                   {"rounds", m.rounds},
                                   {"messages", m.messages},
                                   {"transfers", m.transfers},
                                   {"signals", m.signals},
                                   {"bytes_sent", list(m.bytes_sent)},
                                   {"bytes_received", list(m.bytes_received)},
                                   {"copies", list(m.copies)},
                                   {"copied_bytes", list(m.copied_bytes)},
                                   {"max_in_degree", m.max_in_degree},
                                   {"max_out_degree", m.max_out_degree},
                                   {"connections", list(m.connections)},
                                   {"scratch", list(m.scratch)},
                                   {"staging", list(m.staging)},
                                   {"alcd", line["alcd"]},
                                   {"bounds", {{"rounds", m.bounds.rounds}, {"bytes", m.bounds.bytes}}}};
            CHECK(line == expected);
            CHECK(line["alcd"].get<double>() == m.alcd());
            CHECK(text.back() == '\n');
        }
}

TEST_CASE("write_metrics: the association is written where it was computed") {
    const metrics_report m = metrics(allreduce::ring{.ranks = 4, .bytes = 8});
    std::string text, without, table;
    write_metrics_json(std::back_inserter(text), m, "allreduce/ring", association_class::rank);
    write_metrics_json(std::back_inserter(without), m, "allreduce/ring");
    json line = json::parse(text);
    CHECK(line["association"] == "rank");
    line.erase("association");
    CHECK(line == json::parse(without));
    write_metrics(std::back_inserter(table), m, "allreduce/ring", association_class::position);
    CHECK(table.find("  association                           position\n") != table.npos);
}

TEST_CASE("write_metrics: metrics for readers") {
    std::string text;
    write_metrics(std::back_inserter(text), metrics(allgather::ring{.ranks = 4, .block = 2}), "allgather/ring");
    CHECK(text.starts_with("allgather/ring: 4 ranks\n  whole schedule                           value\n"));
    CHECK(text.find("  ALCD                                  1.500000\n") != text.npos);
    CHECK(text.find("  bytes sent                                   6                   6\n") != text.npos);
}
