#include "examples/programs/collsched/texts/list_json.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "collsched/collective/algorithm_list.hpp"
#include "support/registry.hpp"

using namespace collsched;
using namespace collsched::texts;
using nlohmann::json;

TEST_CASE("write_list_json: the keys of a listed algorithm") {
    for (const algorithm_entry& entry : compiled::registry())
        for (const bool irregular : {false, true}) {
            const bool exchange = entry.info.collective == collective::alltoall;
            const bool blocks = has_blocks(entry.info.collective);
            if (irregular && !blocks) continue;
            std::string text;
            write_list_json(std::back_inserter(text), entry, irregular);
            CHECK(text.back() == '\n');
            const json line = json::parse(text);
            CHECK(line.size() == (has_association(entry) ? 12 : 10));
            if (has_association(entry)) {
                const association_report::summary classes = summarize_association(entry);
                CHECK(line["association"] == name_of(classes.any_ranks));
                CHECK(line["association_powers_of_two"] == name_of(classes.powers_of_two));
            }
            CHECK(line["collective"] == name_of(entry.info.collective) + std::string(irregular ? "v" : ""));
            CHECK(line["algorithm"] == entry.info.name);
            CHECK(line["name"] == line["collective"].get<std::string>() + "/" + entry.info.name);
            CHECK(line["ranks"] == entry.info.ranks);
            CHECK(line["rooted"] == is_rooted(entry.info.collective));
            CHECK(line["commutative"] == entry.make({}).contract().commutative);
            CHECK(line["pacing"] == std::string(entry.info.window > 0 ? "window(1)" : "data"));
            const auto takes = [&](const char* option) {
                const json& all = line["parameters"];
                return std::find(all.begin(), all.end(), option) != all.end();
            };
            const bool signals = entry.info.collective == collective::barrier;
            CHECK(takes("root") == (is_rooted(entry.info.collective) || (signals && entry.takes(&shape::root))));
            CHECK(takes("counts") == (irregular && !exchange));
            CHECK(takes("matrix") == (irregular && exchange));
            CHECK(takes("block") == (!irregular && blocks));
            CHECK(takes("bytes") == (!irregular && !signals && entry.info.collective != collective::neighbor_alltoall));
            CHECK(takes("displs") == (irregular && moves_blocks(entry.info.collective)));
            for (const char* option : {"dims", "periodic", "neighbors"})
                CHECK(takes(option) == has_neighbors(entry.info.collective));
            CHECK(takes("element") == !signals);
            CHECK(takes("segment") == entry.takes(&shape::segment));
            CHECK(!takes("ranks"));
            CHECK(line["rounds"] == entry.info.rounds);
            CHECK(line["source"] == entry.info.source);
        }
}

TEST_CASE("association_text: one class, or two") {
    using enum association_class;
    CHECK(association_text({position, position}) == "position");
    CHECK(association_text({position, canonical}) == "position; 2^k: canonical");
}
