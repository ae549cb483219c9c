#include "collsched/execute/tcp/detail/error.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace collsched;

TEST_CASE("tcp_transport::errors: every error has its own text") {
    std::vector<std::string> texts;
    for (int e = 0; e <= tcp_transport::errors::revoked; ++e) texts.emplace_back(tcp_transport::errors::text(e));
    for (int e = tcp_transport::errors::bad_address; e <= tcp_transport::errors::bad_key; ++e)
        texts.emplace_back(tcp_transport::errors::text(e));
    std::sort(texts.begin(), texts.end());
    CHECK(std::unique(texts.begin(), texts.end()) == texts.end());
    CHECK(std::find(texts.begin(), texts.end(), "an error of the transport") == texts.end());
    CHECK(tcp_transport::errors::text(tcp_transport::errors::bad_key + 1) == std::string("an error of the transport"));
}
