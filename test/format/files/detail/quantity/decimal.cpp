#include "collsched/format/files/detail/quantity.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>

using namespace collsched::detail;

namespace {

std::optional<std::int64_t> to_integer(const char* text, int power = 0) { return decimal(text).to_integer(power); }
std::optional<std::int64_t> nearest(const char* text, int power = 0) { return decimal(text).nearest(power); }

}  // namespace

TEST_CASE("decimal: whole numbers are exact") {
    CHECK(to_integer("0.7", 6) == 700'000);
    CHECK(to_integer("2.5e10") == 25'000'000'000);
    CHECK(to_integer("25E+9") == 25'000'000'000);
    CHECK(to_integer("1200e-2") == 12);
    CHECK(to_integer("100.000") == 100);
    CHECK(to_integer("-1.50e3") == -1500);
    CHECK(to_integer("0.1234567890123456789", 19) == 1'234'567'890'123'456'789);
    CHECK(to_integer("9223372036854775807") == INT64_MAX);
    CHECK(to_integer("-9223372036854775808") == INT64_MIN);
    CHECK(to_integer("0.0000000000000000000009223372036854775807e40") == INT64_MAX);
    for (const char* zero : {"0", "-0.0", "0e5", "0e-99999999999999999999", "0.00e99999999999999999999"})
        CHECK(to_integer(zero) == 0);
    CHECK(decimal("2,5").to_integer(1) == 25);
}

TEST_CASE("decimal: fractions and numbers beyond 64 bits are no whole numbers") {
    for (const char* text : {"0.5", "1e-1", "0.7", "100.0001", "1e-99999999999999999999", "9223372036854775808", "1e19",
                             "-9223372036854775809", "1e99999999999999999999"})
        CHECK_FALSE(to_integer(text));
}

TEST_CASE("decimal: halves are rounded away from 0") {
    CHECK(nearest("0.4999") == 0);
    CHECK(nearest("0.5") == 1);
    CHECK(nearest("-0.5") == -1);
    CHECK(nearest("-2.49") == -2);
    CHECK(nearest("0.05") == 0);
    CHECK(nearest("0.00000050001", 6) == 1);
    CHECK(nearest("0.30000000000000004", 6) == 300'000);
    CHECK(nearest("9.9e-99999999999999999999") == 0);
    CHECK(nearest("9223372036854775806.5") == INT64_MAX);
    CHECK_FALSE(nearest("9223372036854775807.5"));
}

TEST_CASE("decimal: the digits and the nearest double are kept") {
    CHECK(decimal("-1.50e3").text() == "-1.50e3");
    CHECK(decimal("-1.50e3").value() == -1500.0);
    CHECK(decimal("0.7").value() == 0.7);
}
