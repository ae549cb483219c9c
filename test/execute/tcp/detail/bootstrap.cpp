#include "collsched/execute/tcp/detail/bootstrap.hpp"

#include <doctest/doctest.h>

using namespace collsched;
using namespace collsched::detail::tcp;

TEST_CASE("bootstrap: fits the hellos of other ranks of the group only") {
    asio::io_context io;
    const bootstrap state(io, 1, 3, {.job = 5});
    CHECK(state.rank() == 1);
    CHECK(state.hello == hello_of(1, 3, 5));
    for (const rank_t rank : {0, 2}) CHECK(state.fits(hello_of(rank, 3, 5, 1)));
    for (const rank_t rank : {-1, 1, 3}) CHECK(!state.fits(hello_of(rank, 3, 5)));
    CHECK(!state.fits(hello_of(0, 4, 5)));
    CHECK(!state.fits(hello_of(0, 3, 6)));
    CHECK(!state.fits(hello_of(0, 3, 5, 0)));
    CHECK(!state.fits(hello_of(0, 3, 5, detail::tcp_options::most_requests + 1)));
    CHECK(!state.fits(with_kind(frame_kind::request, hello_of(0, 3, 5))));
}

TEST_CASE("bootstrap: the lowest rank without a connection is missing, until all are connected") {
    asio::io_context io;
    bootstrap state(io, 1, 3, {});
    CHECK(state.missing() == 0);
    for (const rank_t rank : {0, 2}) {
        bootstrap::socket stream(io, asio::ip::tcp::v4());
        state.connect(hello_of(rank, 3, 0, 7), stream);
        CHECK(state.is_connected(rank));
        CHECK(state.at(rank).request_limit == 7);
        CHECK(state.missing() == (rank == 0 ? 2 : -1));
    }
}
