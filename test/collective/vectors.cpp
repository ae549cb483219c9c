// Cases with given numbers, most of which other libraries got wrong.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allreduce/rabenseifner.hpp"
#include "collsched/collective/allreduce/recursive_doubling.hpp"
#include "collsched/collective/allreduce/reversals.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/collective/alltoall/direct.hpp"
#include "collsched/collective/alltoall/grouped.hpp"
#include "collsched/collective/broadcast/hierarchical.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/collective/broadcast/scatter_allgather.hpp"
#include "collsched/collective/gather/linear.hpp"
#include "collsched/collective/gather/over_tree.hpp"
#include "collsched/collective/gather/root_receive.hpp"
#include "collsched/collective/reduce_scatter/reversals.hpp"
#include "collsched/collective/scatter/hierarchical.hpp"
#include "collsched/collective/scatter/over_tree.hpp"
#include "collsched/combine/local_step.hpp"
#include "collsched/cost/loggp.hpp"
#include "collsched/execute/inline.hpp"
#include "collsched/simulate/simulate.hpp"
#include "collsched/tree/binomial.hpp"
#include "collsched/tree/k_nomial.hpp"
#include "collsched/tree/planned_tree.hpp"
#include "support/allreduces.hpp"
#include "support/brief.hpp"
#include "support/layouts.hpp"
#include "support/matrix_products.hpp"
#include "support/placements.hpp"
#include "support/real_bytes.hpp"
#include "support/registry.hpp"
#include "support/small_schedules.hpp"
#include "support/verified.hpp"

using namespace collsched;

namespace {

/// The registered algorithms of a collective.
std::vector<algorithm_entry> registered(collective what) {
    std::vector<algorithm_entry> all;
    for (const algorithm_entry& entry : compiled::registry())
        if (entry.info.collective == what) all.push_back(entry);
    return all;
}

/// Runs all ranks of a schedule in one thread, with memory of their own, any number of times.
class crew {
  public:
    explicit crew(const any_schedule& x, binding how = binding::separate)
        : op_(support::operation(x.contract())), fabric_(x.ranks) {
        for (rank_t r = 0; r < x.ranks; ++r) {
            bytes_.push_back(std::make_unique<support::real_bytes>(x.contract(), r, how));
            plans_.push_back(std::make_unique<bound_plan>(x, r, bytes_.back()->memory(), how));
            ends_.push_back(std::make_unique<mock_network::endpoint>(fabric_.at(r)));
            runs_.push_back(std::make_unique<execution<mock_network::endpoint>>(plans_.back()->plan(), *ends_.back()));
        }
    }

    /// Starts all ranks on the input of this round. Returns the fault of an output, or "".
    std::string run(int round = 0) {
        for (std::size_t r = 0; r < runs_.size(); ++r) {
            bytes_[r]->refill(round);
            runs_[r]->start(plans_[r]->buffers(), op_);
        }
        for (bool running = true; running;) {
            running = false;
            for (auto& one : runs_) {
                if (one->progress().failed()) return "it does not run to its end";
                running = running || !one->state().done();
            }
        }
        for (const auto& one : bytes_)
            if (const std::string fault = one->wrong(); !fault.empty()) return fault;
        return "";
    }

