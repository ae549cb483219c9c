#include "collsched/execute/tcp/options.hpp"

#include <doctest/doctest.h>

using namespace collsched;

TEST_CASE("tcp_options: pending_bytes allows one request at least and most_requests at most") {
    CHECK(tcp_options{}.requests() == tcp_options::most_requests);
    CHECK(tcp_options{.pending_bytes = 0}.requests() == 1);
    CHECK(tcp_options{.pending_bytes = 10 * tcp_options::bytes_per_request + 1}.requests() == 10);
    CHECK(tcp_options{.pending_bytes = ~std::size_t{0}}.requests() == tcp_options::most_requests);
}
