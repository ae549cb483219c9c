#include "collsched/select/foreign_algorithms.hpp"

#include <doctest/doctest.h>

#include <string_view>

#include "collsched/cost/hockney.hpp"
#include "support/registry.hpp"

using namespace collsched;

TEST_CASE("what is said of other libraries are algorithms that there are here") {
    for (const auto table :
         {std::span<const foreign_algorithm>(openmpi_algorithms), std::span<const foreign_algorithm>(mpich_algorithms)})
        for (const foreign_algorithm& row : table) {
            const algorithm_entry* found = nullptr;
            for (const algorithm_entry& entry : compiled::registry())
                if (entry.info.what == row.what && entry.info.name == std::string_view(row.algorithm)) found = &entry;
            CAPTURE(row.algorithm);
            REQUIRE(found != nullptr);
            if (row.takes_segments) CHECK(found->takes("segment"));
            if (row.radix != shape::as_it_is) CHECK(found->takes("radix"));
            const any_schedule s = found->make({.ranks = 8, .block = 64, .bytes = 512, .radix = row.radix});
            CHECK(!s.check());
        }
}

TEST_CASE("the cheapest of what the other library has, with segments only where it has them") {
    const hockney_model model{.alpha_ps = 1'000'000, .beta_fs = 1'000'000};
    const simulated_price<hockney_model> price{model};
    const auto list = std::span<const algorithm_entry>(compiled::registry());
    const choice_request small{.what = collective::allreduce,
                               .wanted = {.ranks = 8, .bytes = 8, .segment = shape::as_it_is}};
    const auto best = choose_foreign(small, list, openmpi_algorithms, false, price);
    REQUIRE(best);
    CHECK(best->which->foreign == std::string_view("3"));
    choice_request large{.what = collective::broadcast,
                         .wanted = {.ranks = 8, .bytes = 1 << 20, .segment = shape::as_it_is}};
    const auto pipelined = choose_foreign(large, list, openmpi_algorithms, false, price);
    REQUIRE(pipelined);
    CHECK(pipelined->which->takes_segments);
    CHECK(pipelined->here.wanted.segment > 0);
    // No other of them is cheaper with its settings, priced one by one.
    for (const foreign_algorithm& row : openmpi_algorithms)
        for (const algorithm_entry& entry : list)
            if (row.what == large.what && entry.info.what == row.what &&
                entry.info.name == std::string_view(row.algorithm)) {
                const any_schedule s = entry.make({.ranks = 8, .bytes = 1 << 20, .radix = row.radix});
                CHECK(pipelined->here.cost <= price(s));
            }
    // What 4.1 lacks is left out.
    const foreign_algorithm only_main[] = {
        {collective::allreduce, "allgather-reduce", "7", false, shape::as_it_is, true}};
    CHECK(!choose_foreign(small, list, only_main, false, price));
    CHECK(choose_foreign(small, list, only_main, true, price));
}