  private:
    reduction op_;
    mock_network fabric_;
    std::vector<std::unique_ptr<support::real_bytes>> bytes_;
    std::vector<std::unique_ptr<bound_plan>> plans_;
    std::vector<std::unique_ptr<mock_network::endpoint>> ends_;
    std::vector<std::unique_ptr<execution<mock_network::endpoint>>> runs_;
};

/// Whether the engine rejects a reduction whose operands must keep their order.
bool refuses_matrices(const any_schedule& x) {
    return run_inline(x, support::filled(x.contract()).memory, binding::separate, {support::multiply}).error ==
           not_commutative;
}

/// Checks that [0, total) of the root's output is written once, and that all ranges of every rank's plan are in its buffers.
void check_filled_once(const any_schedule& x, rank_t root, bytes_t total) {
    std::vector<byte_range> filled;
    for (const edge& e : program(x, root))
        if (e.dst == root && e.into == buffer::output) filled.push_back(e.target());
    std::sort(filled.begin(), filled.end(),
              [](const byte_range& a, const byte_range& b) { return a.offset < b.offset; });
    bytes_t end = 0;
    for (const byte_range& piece : filled) {
        CHECK(piece.offset == end);
        CHECK(piece.size > 0);
        end = piece.end();
    }
    CHECK(end == total);
    CHECK(x.contract().output_bytes(root) == total);
    for (rank_t r = 0; r < x.ranks; ++r) CHECK_NOTHROW(plan(x, r));
    CHECK(support::verified(x) == verdict{});
}

void check_gathers(rank_t p, const block_layout& block, bytes_t total) {
    const topology::placement where = topology::placement::block(p, 60);
    for (const rank_t root : {rank_t{0}, p - 1}) {
        check_filled_once(any_schedule(gather::linear{.ranks = p, .root = root, .block = block}), root, total);
        check_filled_once(any_schedule(gather::over_tree<trees::binomial>{.ranks = p, .root = root, .block = block}),
                          root, total);
        check_filled_once(any_schedule(gather::over_tree<trees::binomial, gather::root_receive::chained>{
                              .ranks = p, .root = root, .block = block}),
                          root, total);
        check_filled_once(any_schedule(gather::over_tree<trees::k_nomial>{.ranks = p, .root = root, .block = block}),
                          root, total);
        check_filled_once(
            any_schedule(gather::hierarchical<>{.ranks = p, .root = root, .block = block, .placement = where}), root,
            total);
    }
}

/// Rabenseifner's parts in elements, one per host: the messages of hosts in the first step of the allgather.
std::vector<std::int64_t> rabenseifner_parts(rank_t p, std::int64_t elements) {
    const allreduce::rabenseifner x{.ranks = p, .bytes = 8 * elements, .element = 8};
    std::vector<std::int64_t> parts;
    step_t first = lower(x).steps();
    for (const edge& e : edges(x)) {
        if (e.is_local() || e.combines() || e.step > first) continue;
        if (e.from == buffer::scratch) continue;  // the message of a guest to its host
        if (e.step < first) parts.clear();
        first = e.step;
        CHECK(e.size % 8 == 0);
        parts.push_back(e.size / 8);
    }
    return parts;
}

/// The table of fingerprints, made at compile time or at run time.
constexpr std::array<std::uint64_t, 8> fingerprints() {
    using topology::placement;
    return {fingerprint(allgather::ring{.ranks = 3, .block = 4}),
            fingerprint(allgather::bruck{.ranks = 12, .block = block_layout::partition(100, 12)}),
            fingerprint(broadcast::over_tree<trees::binomial>{.ranks = 9, .root = 4, .bytes = 1000, .segment = 100}),
            fingerprint(scatter::over_tree<trees::binomial>{.ranks = 6, .root = 5, .block = 7}),
            fingerprint(reduce_scatter::circulant{.ranks = 5, .block = 8}),
            fingerprint(allreduce::ring{.ranks = 4, .bytes = 64, .element = 8}),
            fingerprint(allreduce::recursive_doubling{.ranks = 7, .bytes = 24, .element = 8}),
            fingerprint(broadcast::hierarchical<>{.ranks = 6, .bytes = 10, .placement = placement::cyclic(6, 2)})};
}
constexpr std::array<std::uint64_t, 8> known{0xdf127cdbcc19a997U, 0xea3936ca857aaa3fU, 0x5ca90c2075394c73U,
                                             0x5c083c1b18aba9a1U, 0x90d199c16b9c7434U, 0xbf6be70d9ef50241U,
                                             0x53839044a9c0e657U, 0xfb26e7ca38fbf594U};
static_assert(fingerprints() == known);

}  // namespace

