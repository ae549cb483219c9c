#include "collsched/format/files/read_log.hpp"

#include <doctest/doctest.h>

#include <thread>

#include "collsched/format/files/text_file.hpp"

using namespace collsched;

TEST_CASE("read_log: files are recorded in order while the log exists") {
    read_log::add("before");
    const read_log log;
    CHECK(log.files().empty());
    read_log::add("a");
    read_log::add("b");
    REQUIRE(log.files().size() == 2);
    CHECK(log.files()[0] == "a");
    CHECK(log.files()[1] == "b");
}

TEST_CASE("read_log: only the innermost log of the thread records") {
    const read_log outer;
    {
        const read_log inner;
        read_log::add("a");
        CHECK(inner.files().size() == 1);
    }
    std::thread([] { read_log::add("b"); }).join();
    CHECK(outer.files().empty());
    read_log::add("c");
    CHECK(outer.files().size() == 1);
}

TEST_CASE("read_log: files that cannot be read are not recorded") {
    const read_log log;
    CHECK_THROWS_AS(read_text_file("no such file"), input_error);
    CHECK(log.files().empty());
    CHECK_NOTHROW(read_text_file("/dev/null"));
    CHECK(log.files().size() == 1);
}
