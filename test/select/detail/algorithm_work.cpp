#include "collsched/select/detail/algorithm_work.hpp"

#include <doctest/doctest.h>

#include <string_view>

using namespace collsched;
using namespace collsched::detail;

namespace {

algorithm_work work_of(collective what, std::string_view name, rank_t p, bytes_t m, rank_t each = 1) {
    const measured_case where{.collective = what, .ranks = p, .ranks_per_node = each, .bytes = m};
    const algorithm_words words(name);
    return work_of_words(where, words).find();
}
double amount(const algorithm_work& work, work_kind kind) { return work.amounts[static_cast<std::size_t>(kind)]; }

}  // namespace

TEST_CASE("algorithm_work: a ring has p-1 rounds and sends all blocks but one") {
    const algorithm_work ring = work_of(collective::allgather, "ring_ompi", 8, 800);
    CHECK(ring.pattern == message_pattern::ring);
    CHECK(amount(ring, work_kind::round) == doctest::Approx(7));
    CHECK(amount(ring, work_kind::one_way) == doctest::Approx(700));
    CHECK(amount(ring, work_kind::combine) < 1e-9);
    const algorithm_work both = work_of(collective::allreduce, "ring_over", 8, 800);
    CHECK(amount(both, work_kind::round) == doctest::Approx(14));
    CHECK(amount(both, work_kind::one_way) == doctest::Approx(1400));
    CHECK(amount(both, work_kind::combine) == doctest::Approx(700));
}

TEST_CASE("algorithm_work: exchanges of whole vectors against exchanges of halves") {
    const algorithm_work whole = work_of(collective::allreduce, "recursive_doubling_mpich", 16, 1600),
                         halves = work_of(collective::allreduce, "rabenseifner_mpich", 16, 1600);
    CHECK(amount(whole, work_kind::round) == doctest::Approx(4));
    CHECK(amount(whole, work_kind::two_way) == doctest::Approx(6400));
    CHECK(amount(halves, work_kind::round) == doctest::Approx(8));
    CHECK(amount(halves, work_kind::two_way) == doctest::Approx(3000));
}

TEST_CASE("algorithm_work: ranks beyond a power of two hand their vectors over") {
    const algorithm_work fold = work_of(collective::allreduce, "rabenseifner_ompi", 12, 1200),
                         none = work_of(collective::allreduce, "bine_block_by_block_any_even", 12, 1200);
    CHECK(amount(fold, work_kind::round) == doctest::Approx(10));
    CHECK(amount(fold, work_kind::two_way) == doctest::Approx(2 * 1200 * 15.0 / 16 + 2400));
    CHECK(amount(none, work_kind::round) == doctest::Approx(8));
    CHECK(amount(none, work_kind::block) == doctest::Approx(22));
    CHECK(amount(none, work_kind::one_way) == doctest::Approx(2200));
}

TEST_CASE("algorithm_work: the root of a linear gather receives from all ranks at once") {
    const algorithm_work linear = work_of(collective::gather, "linear_ompi", 10, 1000),
                         in_turn = work_of(collective::gather, "linear_synch_ompi", 10, 1000);
    CHECK(linear.pattern == message_pattern::linear);
    CHECK(amount(linear, work_kind::round) == doctest::Approx(1));
    CHECK(amount(linear, work_kind::fan) == doctest::Approx(9));
    CHECK(amount(linear, work_kind::one_way) == doctest::Approx(900));
    CHECK(in_turn.pattern == message_pattern::synchronized);
    CHECK(amount(in_turn, work_kind::round) == doctest::Approx(18));
}

TEST_CASE("algorithm_work: ranks of a node share its interface, except in rings") {
    const algorithm_work exchange = work_of(collective::allgather, "recursive_doubling_over", 16, 1600, 4),
                         ring = work_of(collective::allgather, "ring_over", 16, 1600, 4);
    CHECK(amount(exchange, work_kind::shared) == doctest::Approx(3 * 1500 * 12.0 / 15));
    CHECK(amount(ring, work_kind::shared) < 1e-9);
}

TEST_CASE("algorithm_work: ports divide bytes and add messages") {
    const algorithm_work one = work_of(collective::broadcast, "BINE-BINOMIAL_TREE-UTOFU-0-1", 64, 640),
                         six = work_of(collective::broadcast, "BINE-BINOMIAL_TREE-UTOFU-0-6", 64, 640);
    CHECK(one.pattern == message_pattern::tree);
    CHECK(amount(one, work_kind::one_way) == doctest::Approx(6 * amount(six, work_kind::one_way)));
    CHECK(amount(one, work_kind::port) < 1e-9);
    CHECK(amount(six, work_kind::port) == doctest::Approx(30));
}

TEST_CASE("algorithm_work: every collective, number of ranks and name has positive rounds and finite amounts") {
    for (int kind = 0; kind <= static_cast<int>(collective::neighbor_alltoall); ++kind)
        for (const rank_t p : {1, 2, 3, 8, 100})
            for (const char* name : {"", "unknown", "ring", "linear", "linear_sync", "pairwise", "neighbor", "sparbit",
                                     "bruck", "chain", "binary", "knomial", "split_binary", "non_blocking",
                                     "bine_bdw_segmented", "scatter_allgather", "allgather_reduce", "circulant"}) {
                CAPTURE(kind);
                CAPTURE(p);
                CAPTURE(name);
                const algorithm_work work = work_of(static_cast<collective>(kind), name, p, 1 << 20, 2);
                for (const double one : work.amounts) {
                    CHECK(std::isfinite(one));
                    CHECK(one >= 0);
                }
                CHECK(amount(work, work_kind::call) > 0);
            }
}
