#include "collsched/format/text.hpp"

#include <doctest/doctest.h>

using namespace collsched;

TEST_CASE("model_text: a model is text to the last digit") {
    CHECK(model_text({.latency_ps = 1'500'000, .overhead_ps = 1, .gap_ps = 0, .byte_fs = 12'345'678}) ==
          "loggp:L_us=1.500000,o_us=0.000001,g_us=0.000000,G_ns=12.345678,copy_ns=0.100000,combine_ns=0.200000");
    CHECK(model_text({.connection_ps = 100'000'000}) ==
          "loggp:L_us=0.000000,o_us=0.000000,g_us=0.000000,G_ns=0.000000,copy_ns=0.100000,combine_ns=0.200000,"
          "connection_us=100.000000");
}
