#include "examples/programs/collsched/measured/algorithm_work.hpp"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

using namespace collsched;
using namespace collsched::measured;

namespace {

algorithm_work work_of(collective what, std::string_view name, rank_t p, bytes_t m, rank_t each = 1) {
    const measured_case where{.collective = what, .ranks = p, .ranks_per_node = each, .bytes = m};
    const algorithm_words words(name);
    return work_of_words(where, words).find();
}
double amount(const algorithm_work& work, work_kind kind) { return work.amounts[static_cast<std::size_t>(kind)]; }

/// The work of an algorithm on p ranks with m bytes, besides what the sizes of its messages add.
struct expected_work {
    const char* name;
    message_pattern pattern;
    double round, one_way, two_way, block, copy, combine, fan;
    rank_t ranks = 12;
    bytes_t bytes = 1200;
};

void check_work(collective what, const std::vector<expected_work>& all) {
    for (const expected_work& one : all) {
        INFO(name_of(what), " ", one.name, " ", one.ranks, " ranks, ", one.bytes, " bytes");
        const algorithm_work found = work_of(what, one.name, one.ranks, one.bytes);
        CHECK(found.pattern == one.pattern);
        CHECK(amount(found, work_kind::round) == doctest::Approx(one.round));
        CHECK(amount(found, work_kind::one_way) == doctest::Approx(one.one_way));
        CHECK(amount(found, work_kind::two_way) == doctest::Approx(one.two_way));
        CHECK(amount(found, work_kind::block) == doctest::Approx(one.block));
        CHECK(amount(found, work_kind::copy) == doctest::Approx(one.copy));
        CHECK(amount(found, work_kind::combine) == doctest::Approx(one.combine));
        CHECK(amount(found, work_kind::fan) == doctest::Approx(one.fan));
        for (const work_kind none : {work_kind::port, work_kind::shared}) CHECK(amount(found, none) < 1e-9);
    }
}

}  // namespace

// On 12 ranks with 1,200 bytes: blocks have 100 bytes, and halves, quarters, ... of 4 rounds sum to 1,125.

TEST_CASE("algorithm_work: the work of every kind of allgather") {
    using enum message_pattern;
    check_work(collective::allgather, {{"ring", ring, 11, 1100, 0, 0, 0, 0, 0},
                                       {"pairwise", pairwise, 11, 1100, 0, 0, 0, 0, 0},
                                       {"neighbor", neighbor, 6, 0, 1200, 0, 0, 0, 0},
                                       {"sparbit", sparse, 4, 1100, 0, 11, 0, 0, 0},
                                       {"block_by_block", blockwise, 4, 1100, 0, 11, 0, 0, 0},
                                       {"doubling_blocks", blockwise, 4, 1100, 0, 11, 0, 0, 0},
                                       {"bruck", bruck, 4, 1125, 0, 0, 1200, 0, 0},
                                       {"circulant", bruck, 4, 1125, 0, 0, 0, 0, 0},
                                       {"linear", linear, 1, 1100, 0, 0, 0, 0, 11},
                                       {"non_blocking", library, 4, 0, 1125, 0, 0, 0, 0},
                                       {"non_blocking", library, 3, 0, 458'751.125, 0, 0, 0, 0, 8, 524'287},
                                       {"non_blocking", library, 7, 458'752, 0, 0, 0, 0, 0, 8, 524'288},
                                       {"recursive_doubling", halving, 6, 0, 3525, 0, 0, 0, 0},
                                       {"recursive_doubling", halving, 3, 0, 700, 0, 0, 0, 0, 8, 800},
                                       {"permute", halving, 4, 0, 1125, 0, 1200, 0, 0},
                                       {"dtype", halving, 4, 0, 1125, 0, 1200, 0, 0},
                                       {"2_blocks", halving, 4, 0, 1125, 4, 0, 0, 0},
                                       {"send", halving, 5, 0, 1225, 0, 0, 0, 0},
                                       {"unknown", halving, 4, 0, 1125, 0, 0, 0, 0},
                                       {"unknown", halving, 1, 0, 400, 0, 0, 0, 0, 1, 800}});
}

