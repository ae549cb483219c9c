#include "collsched/schedule/fingerprint.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/circulant.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allreduce/allgather_reduce.hpp"
#include "collsched/collective/allreduce/by_reversal.hpp"
#include "collsched/collective/allreduce/hierarchical.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/collective/barrier/dissemination.hpp"
#include "collsched/collective/barrier/hierarchical.hpp"
#include "collsched/collective/broadcast/hierarchical.hpp"
#include "collsched/collective/gather/in_preorder.hpp"
#include "collsched/collective/gather/root_receive.hpp"
#include "collsched/collective/scan/along_chain.hpp"
#include "collsched/collective/scan/hierarchical.hpp"
#include "collsched/collective/scatter/hierarchical.hpp"
#include "collsched/collective/scatter/over_tree.hpp"
#include "collsched/schedule/stored_schedule.hpp"
#include "collsched/tree/binomial.hpp"
#include "collsched/tree/chain.hpp"
#include "collsched/tree/k_ary.hpp"
#include "support/brief.hpp"
#include "support/registry.hpp"
#include "support/samples.hpp"

using namespace collsched;

namespace {

/// FNV-1a over the bytes of a description, as the written format defines them.
class described_bytes {
  public:
    described_bytes& byte(std::int64_t value) {
        hash_ = (hash_ ^ static_cast<std::uint64_t>(value)) * 1099511628211U;
        return *this;
    }
    described_bytes& word(std::int64_t value) {
        auto rest = static_cast<std::uint64_t>(value);
        for (int i = 0; i < 8; ++i, rest /= 256) byte(static_cast<std::int64_t>(rest % 256));
        return *this;
    }
    described_bytes& text(const std::string& value) {
        for (const char c : value) byte(static_cast<unsigned char>(c));
        return byte(0);
    }
    described_bytes& words(std::initializer_list<std::int64_t> values) {
        for (const std::int64_t value : values) word(value);
        return *this;
    }
    std::uint64_t value() const { return hash_; }

  private:
    std::uint64_t hash_ = 14695981039346656037U;
};

template <class Word>
std::uint64_t hash_of(const Word& word) {
    detail::description_hash hash;
    hash(word);
    return hash.value();
}

template <std::int64_t Variant>
struct described_algorithm {
    rank_t ranks = 3;
    bytes_t bytes = 5;
    static constexpr algorithm_info info{.collective = collective::scan, .name = "any", .variant = Variant};
    static constexpr void parameters(auto& self, auto f) { f("ranks", self.ranks), f("bytes", self.bytes); }
};

}  // namespace

TEST_CASE("fingerprint: a hash of the bytes of all words, the lowest first, and of all characters") {
    CHECK(hash_of(std::int64_t{0x0123456789abcdef}) == described_bytes().word(0x0123456789abcdef).value());
    CHECK(hash_of(std::int64_t{-2}) == described_bytes().word(-2).value());
    CHECK(hash_of(std::uint64_t{0xfedcba9876543210U}) == described_bytes().word(-0x123456789abcdf0).value());
    CHECK(hash_of("a\xff") == described_bytes().byte('a').byte(255).byte(0).value());
    CHECK(hash_of("") == described_bytes().byte(0).value());
    CHECK(hash_of(true) == described_bytes().word(1).value());
    CHECK(hash_of(false) == described_bytes().word(0).value());
    CHECK(hash_of(block_layout::partition(22, 4, 2)) == described_bytes().words({4, 3, 2, 0}).value());
    const edge e{.step = 300,
                 .src = 1,
                 .dst = 2,
                 .from_offset = 3,
                 .into_offset = 4,
                 .size = 5,
                 .from = buffer::output,
                 .into = buffer::scratch,
                 .action = action::combine_after};
    CHECK(hash_of(e) == described_bytes().words({300, 1, 2, 3, 4, 5}).byte(1).byte(2).byte(2).value());
    CHECK(hash_of(edge{.from = buffer::scratch, .action = action::combine_before}) ==
          described_bytes().words({0, 0, 0, 0, 0, 0}).byte(2).byte(1).byte(1).value());
}

TEST_CASE("fingerprint: a contract has its numbers and blocks, and the matrix or neighbors that its collective has") {
    const contract c{.collective = collective::reduce,
                     .ranks = 7,
                     .root = 2,
                     .blocks = 9,
                     .bytes = 12,
                     .element = 4,
                     .commutative = true};
    CHECK(hash_of(c) == described_bytes().words({4, 7, 2, 12, 4, 1, 9, 0, 1, 0}).value());
    contract other = c;
    other.collective = collective::alltoall;
    other.blocks = block_matrix(8);
    CHECK(hash_of(other) == described_bytes().words({9, 7, 2, 12, 4, 1, 0, 0, 1, 0, 8, 0, 1, 0, 0}).value());
    other.collective = collective::neighbor_alltoall;
    other.commutative = false;
    other.blocks = {neighborhood(), slot_layout::exchanged(6)};
    CHECK(hash_of(other) == described_bytes().words({12, 7, 2, 12, 4, 0, 0, 0, 1, 0, 0, 0, 0, 6}).value());
}

