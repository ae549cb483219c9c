#include "collsched/format/files/text_file.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

using namespace collsched;

namespace {

/// A file that is removed with the test.
class passing_file {
  public:
    explicit passing_file(const std::string& content)
        : path_(std::filesystem::temp_directory_path() / fmt::format("collsched_{}_{}", getpid(), number++)) {
        std::ofstream(path_, std::ios::binary) << content;
    }
    ~passing_file() { std::filesystem::remove(path_); }
    passing_file(const passing_file&) = delete;
    passing_file& operator=(const passing_file&) = delete;

    const std::filesystem::path& path() const { return path_; }

  private:
    static inline int number = 0;
    std::filesystem::path path_;
};

}  // namespace

TEST_CASE("text_file: a file is read unchanged, but for a byte order mark") {
    CHECK(read_text_file(passing_file("").path()).text.empty());
    CHECK(read_text_file(passing_file("a\r\nb").path()).text == "a\r\nb");
    CHECK(read_text_file(passing_file("\xEF\xBB\xBF{}").path()).text == "{}");
    const std::string long_text(3 * 1024 * 1024 + 7, 'x');
    CHECK(read_text_file(passing_file(long_text).path()).text == long_text);
    const passing_file file("x");
    CHECK(read_text_file(file.path()).name == file.path().string());
}

TEST_CASE("text_file: an unreadable file is reported in one line") {
    CHECK_THROWS_WITH_AS(read_text_file("no/such/file"),
                         "no/such/file: got No such file or directory, expected a file that can be read", input_error);
    CHECK_THROWS_WITH_AS(read_text_file("/"), "/: got a directory, expected a file that can be read", input_error);
    CHECK_THROWS_WITH_AS(read_text_file("no\nfile"),
                         "no file: got No such file or directory, expected a file that can be read", input_error);
    CHECK_THROWS_AS(read_text_file(""), input_error);
}

TEST_CASE("text_file: a text is rejected with its name and a line") {
    const text_file file{"f", "..."};
    CHECK_THROWS_WITH_AS(file.refuse(3, "this", "that"), "f:3: got this, expected that", input_error);
}

TEST_CASE("text_file: a line of a joined text is named by the file that it comes from") {
    const text_file joined{"top", "a\nx\ny\nb\n", {{1, "top", 1}, {2, "part", 1}, {4, "top", 3}}};
    const auto refused = [&](int line, const char* place) {
        const std::string expected = std::string(place) + ": got w, expected a";
        CHECK_THROWS_WITH_AS(joined.refuse(line, "w", "a"), expected.c_str(), input_error);
    };
    refused(1, "top:1");
    refused(2, "part:1");
    refused(3, "part:2");
    refused(4, "top:3");
    refused(9, "top:8");
    CHECK_THROWS_WITH_AS(text_file({"plain", ""}).refuse(7, "w", "a"), "plain:7: got w, expected a", input_error);
}

TEST_CASE("text_file: blanks at the ends of a text") {
    CHECK(trimmed("  a b\t\r") == "a b");
    CHECK(trimmed(" \t").empty());
    CHECK(trimmed("").empty());
    CHECK(trimmed("a") == "a");
}

TEST_CASE("text_file: lines of a text") {
    std::string_view text = " a b\r\n a b\r\n\nlast";
    CHECK(take_line(text) == " a b\r");
    CHECK(trimmed(take_line(text)) == "a b");
    CHECK(take_line(text).empty());
    CHECK(take_line(text) == "last");
    CHECK(text.empty());
    CHECK(take_line(text).empty());
    text = "whole\n";
    CHECK(take_line(text) == "whole");
    CHECK(text.empty());
}