TEST_CASE("algorithm_work: a reduce-scatter also combines all blocks but one, and folds") {
    using enum message_pattern;
    check_work(collective::reduce_scatter, {{"ring", ring, 11, 1100, 0, 0, 0, 1100, 0},
                                            {"recursive_doubling", doubling, 6, 0, 7200, 0, 0, 4800, 0},
                                            {"recursive_doubling", doubling, 3, 0, 2400, 0, 0, 2400, 0, 8, 800},
                                            {"recursive_halving", halving, 5, 0, 2325, 0, 0, 2300, 0},
                                            {"recursive_halving", halving, 3, 0, 700, 0, 0, 700, 0, 8, 800},
                                            {"non_blocking", library, 5, 0, 2325, 0, 0, 2300, 0},
                                            {"non_blocking", library, 3, 0, 700, 0, 0, 700, 0, 8, 800},
                                            {"unknown", halving, 4, 0, 1125, 0, 0, 1100, 0}});
}

TEST_CASE("algorithm_work: the work of every kind of allreduce") {
    using enum message_pattern;
    check_work(collective::allreduce, {{"ring", ring, 22, 2200, 0, 0, 0, 1100, 0},
                                       {"allgather_reduce", collected, 1, 13'200, 0, 0, 0, 13'200, 11},
                                       {"block_by_block", blockwise, 8, 2200, 0, 22, 0, 1100, 0},
                                       {"non_blocking", library, 6, 0, 7200, 0, 0, 4800, 0},
                                       {"non_blocking", library, 10, 0, 9300, 0, 0, 4600, 0, 12, 2400},
                                       {"non_blocking", library, 3, 0, 6144, 0, 0, 6144, 0, 8, 2048},
                                       {"non_blocking", library, 6, 0, 3585.75, 0, 0, 1792.875, 0, 8, 2049},
                                       {"rabenseifner", halving_doubling, 10, 0, 4650, 0, 0, 2300, 0},
                                       {"rabenseifner", halving_doubling, 6, 0, 1400, 0, 0, 700, 0, 8, 800},
                                       {"bdw", halving_doubling, 9, 0, 2850, 0, 0, 1700, 0},
                                       {"bdw", halving_doubling, 6, 0, 1400, 0, 0, 700, 0, 8, 800},
                                       {"b_cont", halving_doubling, 8, 0, 2250, 0, 0, 1100, 0},
                                       {"swing", halving_doubling, 8, 0, 2250, 0, 0, 1100, 0},
                                       {"circulant", halving_doubling, 8, 0, 2250, 0, 0, 1100, 0},
                                       {"bdw_segmented", segmented, 9, 0, 2850, 24, 0, 1700, 0},
                                       {"bdw_segmented_100", segmented, 9, 0, 2850, 21, 0, 1700, 0},
                                       {"recursive_doubling", doubling, 6, 0, 7200, 0, 0, 4800, 0},
                                       {"recursive_doubling", doubling, 3, 0, 2400, 0, 0, 2400, 0, 8, 800},
                                       {"unknown", doubling, 4, 0, 4800, 0, 0, 4800, 0}});
}

