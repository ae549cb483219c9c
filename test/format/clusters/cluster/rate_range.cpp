#include "collsched/format/clusters/cluster.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace collsched;
using namespace collsched::detail;

TEST_CASE("rate_range: ranges contain their ends and no more") {
    for (const rate_range& range : {range_us, range_MBps}) {
        CHECK(range.holds(range.least));
        CHECK(range.holds(range.most));
        CHECK(!range.holds(std::nextafter(range.least, -1)));
        CHECK(!range.holds(std::nextafter(range.most, 2 * range.most)));
        CHECK(!range.holds(std::numeric_limits<double>::quiet_NaN()));
        CHECK(!range.holds(std::numeric_limits<double>::infinity()));
    }
    CHECK(!range_MBps.holds(0));
}

TEST_CASE("rate_range: the model accepts the values of the ranges") {
    for (const double us : {range_us.least, range_us.most}) {
        for (const double MBps : {range_MBps.least, range_MBps.most}) {
            const std::vector<picoseconds> overheads(2, ps_of_us(us)), latencies(4, ps_of_us(us));
            const std::vector<std::int64_t> byte_fs(4, byte_fs_of(MBps));
            CHECK(byte_fs[0] > 0);
            CHECK(lob_model(overheads, latencies, byte_fs).check() == argument_error{});
        }
    }
}
