#include "collsched/execute/tcp/detail/error.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace collsched;

TEST_CASE("detail::tcp_error: every error has its own text") {
    std::vector<std::string> texts;
    for (int e = 0; e <= detail::tcp_error::revoked; ++e) texts.emplace_back(detail::tcp_error::text(e));
    for (int e = detail::tcp_error::bad_address; e <= detail::tcp_error::bad_key; ++e)
        texts.emplace_back(detail::tcp_error::text(e));
    std::sort(texts.begin(), texts.end());
    CHECK(std::unique(texts.begin(), texts.end()) == texts.end());
    CHECK(std::find(texts.begin(), texts.end(), "an error of the transport") == texts.end());
    CHECK(detail::tcp_error::text(detail::tcp_error::bad_key + 1) == std::string("an error of the transport"));
}
