#include "collsched/verify/association_report.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace collsched;

static_assert(reproducible<association_report{.level = association_class::position}, association_class::rank>);
static_assert(reproducible<association_report{.level = association_class::rank}, association_class::rank>);

TEST_CASE("association_class: names, and each class implies those before it") {
    const association_class all[] = {association_class::any, association_class::rank, association_class::position,
                                     association_class::canonical};
    std::string names;
    for (const association_class level : all) {
        names += std::string(name_of(level)) + " ";
        for (const association_class required : all)
            CHECK(association_report{.level = level}.has(required) == (level >= required));
    }
    CHECK(names == "any rank position canonical ");
}

TEST_CASE("association_report: a wrong schedule has no class") {
    const association_report wrong{.proof = {verdict::kind::missing}, .level = association_class::any};
    CHECK(!wrong.has(association_class::any));
}

TEST_CASE("canonical_split: ceil(n/2), and for scans the largest power of two below n") {
    for (rank_t n = 2; n <= 70; ++n) {
        for (const collective kind : {collective::reduce, collective::allreduce, collective::reduce_scatter})
            CHECK(canonical_split(kind, n) == (n + 1) / 2);
        for (const collective kind : {collective::scan, collective::exscan}) {
            const rank_t split = canonical_split(kind, n);
            CHECK(is_power_of_two(split));
            CHECK(split < n);
            CHECK(2 * split >= n);
        }
    }
}