TEST_CASE("test vectors: alltoallv, P=4, counts zero but (0,1)=1 and (3,3)=2, has 1 message and 1 copy") {
    std::vector<bytes_t> counts(16);
    counts[0 * 4 + 1] = 1;
    counts[3 * 4 + 3] = 2;
    const auto check_one = [](const any_schedule& x, binding how, bytes_t own_copies) {
        const metrics_report m = support::measured(x);
        CHECK(m.transfers == 1);
        CHECK(m.messages == 1);
        CHECK(m.bytes_sent[0] == 1);
        CHECK(m.bytes_received[1] == 1);
        CHECK(std::accumulate(m.copies.begin(), m.copies.end(), std::int64_t{0}) == own_copies);
        CHECK(support::verified(x, how) == verdict{});
        CHECK(crew(x, how).run() == "");
    };
    const auto check_both = [&](const auto& x) {
        check_one(any_schedule(x), binding::separate, 1);
        // In place: both inputs aside, and from there.
        check_one(any_schedule(copy_input_first(x)), binding::in_place, 3);
    };
    check_both(alltoall::linear{.ranks = 4, .block = block_matrix(counts)});
    check_both(alltoall::ring{.ranks = 4, .block = block_matrix(counts)});
    check_both(alltoall::pairwise{.ranks = 4, .block = block_matrix(counts)});
    for (rank_t group = 1; group <= 4; ++group)
        check_both(alltoall::grouped{.ranks = 4, .block = block_matrix(counts), .group = group});
}

TEST_CASE("test vectors: broadcast by scatter and exchange, P=7, 10 elements, has no negative or empty edge") {
    for (const std::int64_t elements : {10, 3, 1})
        for (rank_t root = 0; root < 7; ++root) {
            const shape wanted{.ranks = 7, .root = root, .bytes = 4 * elements, .element = 4};
            const auto check_sizes = [&](const any_schedule& x) {
                CHECK(support::verified(x) == verdict{});
                for (const edge& e : edges(x)) CHECK(e.size > 0);
            };
            check_sizes(any_schedule(make<broadcast::scatter_recursive_doubling>(wanted)));
            check_sizes(any_schedule(make<broadcast::scatter_ring>(wanted)));
            check_sizes(any_schedule(make<broadcast::scatter_circulant>(wanted)));
        }
}

TEST_CASE("test vectors: gather, P=2048, 2 MiB each, and gatherv, sum 2^31, parts below 2^20, plan exactly" *
          doctest::skip(support::brief())) {
    check_gathers(2048, 2 << 20, bytes_t{1} << 32);
    std::vector<bytes_t> counts(4000, (bytes_t{1} << 31) / 4000);
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += i % 2 == 0 ? 400'000 : -400'000;
    counts[7] += (bytes_t{1} << 31) - std::accumulate(counts.begin(), counts.end(), bytes_t{0});
    CHECK(*std::max_element(counts.begin(), counts.end()) < 1 << 20);
    check_gathers(4000, block_layout(counts), bytes_t{1} << 31);
}

TEST_CASE("test vectors: allreduce of float {1e8, 1, -1e8, 1} is bit-equal on all ranks") {
    const std::vector<algorithm_entry> all = registered(collective::allreduce);
    CHECK(all.size() >= 19);
    for (const algorithm_entry& entry : all)
        for (const bytes_t count : {1, 4, 9})
            for (const binding how : {binding::separate, binding::in_place}) {
                CAPTURE(entry.info.name);
                const any_schedule x =
                    entry.make({.ranks = 4, .bytes = 4 * count, .element = 4, .segment = count > 4 ? 8 : 0});
                CHECK(support::wrong_sums(x, 1e8F, how) == "");
            }
}

