#include "collsched/collective/registry.hpp"

#include <doctest/doctest.h>

#include <string>

#include "collsched/tree/planners/greedy.hpp"
#include "collsched/tree/planners/mgo.hpp"
#include "support/clusters.hpp"

using namespace collsched;

TEST_CASE("planned algorithms: every planner has six collectives, which take a cluster") {
    using list = registry::planned_by<planners::detail::planner_list<planners::flat_tree, planners::mgo>>;
    CHECK(list::entries.size() == 12);
    std::string names;
    for (const algorithm_entry& entry : list::entries) {
        names += std::string(name_of(entry.info.collective)) + "/" + entry.info.name + " ";
        CHECK(entry.takes(&shape::cluster));
        const lob_model cluster = support::clusters(5)[0];
        CHECK(!entry.make({.ranks = 5, .block = 3, .bytes = 7, .cluster = cluster}).check());
        CHECK(std::string(entry.make({.ranks = 4, .block = 3, .bytes = 7, .cluster = cluster}).check().argument) ==
              "cluster");
    }
    CHECK(names ==
          "allgather/ft allgather/mgo barrier/ft barrier/mgo broadcast/ft broadcast/mgo "
          "gather/ft gather/mgo reduce/ft reduce/mgo scatter/ft scatter/mgo ");
}
