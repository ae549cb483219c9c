#include "collsched/format/text.hpp"

#include <doctest/doctest.h>

#include <limits>

using namespace collsched;

TEST_CASE("text: texts in JSON and XML are escaped") {
    CHECK(json_text("a/b") == "\"a/b\"");
    CHECK(json_text("\"\\\n") == "\"\\\"\\\\\\u000a\"");
    CHECK(xml_text("<a> & \"b\"\n") == "&lt;a&gt; &amp; &quot;b&quot; ");
}

TEST_CASE("text: bytes are written with fitting units") {
    CHECK(bytes_text(0) == "0 bytes");
    CHECK(bytes_text(1) == "1 byte");
    CHECK(bytes_text(2048) == "2048 bytes");
    CHECK(detail::short_bytes_text(1023) == "1023 B");
    CHECK(detail::short_bytes_text(1024) == "1 KB");
    CHECK(detail::short_bytes_text(80 * 1024) == "80 KB");
    CHECK(detail::short_bytes_text(1536 * 1024) == "1.5 MB");
    CHECK(detail::short_bytes_text((bytes_t{1} << 20) - 1) == "1 MB");
    CHECK(detail::short_bytes_text(std::numeric_limits<bytes_t>::max()) == "8 EB");
}

TEST_CASE("text: microseconds are exact") {
    CHECK(microseconds(0) == "0.000000");
    CHECK(microseconds(530'500'001) == "530.500001");
    CHECK(microseconds(std::numeric_limits<picoseconds>::max()) == "9223372036854.775807");
}