TEST_CASE("fingerprint: a description has version, collective, name, variant if any, names and values of parameters") {
    CHECK(fingerprint_of("kind", std::int64_t{5}, "x") ==
          described_bytes().word(1).text("kind").word(5).text("x").value());
    CHECK(detail::describe(described_algorithm<0>{}) ==
          described_bytes().word(1).word(7).text("any").text("ranks").word(3).text("bytes").word(5).value());
    CHECK(detail::describe(described_algorithm<2>{}) ==
          described_bytes().word(1).word(7).text("any").word(2).text("ranks").word(3).text("bytes").word(5).value());
    CHECK(detail::describe(described_algorithm<-1>{}) ==
          described_bytes().word(1).word(7).text("any").word(-1).text("ranks").word(3).text("bytes").word(5).value());
}

TEST_CASE("fingerprint: equal fingerprints mean equal edges, for every algorithm and layout at p = 1 .. 33") {
    std::map<std::uint64_t, std::vector<edge>> known;
    const rank_t last = support::most(rank_t{33});
    for (rank_t p = 1; p <= last; ++p)
        for (const auto& [name, s] : support::samples(p)) {
            const stored_schedule stored = materialize(s);
            CHECK(stored.fingerprint() == fingerprint(s));
            const std::vector<edge> all(stored.edges().begin(), stored.edges().end());
            const auto [place, fresh] = known.emplace(fingerprint(s), all);
            CAPTURE(name);
            if (!fresh) CHECK(place->second == all);
        }
    CHECK(known.size() > compiled::registry().size() * std::size_t(last) * 4 / support::one_of());
}

TEST_CASE("fingerprint: every parameter counts, and the value is the same on every compiler") {
    const std::vector<bytes_t> equal(3, 4), displs{0, 4, 8}, later{0, 4, 9};
    const auto of = [](const block_layout& block, rank_t p = 3) {
        return fingerprint(allgather::ring{.ranks = p, .block = block});
    };
    CHECK(of(4) != of(5));
    CHECK(of(4, 3) != of(4, 4));
    CHECK(of(block_layout(equal, displs)) != of(block_layout(equal, later)));
    CHECK(of(4) != fingerprint(allgather::bruck{.ranks = 3, .block = 4}));
    static_assert(fingerprint(allgather::ring{.ranks = 3, .block = 4}) == 0xdf127cdbcc19a997U);
}

TEST_CASE("fingerprint: root_receive of a gather counts, and so does every member of a tree") {
    using gather::root_receive;
    const auto of = []<root_receive How, class Tree>(Tree tree) {
        return fingerprint(gather::over_tree<Tree, How>{.ranks = 7, .block = 3, .tree = tree});
    };
    const auto all_differ = [&](auto tree) {
        const std::uint64_t a = of.operator()<root_receive::direct>(tree),
                            b = of.operator()<root_receive::instant>(tree),
                            c = of.operator()<root_receive::chained>(tree);
        CHECK(a != b);
        CHECK(b != c);
        CHECK(a != c);
    };
    all_differ(trees::binomial{});
    all_differ(trees::in_order_binary{});
    all_differ(trees::k_ary{});
    CHECK(of.operator()<root_receive::direct>(trees::double_binary{}) !=
          of.operator()<root_receive::direct>(trees::double_binary{.second = true}));
}

TEST_CASE("fingerprint: trees with one root_receive have fingerprints of their own") {
    const auto of = []<class Tree>(Tree) {
        return fingerprint(gather::over_tree<Tree, gather::root_receive::chained>{.ranks = 7, .block = 3});
    };
    CHECK(of(trees::binomial{}) != of(trees::chain{}));
    CHECK(of(trees::in_order_binary{}) != of(trees::chain{}));
}

TEST_CASE("fingerprint: the parts of a composition count, their parameters too") {
    const auto differ = [](const auto& x, const auto& y) {
        CHECK(fingerprint(x) != fingerprint(y));
        CHECK(any_schedule(x).fingerprint() != any_schedule(y).fingerprint());
    };
    const auto where = topology::placement::block(6, 2);
    differ(allreduce::hierarchical<>{.ranks = 6, .bytes = 24, .placement = where},
           allreduce::hierarchical<allreduce::ring>{.ranks = 6, .bytes = 24, .placement = where});
    differ(broadcast::hierarchical<>{.ranks = 6, .bytes = 24, .placement = where},
           broadcast::hierarchical<>{.ranks = 6, .bytes = 24, .placement = where, .inner = {.segment = 8}});
    differ(barrier::hierarchical<>{.ranks = 6, .placement = where},
           barrier::hierarchical<barrier::dissemination, trees::chain>{.ranks = 6, .placement = where});
    differ(scan::hierarchical<>{.ranks = 6, .bytes = 24, .placement = where},
           scan::hierarchical<scan::linear>{.ranks = 6, .bytes = 24, .placement = where});
    differ(gather::hierarchical<>{.ranks = 6, .block = 4, .placement = where},
           gather::hierarchical<scatter::over_tree<trees::chain>>{.ranks = 6, .block = 4, .placement = where});
    differ(allreduce::allgather_reduce<allgather::ring>{.ranks = 6, .bytes = 24},
           allreduce::allgather_reduce<allgather::circulant>{.ranks = 6, .bytes = 24});
    using two_levels = allreduce::by_reversal<broadcast::hierarchical<>>;
    differ(two_levels{.ranks = 6, .bytes = 24, .of = {.placement = where}},
           two_levels{.ranks = 6, .bytes = 24, .of = {.placement = where, .outer = {.segment = 8}}});
}