TEST_CASE("test vectors: different bits of ranks that combine in another bracket are found") {
    // Ranks 0 and 1 make ((0 1) 2) 3, rank 2 (0 (1 2)) 3, rank 3 0 (1 (2 3)): all in order.
    std::vector<edge> edges;
    for (rank_t r = 0; r < 4; ++r) edges.push_back({.src = r, .dst = r, .size = 56});
    const auto give = [&](step_t step, rank_t src, rank_t dst) {
        edges.push_back({.step = step,
                         .src = src,
                         .dst = dst,
                         .size = 56,
                         .into = buffer::output,
                         .action = src < dst ? action::combine_before : action::combine_after});
    };
    for (const rank_t dst : {0, 1})
        for (rank_t src = 0; src < 4; ++src)
            if (src != dst) give(1, src, dst);
    give(1, 1, 2), give(2, 0, 2), give(2, 3, 2);
    give(1, 2, 3), give(2, 1, 3), give(3, 0, 3);
    const contract contract{.collective = collective::allreduce, .ranks = 4, .bytes = 56, .element = 8};
    const stored_schedule x = support::by_hand(contract, 4, edges, 0, 3 * 56);
    CHECK(support::verified(x).ok());
    CHECK(support::wrong_bits(x, binding::separate) == "other bits on rank 2");
    CHECK(support::wrong_sums(x, 1e17, binding::separate).starts_with("other bits"));
    CHECK(support::wrong_sums(x, 1e8F, binding::separate).starts_with("other bits"));
    CHECK(support::wrong_sums(x, 1e8, binding::separate) == "");  // exact, and so the same
}

TEST_CASE("test vectors: reduce_scatter of 2x2 matrices, P=3,5,6,7,12, keeps rank order or is rejected") {
    const std::vector<algorithm_entry> all = registered(collective::reduce_scatter);
    CHECK(all.size() >= 15);
    int kept = 0, refused = 0;
    for (const algorithm_entry& entry : all)
        for (const rank_t p : {3, 5, 6, 7, 12}) {
            if (!support::can_do(entry, p)) continue;
            const any_schedule x =
                entry.make({.ranks = p, .block = 2 * support::matrix_bytes, .element = support::matrix_bytes});
            INFO(entry.info.name, " p=", p);
            if (x.contract().commutative) {
                CHECK(entry.info.commutative);
                CHECK(refuses_matrices(x));
                ++refused;
                continue;
            }
            CHECK(support::wrong_product(x, binding::separate) == "");
            CHECK(support::wrong_product(x, binding::in_place) == "");
            ++kept;
        }
    CHECK(kept >= 15);
    CHECK(refused >= 40);
}

TEST_CASE("test vectors: k-nomial allreduce is correct for P=15, radix 2..16, and for P=28") {
    for (const rank_t p : {15, 28})
        for (std::int64_t radix = 2; radix <= 16; ++radix)
            for (const auto& [bytes, element] : {support::message_size{8, 8}, {13 * 24, 24}, {280, 8}}) {
                CAPTURE(radix);
                const shape wanted{.ranks = p, .bytes = bytes, .element = element, .radix = radix};
                contract contract{.collective = collective::allreduce, .ranks = p, .bytes = bytes, .element = element};
                support::check_right(make<allreduce::recursive_multiplying>(wanted), contract);
                contract.commutative = true;
                support::check_right(make<allreduce::k_reduce_scatter_allgather>(wanted), contract);
                support::check_right(make<allreduce::over_tree<trees::k_nomial>>(wanted), contract);
            }
}

