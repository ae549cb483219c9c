#include "collsched/collective/gather/root_receive.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "support/layouts.hpp"

using namespace collsched;

namespace {

/// Ranks of the messages of each chain, and whether the chain is continuous (unknown where it has one message).
struct plain_chain {
    std::vector<rank_t> messages;
    int kind = 0;  // 0 not known yet, 1 continuous, 2 discontinuous
};

/// The rules of message chains, read one by one.
std::vector<plain_chain> read_chains(const block_layout& layout, const std::vector<rank_t>& list) {
    std::vector<plain_chain> closed;
    plain_chain open;
    for (const rank_t now : list) {
        if (layout.count(now) == 0) continue;
        if (open.messages.empty()) {
            open.messages.push_back(now);
            continue;
        }
        const rank_t before = open.messages.back();
        const bool continues = layout.displ(before) + layout.count(before) == layout.displ(now);
        if (open.kind == 0) {
            open.kind = continues ? 1 : 2;
            open.messages.push_back(now);
        } else if (open.kind == 1 && continues) {
            open.messages.push_back(now);
        } else if (open.kind == 2 && continues) {
            open.messages.pop_back();
            closed.push_back(open);
            open = {{before, now}, 1};
        } else if (open.kind == 2) {
            open.messages.push_back(now);
        } else {
            closed.push_back(open);
            open = {{now}, 0};
        }
    }
    if (!open.messages.empty()) closed.push_back(open);
    return closed;
}

/// Layouts of many kinds: pieces in order, reversed or at random, with and without gaps and empty blocks.
block_layout random_layout(support::random_source& random, rank_t p) {
    if (random.below(8) == 0) return block_layout(1 + random.below(4));
    if (random.below(8) == 0) return block_layout::partition(random.below(3 * p), p);
    std::vector<bytes_t> counts(static_cast<std::size_t>(p));
    for (bytes_t& count : counts) count = random.below(3) == 0 ? 0 : 1 + random.below(4);
    if (random.below(4) == 0) return block_layout(counts);
    std::vector<std::size_t> order(counts.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const std::int64_t swaps = random.below(p + 1);
    for (std::int64_t i = 0; i < swaps; ++i)
        std::swap(order[static_cast<std::size_t>(random.below(p))], order[static_cast<std::size_t>(random.below(p))]);
    std::vector<bytes_t> displs(counts.size());
    bytes_t next = 0;
    const std::int64_t gaps = random.below(3);
    for (const std::size_t i : order) {
        next += gaps == 0 || random.below(3) > 0 ? 0 : 1 + random.below(3);
        displs[i] = next;
        next += counts[i];
    }
    return {counts, displs};
}

}  // namespace

TEST_CASE("message chains: chains equal a plain reading of the rules on 10,000 random layouts") {
    support::random_source random(11);
    std::int64_t chains = 0, continuous = 0;
    for (int round = 0; round < 10000; ++round) {
        const rank_t p = 1 + random.below(24);
        const block_layout layout = random_layout(random, p);
        REQUIRE(!layout.check(p));
        const block_interval list{random.below(p), random.below(p + 1)};
        std::vector<rank_t> ranks;
        for (rank_t i = 0; i < list.count; ++i) ranks.push_back((list.first + i) % p);
        const auto expected = read_chains(layout, ranks);
        std::size_t n = 0;
        gather::detail::for_each_chain(layout, p, list, [&](const gather::detail::message_chain& chain) {
            REQUIRE(n < expected.size());
            const plain_chain& plain = expected[n++];
            REQUIRE(chain.messages == std::ssize(plain.messages));
            REQUIRE(chain.blocks.first == plain.messages.front());
            REQUIRE((chain.blocks.first + chain.blocks.count - 1) % p == plain.messages.back());
            REQUIRE(chain.displ == layout.displ(plain.messages.front()));
            REQUIRE(chain.continuous == (plain.kind == 1 && plain.messages.size() > 1));
            REQUIRE(chain.direct() == (plain.kind == 1 || plain.messages.size() == 1));
            bytes_t bytes = 0;
            for (const rank_t r : plain.messages) bytes += layout.count(r);
            REQUIRE(chain.bytes == bytes);
            ++chains;
            continuous += chain.continuous ? 1 : 0;
        });
        REQUIRE(n == expected.size());
    }
    CHECK(continuous > 1000);
    CHECK(chains > 2 * continuous);
}

TEST_CASE("message chains: the four cases by hand") {
    const auto kinds = [](const std::vector<bytes_t>& displs) {
        const std::vector<bytes_t> ones(displs.size(), 1);
        std::string text;
        const auto p = std::ssize(displs);
        gather::detail::for_each_chain(
            block_layout(ones, displs), p, {0, p}, [&](const gather::detail::message_chain& chain) {
                text += std::to_string(chain.messages) + (chain.continuous ? "c " : chain.messages > 1 ? "d " : "s ");
            });
        return text;
    };
    CHECK(kinds({0, 1, 2, 3}) == "4c ");
    CHECK(kinds({6, 4, 2, 0}) == "4d ");
    CHECK(kinds({0, 1, 2, 9, 7}) == "3c 2d ");
    CHECK(kinds({9, 7, 1, 2, 3}) == "2d 3c ");
    CHECK(kinds({9, 1, 2, 7}) == "1s 2c 1s ");
    CHECK(kinds({5}) == "1s ");
}
