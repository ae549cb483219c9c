#include "collsched/execute/tcp/detail/options.hpp"

#include <doctest/doctest.h>

using namespace collsched;

TEST_CASE("tcp_options: pending_bytes allows one request at least and most_requests at most") {
    CHECK(detail::tcp_options{}.requests() == detail::tcp_options::most_requests);
    CHECK(detail::tcp_options{.pending_bytes = 0}.requests() == 1);
    CHECK(detail::tcp_options{.pending_bytes = 10 * detail::tcp_options::bytes_per_request + 1}.requests() == 10);
    CHECK(detail::tcp_options{.pending_bytes = ~std::size_t{0}}.requests() == detail::tcp_options::most_requests);
}
