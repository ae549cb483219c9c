#include "collsched/format/files/text_file.hpp"

#include <doctest/doctest.h>

#include <thread>
using namespace collsched;

TEST_CASE("text_file::log: files are recorded in order while the log exists") {
    text_file::log::add("before");
    const text_file::log log;
    CHECK(log.files().empty());
    text_file::log::add("a");
    text_file::log::add("b");
    REQUIRE(log.files().size() == 2);
    CHECK(log.files()[0] == "a");
    CHECK(log.files()[1] == "b");
}

TEST_CASE("text_file::log: only the innermost log of the thread records") {
    const text_file::log outer;
    {
        const text_file::log inner;
        text_file::log::add("a");
        CHECK(inner.files().size() == 1);
    }
    std::thread([] { text_file::log::add("b"); }).join();
    CHECK(outer.files().empty());
    text_file::log::add("c");
    CHECK(outer.files().size() == 1);
}

TEST_CASE("text_file::log: files that cannot be read are not recorded") {
    const text_file::log log;
    CHECK_THROWS_AS(read_text_file("no such file"), input_error);
    CHECK(log.files().empty());
    CHECK_NOTHROW(read_text_file("/dev/null"));
    CHECK(log.files().size() == 1);
}
