#include "collsched/simulate/link_queue_model.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "collsched/topology/networks.hpp"

using namespace collsched;

TEST_CASE("link_queue_model: has the ranks and the errors of its network") {
    const link_queue_model good{topology::networks::ring(5, {.bandwidth = 100}), {}, false};
    CHECK(good.ranks() == 5);
    CHECK(!good.check());
    CHECK(std::string(link_queue_model{}.check().argument) == "ranks");
    const link_queue_model wrong{topology::network(argument_error{"links", 3, "other links"}), {}, false};
    CHECK(std::string(wrong.check().argument) == "links");
}
