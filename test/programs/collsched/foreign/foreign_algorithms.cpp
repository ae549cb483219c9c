#include "examples/programs/collsched/foreign/foreign_algorithms.hpp"

#include <doctest/doctest.h>

#include <string_view>

#include "collsched/cost/loggp.hpp"
#include "support/registry.hpp"

using namespace collsched;
using namespace collsched::foreign;
using namespace collsched::detail;

static_assert([] {
    for (rank_t p = 1; p <= 70; ++p) {
        bool power = false;
        for (rank_t q = 1; q <= p; q *= 2) power = power || p == q;
        if (is_among(p, rank_counts::powers_of_two) != power || is_among(p, rank_counts::even) != (p / 2 * 2 == p) ||
            is_among(p, rank_counts::two) != (p == 2) || !is_among(p, rank_counts::any))
            return false;
    }
    return true;
}());

TEST_CASE("foreign algorithms: the algorithms listed for MPICH exist here") {
    for (const foreign_algorithm& row : mpich_algorithms) {
        const algorithm_entry* found = nullptr;
        for (const algorithm_entry& entry : compiled::registry())
            if (entry.info.collective == row.collective && entry.info.name == std::string_view(row.algorithm))
                found = &entry;
        CAPTURE(row.algorithm);
        REQUIRE(found != nullptr);
        if (row.takes_segments) CHECK(found->takes(&shape::segment));
        if (row.radix != shape::as_it_is) CHECK(found->takes(&shape::radix));
        const any_schedule s = found->make({.ranks = 8, .block = 64, .bytes = 512, .radix = row.radix});
        CHECK(!s.check());
    }
}

TEST_CASE("foreign algorithms: the cheapest of the other library's algorithms, with segments only where it has them") {
    const hockney_model model{.alpha_ps = 1'000'000, .beta_fs = 1'000'000};
    const auto price = simulated_price(model);
    const auto list = std::span<const algorithm_entry>(compiled::registry());
    const foreign_algorithm other[] = {{collective::allreduce, "recursive-doubling", "rd"},
                                       {collective::allreduce, "ring", "ring"},
                                       {collective::broadcast, "linear", "linear"},
                                       {collective::broadcast, "chain", "chain", true},
                                       {collective::broadcast, "k-ary", "binary", false, 2}};
    const choice::request small{.collective = collective::allreduce,
                                .parameters = {.ranks = 8, .bytes = 8, .segment = shape::as_it_is}};
    const auto best = choose_foreign(small, list, other, price);
    REQUIRE(best);
    CHECK(best->algorithm->foreign == std::string_view("rd"));
    const choice::request large{.collective = collective::broadcast,
                                .parameters = {.ranks = 8, .bytes = 1 << 20, .segment = shape::as_it_is}};
    const auto pipelined = choose_foreign(large, list, other, price);
    REQUIRE(pipelined);
    CHECK(pipelined->algorithm->foreign == std::string_view("chain"));
    CHECK(pipelined->candidate.parameters.segment > 0);
    const foreign_algorithm twins[] = {{collective::allreduce, "ring", "one"},
                                       {collective::allreduce, "ring", "other"}};
    CHECK(choose_foreign(small, list, twins, price)->algorithm == &twins[0]);
    // None of the others is cheaper with its settings, priced one by one.
    for (const foreign_algorithm& row : other)
        for (const algorithm_entry& entry : list)
            if (row.collective == large.collective && entry.info.collective == row.collective &&
                entry.info.name == std::string_view(row.algorithm))
                CHECK(pipelined->candidate.cost <=
                      price(entry.make({.ranks = 8, .bytes = 1 << 20, .radix = row.radix})));
}

TEST_CASE(
    "foreign algorithms: parameters that the other library does not name keep their defaults, and segments are none") {
    const hockney_model model{.alpha_ps = 1'000'000, .beta_fs = 1'000'000};
    const auto price = simulated_price(model);
    const auto list = std::span<const algorithm_entry>(compiled::registry());
    const shape wanted{.ranks = 64, .bytes = 1 << 20, .segment = shape::as_it_is};
    const foreign_algorithm row{collective::broadcast, "k-ary", "tree"};
    const auto priced = price_foreign({.collective = row.collective, .parameters = wanted}, list, {row}, price);
    REQUIRE(priced);
    CHECK(priced->parameters.segment == 0);
    CHECK(priced->parameters.radix == shape::as_it_is);
    for (const algorithm_entry& entry : list)
        if (entry.info.collective == row.collective && entry.info.name == std::string_view(row.algorithm)) {
            CHECK(priced->cost == price(entry.make({.ranks = 64, .bytes = 1 << 20})));
            REQUIRE(price(entry.make({.ranks = 64, .bytes = 1 << 20, .radix = 3})) != priced->cost);
            REQUIRE(price(entry.make({.ranks = 64, .bytes = 1 << 20, .segment = 1 << 12})) < priced->cost);
        }
}

TEST_CASE("foreign algorithms: an algorithm that the other library cannot run on the ranks is not chosen") {
    const hockney_model model{.alpha_ps = 1'000'000, .beta_fs = 1'000};
    const auto price = simulated_price(model);
    const auto list = std::span<const algorithm_entry>(compiled::registry());
    for (const rank_t p : {6, 8}) {
        const choice::request small{.collective = collective::allgather,
                                    .parameters = {.ranks = p, .block = 8, .segment = shape::as_it_is}};
        const foreign_algorithm only[] = {
            {collective::allgather, "recursive-doubling", "rd", false, shape::as_it_is, rank_counts::powers_of_two}};
        CHECK(choose_foreign(small, list, only, price).has_value() == (p == 8));
    }
}

TEST_CASE("foreign algorithms: MPICH's have radix 2 for Bruck and the defaults otherwise, and no segments") {
    for (const foreign_algorithm& row : mpich_algorithms) {
        CAPTURE(row.foreign);
        CHECK(row.radix == (std::string_view(row.algorithm) == "bruck" ? 2 : shape::as_it_is));
        CHECK_FALSE(row.takes_segments);
        const bool powers =
            row.collective == collective::allgather && std::string_view(row.algorithm) == "recursive-doubling";
        CHECK(row.ranks == (powers ? rank_counts::powers_of_two : rank_counts::any));
    }
    CHECK(foreign_choice().algorithm == nullptr);
}
