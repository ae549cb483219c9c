#include "examples/programs/collsched/measured/measured_fields.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "support/refusal.hpp"

using namespace collsched;
using namespace collsched::measured;

namespace {

const text_file file{"f", ""};

std::string refused_time(std::string_view text) {
    return support::refusal_of([&] { read_time(file, 3, "median_us", text); });
}
std::string refused_nodes(std::string_view text) {
    return support::refusal_of([&] { read_nodes(file, 3, text); });
}

}  // namespace

TEST_CASE("measured_fields: words and blanks") {
    CHECK(words_of(" a  b\tc\r").size() == 3);
    CHECK(words_of("").empty());
}

TEST_CASE("measured_fields: numbers between other words") {
    for (const char* number : {"8", "1.25", "-1", "+3"}) CHECK(is_numeric(number));
    for (const char* other : {"", "8,2", "Pass", "out-of-mem.;", "1.5#"}) CHECK_FALSE(is_numeric(other));
}

TEST_CASE("measured_fields: times are positive decimal numbers") {
    CHECK(read_time(file, 1, "t", "12.5") == doctest::Approx(12.5));
    CHECK(read_time(file, 1, "t", "1e3") == doctest::Approx(1000));
    CHECK(refused_time("-1") == "f:3: median_us: got \"-1\", expected a time in microseconds, 1e-6 to 1e12");
    for (const char* text : {"0", "nan", "inf", "-inf", "1e999", "1us", "x", "+1", " 1", "1e-7", "1e13", "1e-320"}) {
        CAPTURE(text);
        CHECK(refused_time(text).starts_with("f:3: median_us: got \""));
    }
    CHECK(refused_time("") == "f:3: median_us is required: a time in microseconds, 1e-6 to 1e12");
}

TEST_CASE("measured_fields: names have no commas, quotes and control characters") {
    CHECK((is_plain_field("ring_ompi") && is_plain_field("") && is_plain_field("a b")));
    for (const std::string_view text : {"a,b", "a\nb", "\x1b[1m", "\"a\"", "\x7f"}) CHECK(!is_plain_field(text));
}

TEST_CASE("measured_fields: nodes are a number or a shape") {
    CHECK(read_nodes(file, 1, "64") == 64);
    CHECK(read_nodes(file, 1, "4x4x4") == 64);
    CHECK(read_nodes(file, 1, "1073741824") == rank_t{1} << 30);
    for (const char* text : {"", "0", "x4", "4x", "4x0", "-4", "4x-1", "1073741825", "65536x65536", "4 x 4"}) {
        CAPTURE(text);
        CHECK(refused_nodes(text).starts_with("f:3: nodes"));
    }
}

TEST_CASE("measured_fields: names of collectives in any case") {
    CHECK(collective_of("bcast") == collective::broadcast);
    CHECK(collective_of("Broadcast") == collective::broadcast);
    CHECK(collective_of("Reduce_scatter") == collective::reduce_scatter);
    CHECK(collective_of("ALLTOALL") == collective::alltoall);
    CHECK_FALSE(collective_of("barrier"));
    CHECK_FALSE(collective_of(""));
    CHECK(counts_one_block(collective::allgather));
    CHECK_FALSE(counts_one_block(collective::reduce_scatter));
}
