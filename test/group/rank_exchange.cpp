#include "collsched/group/rank_exchange.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "collsched/execute/plan.hpp"

using namespace collsched;

TEST_CASE("rank_exchange: a rank sends and receives its blocks, and no message where there are no bytes") {
    const std::vector<rank_exchange::block> blocks{{0, 5, 0, 4}, {5, 0, 4, 3}, {5, 7, 7, 0}};
    const rank_exchange exchange{.ranks = 3, .self = 0, .blocks = blocks, .window = 0};
    const plan made(exchange, 0);
    REQUIRE(!made.check());
    REQUIRE(made.edges().size() == 3);
    const edge &own = made.edges()[0], &sent = made.edges()[1], &received = made.edges()[2];
    CHECK((own.is_local() && own.size == 4 && own.from_offset == 0 && own.into_offset == 0));
    CHECK((sent.src == 0 && sent.dst == 2 && sent.size == 7 && sent.from_offset == 5 && sent.step == 2));
    CHECK((received.src == 1 && received.dst == 0 && received.size == 3 && received.into_offset == 4));
    CHECK(exchange.contract().input_bytes(0) >= 12);
    CHECK((exchange.steps() == 3 && exchange.scratch(0) == 0 && exchange.staging(0) == 0 && !exchange.check()));
    CHECK(rank_exchange{.ranks = 3, .blocks = blocks, .window = 2}.pacing().window == 2);
}

TEST_CASE("rank_exchange: other blocks have another fingerprint") {
    std::vector<rank_exchange::block> blocks(2);
    const auto print = [&] { return rank_exchange{.ranks = 2, .blocks = blocks}.fingerprint(); };
    const std::uint64_t before = print();
    for (bytes_t rank_exchange::block::* one :
         {&rank_exchange::block::send_size, &rank_exchange::block::send_offset, &rank_exchange::block::receive_size,
          &rank_exchange::block::receive_offset}) {
        blocks[1].*one = 8;
        CHECK(print() != before);
        blocks[1].*one = 0;
    }
    CHECK(print() == before);
}

TEST_CASE("rank_exchange: by default one rank without blocks") {
    constexpr rank_exchange none;
    CHECK((none.ranks == 1 && none.self == 0 && none.blocks.empty()));
}
