#include "collsched/format/files/detail/xml_file.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace collsched;
using namespace collsched::detail;

namespace {

const text_file sample{"f",
                       "<?xml version=\"1.0\"?>\n<!DOCTYPE a SYSTEM \"a.dtd\">\n<!-- a\n note -->\n"
                       "<a x=\"1\"\n   y=\"&lt;&#10;2\">\r\n  <b/>\r\n  words\n <c z=''></c>\n</a>\n"};

void refused(std::string_view text, std::string_view line) {
    const text_file file{"f", std::string(text)};
    CHECK_THROWS_WITH_AS(xml_file(file).root("a"), ("f:" + std::string(line)).c_str(), input_error);
}

}  // namespace

TEST_CASE("xml_file: elements, attributes and texts have their lines") {
    const xml_file xml(sample);
    const pugi::xml_node root = xml.root("a");
    CHECK(xml.line(root) == 5);
    CHECK(xml.line(root.attribute("x")) == 5);
    CHECK(xml.line(root.attribute("y")) == 6);
    CHECK(root.attribute("y").value() == std::string("<\n2"));
    CHECK(xml.line(root.child("b")) == 7);
    CHECK(xml.line(root.child("b").next_sibling()) == 8);
    CHECK(xml.line(root.child("c")) == 9);
    CHECK(xml.line(root.child("c").attribute("z")) == 9);
}

TEST_CASE("xml_file: attributes are known, required, and unique") {
    const xml_file xml(sample);
    const pugi::xml_node root = xml.root("a");
    xml.check_attributes(root, {"y", "x"});
    CHECK(xml.needed(root, "x").value() == std::string("1"));
    CHECK_THROWS_WITH_AS(xml.check_attributes(root, {"x", "w"}), "f:6: got y of <a>, expected x, w", input_error);
    CHECK_THROWS_WITH_AS(xml.needed(root, "w"), "f:5: got <a> without w, expected w=\"...\"", input_error);
    const text_file twice{"f", "<a x='1'\nx='2'/>"};
    const xml_file same(twice);
    CHECK_THROWS_WITH_AS(same.check_attributes(same.root("a"), {"x"}), "f:2: got x of <a> twice, expected once",
                         input_error);
}

TEST_CASE("xml_file: misplaced elements are rejected") {
    const xml_file xml(sample);
    const pugi::xml_node b = xml.root("a").child("b");
    CHECK_THROWS_WITH_AS(xml.refuse_child(b, "<c>"), "f:7: got <b> in <a>, expected <c>", input_error);
    CHECK_THROWS_AS(xml.refuse_child(b.next_sibling(), "<c>"), input_error);
    CHECK_THROWS_WITH_AS(xml.refuse(b, "this", "that"), "f:7: got this, expected that", input_error);
}

TEST_CASE("xml_file: text that is no XML is rejected with its line") {
    refused("", "1: got no element, expected <a>");
    refused("<!-- -->", "1: got no element, expected <a>");
    refused("<a>\n<b>\n</a>", "3: got start-end tags mismatch, expected XML");
    refused("<a>\n<b x=1/>\n</a>", "2: got error parsing element attribute, expected XML");
    refused("<a>\n\n<", "3: got could not determine tag type, expected XML");
    refused("\n<b/>", "2: got <b>, expected one <a>");
    refused("<a/>\n<a/>", "2: got <a>, expected one <a>");
    refused("<a/> words", "1: got text \"words\", expected <a>");
    refused(std::string_view("<a/>\n\0<b/>", 10), "2: got a zero byte, expected XML");
}
