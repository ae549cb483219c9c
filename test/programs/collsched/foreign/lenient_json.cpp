#include "examples/programs/collsched/foreign/lenient_json.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace collsched;
using namespace collsched::foreign;

namespace {

std::string commas(std::string_view text) { return json_of_dialect(text, json_dialect::last_commas); }
std::string both(std::string_view text) { return json_of_dialect(text, json_dialect::last_commas_and_comments); }

}  // namespace

TEST_CASE("lenient_json: a comma after the last element becomes a blank") {
    CHECK(commas("{\"a\": 1,}") == "{\"a\": 1 }");
    CHECK(commas("[1, 2,\n]") == "[1, 2 \n]");
    CHECK(commas("{\"a\": [\"x\",], \"b\": {\"c\": null ,\n },}") == "{\"a\": [\"x\" ], \"b\": {\"c\": null  \n } }");
}

TEST_CASE("lenient_json: other texts remain as they are") {
    for (const std::string text : {"", "{}", "[1,2]", "{\"a\":1,\"b\":2}", "[,]", "{,}", "[1,,]", "{\"a\":,}",
                                   "[\",]\", \",}\"]", "{\"a\\\",}\": 1}", "[\"open,]"})
        CHECK(commas(text) == text);
    CHECK(commas("[1,] // x") == "[1 ] // x");
}

TEST_CASE("lenient_json: comments become blanks with the same lines") {
    CHECK(both("[1, // one\n2,] // two") == "[1,       \n2 ]       ");
    CHECK(both("{/* a\nb */\"k\":1, /* last */}") == "{    \n    \"k\":1            }");
    CHECK(both("[\"// no\", \"/* no */\"]") == "[\"// no\", \"/* no */\"]");
    for (const std::string text : {"[1 / 2]", "[1] /* open", "/"}) CHECK(both(text) == text);
}
