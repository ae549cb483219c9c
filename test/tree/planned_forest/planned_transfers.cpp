#include "collsched/tree/planned_forest.hpp"

#include <doctest/doctest.h>

#include <cstdint>

#include "support/transfer_oracle.hpp"

using namespace collsched;
using trees::planned_transfers;

namespace {

std::uint64_t hash_of(const planned_transfers& transfers) {
    detail::description_hash hash;
    hash(transfers);
    return hash.value();
}
trees::transfer_plan on_ring(rank_t ranks, std::int64_t parts) {
    return trees::match_chunks(topology::networks::ring(ranks, {.bandwidth = 1'000'000'000}),
                               {.bytes = 1000, .parts = parts})
        .plan;
}

}  // namespace

TEST_CASE("planned_transfers: keeps a right plan, and reports another number of ranks") {
    for (rank_t p = 2; p <= 9; ++p) {
        const planned_transfers made = on_ring(p, 2);
        CHECK(!made.check(p));
        CHECK(made.ranks() == p);
        CHECK(made.value() == on_ring(p, 2));
        CHECK(made.check(p + 1) == argument_error{"ranks", p + 1, "as many ranks as the transfers have"});
        CHECK(made == planned_transfers(on_ring(p, 2)));
    }
    CHECK(!planned_transfers().check(1));
    CHECK(planned_transfers().hops()->depth == 0);
}

TEST_CASE("planned_transfers: a wrong plan is reported and has no transfers") {
    trees::transfer_plan wrong = on_ring(3, 1);
    wrong.transfers[0].root = 5;
    const planned_transfers rejected(wrong);
    CHECK(rejected.check(3) == argument_error{"root", 5, "0 to ranks-1", 0});
    CHECK(rejected.value().transfers.empty());
    const argument_error cause{"file", 1, "a readable file"};
    CHECK(planned_transfers(cause).check(1) == cause);
    CHECK(!(planned_transfers(cause) == planned_transfers()));
}

TEST_CASE("planned_transfers: the hash is of chunks, ranks and steps, not of times") {
    const trees::transfer_plan first = on_ring(5, 1);
    trees::transfer_plan later = first;
    for (trees::transfer_plan::hop& hop : later.hops) hop.begin += 3, hop.release += 3, hop.arrival += 3;
    CHECK(hash_of(first) == hash_of(later));
    CHECK(!(planned_transfers(first) == planned_transfers(later)));
    CHECK(hash_of(first) != hash_of(on_ring(5, 2)));
    CHECK(hash_of(first) != hash_of(on_ring(6, 1)));
}