TEST_CASE("algorithm_work: the work of every kind of broadcast, whose root shares its link among children") {
    using enum message_pattern;
    check_work(collective::broadcast, {{"scatter_ring", scatter_ring, 15, 2225, 0, 0, 0, 0, 0},
                                       {"scatter_allgather", halving_doubling, 8, 1125, 1125, 0, 0, 0, 0},
                                       {"bdw", halving_doubling, 8, 1125, 1125, 0, 0, 0, 0},
                                       {"split_binary", split, 5, 6000, 0, 0, 0, 0, 0},
                                       {"two_tree", split, 5, 6000, 0, 0, 0, 0, 0},
                                       {"binary", binary, 4.8, 9216, 0, 0, 0, 0, 0},
                                       {"linear", linear, 1, 13'200, 0, 0, 0, 0, 11},
                                       {"chain", chain, 11, 2400, 0, 0, 0, 0, 0},
                                       {"pipeline", chain, 11, 2400, 0, 0, 0, 0, 0},
                                       {"chain", chain, 1, 2400, 0, 0, 0, 0, 0, 1},
                                       {"knomial", tree, 3, 9600, 0, 0, 0, 0, 0},
                                       {"k_nomial", tree, 4.5, 12'000, 0, 0, 0, 0, 0, 32},
                                       {"binomial", tree, 4, 9600, 0, 0, 0, 0, 0},
                                       {"binomial_tmpbuf", tree, 4, 9600, 0, 0, 1200, 0, 0},
                                       {"binomial_utofu", tree, 4, 4800, 0, 0, 0, 0, 0}});
}

TEST_CASE("algorithm_work: a reduce combines what its ranks receive") {
    using enum message_pattern;
    check_work(collective::reduce, {{"binomial", tree, 4, 4800, 0, 0, 0, 4800, 0},
                                    {"in_order_binary", binary, 4.8, 4608, 0, 0, 0, 4608, 0},
                                    {"in_order", binary, 4.8, 4608, 0, 0, 0, 4608, 0},
                                    {"scatter_ring", scatter_ring, 15, 2225, 0, 0, 0, 2225, 0},
                                    {"rabenseifner", halving_doubling, 8, 1125, 1125, 0, 0, 1100, 0}});
}

TEST_CASE("algorithm_work: the work of gather, scatter, alltoall and other collectives") {
    using enum message_pattern;
    for (const collective what : {collective::gather, collective::scatter})
        check_work(what, {{"linear_sync", synchronized, 22, 1100, 0, 0, 0, 0, 0},
                          {"simple_sync", synchronized, 22, 1100, 0, 0, 0, 0, 0},
                          {"sync", tree, 4, 1125, 0, 0, 1100, 0, 0},
                          {"linear", linear, 1, 1100, 0, 0, 0, 0, 11},
                          {"simple_nb", linear, 1, 1100, 0, 0, 0, 0, 11},
                          {"binomial", tree, 4, 1125, 0, 0, 1100, 0, 0}});
    check_work(collective::alltoall, {{"pairwise", pairwise, 11, 1100, 0, 0, 0, 0, 0},
                                      {"ring", pairwise, 11, 1100, 0, 0, 0, 0, 0},
                                      {"linear", linear, 1, 1100, 0, 0, 0, 0, 11},
                                      {"spread", linear, 1, 1100, 0, 0, 0, 0, 11},
                                      {"unknown", bruck, 4, 2400, 0, 0, 9600, 0, 0}});
    check_work(collective::barrier, {{"unknown", tree, 4, 0, 4800, 0, 0, 0, 0}});
}

TEST_CASE("algorithm_work: blocking messages of a linear gather also count as small ones") {
    const double blocking = amount(work_of(collective::gather, "linear", 12, 1200), work_kind::small),
                 others = amount(work_of(collective::gather, "linear_nb", 12, 1200), work_kind::small);
    CHECK(blocking - others == doctest::Approx(1100 * 0x1p15 / (0x1p15 + 100)));
}

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
    for (const char* name : {"ring_over", "neighbor_over"})
        CHECK(amount(work_of(collective::allgather, name, 16, 1600, 4), work_kind::shared) < 1e-9);
    CHECK(amount(work_of(collective::broadcast, "chain_over", 16, 1600, 4), work_kind::shared) < 1e-9);
    CHECK(amount(work_of(collective::broadcast, "linear_over", 16, 1600, 4), work_kind::shared) ==
          doctest::Approx(3 * 24'000 * 12.0 / 15));
    for (const rank_t p : {1, 4})  // a single node
        CHECK(amount(work_of(collective::broadcast, "linear_over", p, 1600, p), work_kind::shared) < 1e-9);
}

TEST_CASE("algorithm_work: ports divide bytes and add messages") {
    const algorithm_work one = work_of(collective::broadcast, "BINE-BINOMIAL_TREE-UTOFU-0-1", 64, 640),
                         six = work_of(collective::broadcast, "BINE-BINOMIAL_TREE-UTOFU-0-6", 64, 640);
    CHECK(one.pattern == message_pattern::tree);
    CHECK(amount(one, work_kind::one_way) == doctest::Approx(6 * amount(six, work_kind::one_way)));
    CHECK(amount(one, work_kind::port) < 1e-9);
    CHECK(amount(six, work_kind::port) == doctest::Approx(30));
    const algorithm_work both = work_of(collective::allreduce, "rabenseifner-utofu-0-4", 8, 800);
    CHECK(amount(both, work_kind::two_way) == doctest::Approx(350));
    CHECK(amount(both, work_kind::round) == doctest::Approx(6));
    CHECK(amount(both, work_kind::port) == doctest::Approx(18));
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
