#include "collsched/format/files/detail/quantity.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string_view>

using namespace collsched;
using namespace collsched::detail;

TEST_CASE("quantity: times in microseconds") {
    CHECK(quantity_us("24us") == 24);
    CHECK(quantity_us("50ms") == 50'000);
    CHECK(quantity_us("0") == 0);
    CHECK(quantity_us("0.5s") == 500'000);
    CHECK(quantity_us("1e-4") == doctest::Approx(100));
    CHECK(quantity_us("250ns") == 0.25);
    CHECK(quantity_us("3ps") == doctest::Approx(3e-6));
    CHECK(quantity_us("2m") == 120e6);
    CHECK(quantity_us("1h") == 3600e6);
    CHECK(quantity_us("1d") == 86400e6);
    CHECK(quantity_us("1w") == 604800e6);
    CHECK(quantity_us("-1us") == -1);
    CHECK(quantity_us(" +24us") == 24);
    CHECK(quantity_us("0x10us") == 16);
    CHECK(quantity_us(".5us") == 0.5);
}

TEST_CASE("quantity: bandwidths in megabytes per second") {
    CHECK(quantity_MBps("125MBps") == 125);
    CHECK(quantity_MBps("1.25GBps") == 1250);
    CHECK(quantity_MBps("1Gbps") == 125);
    CHECK(quantity_MBps("10e3Mbps") == 1250);
    CHECK(quantity_MBps("125000000") == doctest::Approx(125));
    CHECK(quantity_MBps("8000bps") == doctest::Approx(1e-3));
    CHECK(quantity_MBps("5kBps") == doctest::Approx(5e-3));
    CHECK(quantity_MBps("1TBps") == 1e6);
    CHECK(quantity_MBps("1PBps") == 1e9);
    CHECK(quantity_MBps("1EBps") == 1e12);
    CHECK(quantity_MBps("1ZBps") == 1e15);
    CHECK(quantity_MBps("8Ybps") == 1e18);
    CHECK(quantity_MBps("1e-12YiBps") == doctest::Approx(0x1p80 * 1e-18));
    CHECK(quantity_MBps("1e-9ZiBps") == doctest::Approx(0x1p70 * 1e-15));
    CHECK(quantity_MBps("1KiBps") == doctest::Approx(1024e-6));
    CHECK(quantity_MBps("1MiBps") == doctest::Approx(1.048576));
    CHECK(quantity_MBps("8Gibps") == doctest::Approx(1073.741824));
}

TEST_CASE("quantity: texts that are no quantity are rejected") {
    for (const std::string_view text : {"", "us", "24 us", "24US", "24usec", "x24us", "24us ", "nan", "infs", "1e999s",
                                        "24MBps", "1,5us", "+-24us", "-+24us", "--24us", "+", " "})
        CHECK_MESSAGE(!quantity_us(text), text);
    for (const std::string_view text : {"", "MBps", "125 MBps", "125MB/s", "125MB", "125mbps", "125KBps", "125MBPS",
                                        "inf", "1us", "125xBps", "Bps", "1MBps,2MBps", "1kiloBps"})
        CHECK_MESSAGE(!quantity_MBps(text), text);
}

TEST_CASE("quantity: exact bandwidths in bytes per second") {
    CHECK(whole_Bps("125MBps") == 125'000'000);
    CHECK(whole_Bps("1.25GBps") == 1'250'000'000);
    CHECK(whole_Bps("1Gbps") == 125'000'000);
    CHECK(whole_Bps("0.008kbps") == 1);
    CHECK(whole_Bps("10e3Mbps") == 1'250'000'000);
    CHECK(whole_Bps(" +125") == 125);
    CHECK(whole_Bps("0") == 0);
    CHECK(whole_Bps("9007199254740993Bps") == 9'007'199'254'740'993);  // 2^53 + 1, which no double is
    CHECK(whole_Bps("9.007199254740993PBps") == 9'007'199'254'740'993);
    CHECK(whole_Bps("9223372036854775807") == 9'223'372'036'854'775'807);
    CHECK(whole_Bps("1.5MiBps") == 1'572'864);
    CHECK(whole_Bps("0.125Kibps") == 16);
    CHECK(whole_Bps("1e-18EBps") == 1);
    CHECK(whole_Bps("7EiBps") == std::int64_t{7} << 60);
    for (const char* wrong : {"0.5", "1bps", "12bps", "0.3KiBps", "8EiBps", "9223372036854775808", "1YBps", "1YiBps",
                              "0x10MBps", "125MB/s", "", "MBps", "inf", "nan", "1e999"})
        CHECK_MESSAGE(!whole_Bps(wrong), wrong);
}