TEST_CASE(
    "test vectors: Rabenseifner, P=13 n=13 and P=1600 n=100000, has block sizes that differ by <= 1, at most 98") {
    const auto small = rabenseifner_parts(13, 13), large = rabenseifner_parts(1600, 100'000);
    CHECK(small == std::vector<std::int64_t>{2, 2, 2, 2, 2, 1, 1, 1});
    CHECK(support::verified(allreduce::rabenseifner{.ranks = 13, .bytes = 13 * 8, .element = 8}).ok());
    CHECK(large.size() == 1024);
    CHECK(*std::max_element(large.begin(), large.end()) == 98);
    CHECK(*std::min_element(large.begin(), large.end()) == 97);
    CHECK(std::accumulate(large.begin(), large.end(), std::int64_t{0}) == 100'000);
}

TEST_CASE("test vectors: hierarchical gatherv and scatterv complete in order for placements ABBA, AABBBA, ABABBA") {
    for (const char* seats : {"ABBA", "AABBBA", "ABABBA"}) {
        const topology::placement where = support::placed_as(seats);
        const rank_t p = where.ranks();
        for (const auto& [name, layout] : support::layouts(p))
            for (rank_t root = 0; root < p; ++root)
                for (const binding how : {binding::separate, binding::in_place}) {
                    INFO(seats, " ", name, " root=", root);
                    const scatter::hierarchical<> out{.ranks = p, .root = root, .block = layout, .placement = where};
                    const any_schedule scatter(out),
                        gather(gather::hierarchical<>{.ranks = p, .root = root, .block = layout, .placement = where});
                    CHECK(support::verified(scatter, how) == verdict{});
                    CHECK(support::verified(gather, how) == verdict{});
                    CHECK(crew(scatter, how).run() == "");
                    CHECK(crew(gather, how).run() == "");
                }
    }
}

TEST_CASE(
    "test vectors: bcast of 4 bytes by broadcast/logp, P=126..130, changes under LogP by < 10 % between neighbors") {
    constexpr picoseconds networks[][3] = {{6'000, 2'000, 4'000}, {5'000'000, 500'000, 700'000}, {1'000, 900, 100}};
    for (const auto& [L, o, g] : networks) {
        const loggp_model model{.latency_ps = L, .overhead_ps = o, .gap_ps = g};
        const auto predicted = [&]<class Tree>(rank_t p, const Tree& tree) {
            const broadcast::over_tree<Tree> x{.ranks = p, .bytes = 4, .tree = tree};
            return static_cast<double>(simulate(x, model, {.binding = binding::in_place}).completion);
        };
        for (rank_t p = 126; p < 130; ++p) {
            const double here = predicted(p, trees::logp_optimal(p, L, o, g));
            const double next = predicted(p + 1, trees::logp_optimal(p + 1, L, o, g));
            CHECK(next >= here);
            CHECK(next < 1.1 * here);
            CHECK(here <= predicted(p, trees::binomial{}));
        }
    }
}

TEST_CASE("test vectors: a simulated gather of 8 to 1 takes about 8x of one transfer") {
    const loggp_model model{.latency_ps = 1'000'000, .overhead_ps = 500'000, .gap_ps = 500'000, .byte_fs = 100'000};
    const auto to_one = [&](rank_t senders) {
        return static_cast<double>(simulate(gather::linear{.ranks = senders + 1, .block = 1 << 20}, model).completion);
    };
    CHECK(to_one(8) > 7 * to_one(1));
    CHECK(to_one(8) < 9 * to_one(1));
}

TEST_CASE("test vectors: broadcasts from every root, P=8, have 7 sends per rank") {
    std::vector<int> sends(8);
    for (rank_t root = 0; root < 8; ++root)
        for (const edge& e : edges(broadcast::over_tree<trees::binomial>{.ranks = 8, .root = root, .bytes = 4}))
            if (!e.is_local()) ++sends[static_cast<std::size_t>(e.src)];
    CHECK(sends == std::vector<int>(8, 7));
}

TEST_CASE("test vectors: three starts of a persistent gather with changed input bring fresh data") {
    for (const algorithm_entry& entry : registered(collective::gather))
        for (const binding how : {binding::separate, binding::in_place}) {
            CAPTURE(entry.info.name);
            crew all(entry.make({.ranks = 7, .root = 3, .block = 40}), how);
            for (int round = 0; round < 3; ++round) CHECK(all.run(round) == "");
        }
}

TEST_CASE("test vectors: two compilers give the same fingerprint") {
    CHECK(fingerprints() == known);
    const std::set<std::uint64_t> different(known.begin(), known.end());
    CHECK(different.size() == known.size());
}
