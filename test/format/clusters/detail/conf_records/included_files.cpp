#include "collsched/format/clusters/detail/conf_records.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "support/refusal.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

/// A folder that is removed with the test.
class passing_folder {
  public:
    passing_folder()
        : path_(std::filesystem::temp_directory_path() / fmt::format("collsched_include_{}_{}", getpid(), number++)) {
        std::filesystem::create_directories(path_ / "sub");
    }
    ~passing_folder() { std::filesystem::remove_all(path_); }
    passing_folder(const passing_folder&) = delete;
    passing_folder& operator=(const passing_folder&) = delete;

    const passing_folder& put(const std::string& name, std::string_view content) const {
        std::ofstream(path_ / name, std::ios::binary) << content;
        return *this;
    }
    text_file join(const std::string& name = "top") const {
        text_file file = read_text_file(path_ / name);
        file.name = name;
        return join_included_files(std::move(file), path_ / name);
    }
    std::string refusal(const std::string& name = "top") const {
        std::string line = support::refusal_of([&] { (void)conf_records(join(name)); });
        for (std::size_t at; (at = line.find(path_.string() + "/")) != line.npos;)
            line.erase(at, path_.string().size() + 1);
        return line;
    }
    const std::filesystem::path& path() const { return path_; }

  private:
    static inline int number = 0;
    std::filesystem::path path_;
};

constexpr std::string_view inside = ", expected a file in the folder of this one or below it";

}  // namespace

TEST_CASE("join_included_files: the content of a file is in the place of its include line") {
    const passing_folder folder;
    folder.put("top", "A=1\n  Include\tsub/one  # first\nB=2\nINCLUDE two\n")
        .put("sub/one", "C=1\ninclude three")
        .put("sub/three", "D=1")
        .put("two",
             "\xEF\xBB\xBF"
             "E=1\r\n");
    CHECK(folder.join().text == "A=1\nC=1\nD=1\nB=2\nE=1\r\n");
    CHECK(folder.join("two").text == "E=1\r\n");
}

TEST_CASE("join_included_files: a record ends with its file and may continue before an include line") {
    const passing_folder folder;
    folder.put("top", "include one\nB=2 \\\ninclude=one\n").put("one", "A=1 \\\n");
    CHECK(conf_records(folder.join()).size() == 2);
    folder.put("top", "A=1 \\\ninclude one\n");
    CHECK(folder.refusal() == "top:2: got \"include\", expected KEY=VALUE");
    folder.put("top", "include one \\\nA=1\n");
    CHECK(folder.refusal() == "top:1: got an include line that continues, expected include FILE in one line");
}

TEST_CASE("join_included_files: a mistake is named by the file and the line where it was made") {
    const passing_folder folder;
    folder.put("top", "A=1\ninclude one\nwrong\n").put("one", "B=2\n\n");
    CHECK(folder.refusal() == "top:3: got \"wrong\", expected KEY=VALUE");
    folder.put("one", "B=2\ninclude two\n").put("two", "\n\nC=1 bad");
    CHECK(folder.refusal() == "two:3: got \"bad\", expected KEY=VALUE");
    folder.put("two", "C=1").put("one", "include two\nbad\n");
    CHECK(folder.refusal() == "one:2: got \"bad\", expected KEY=VALUE");
}

TEST_CASE("join_included_files: files outside of the folder, folders and missing files are rejected") {
    const passing_folder folder;
    const auto refused = [&](std::string_view name, std::string_view what) {
        folder.put("sub/top", "\ninclude " + std::string(name) + "\n");
        CHECK(folder.refusal("sub/top") ==
              "sub/top:2: include: got \"" + std::string(name) + "\"" + std::string(what) + std::string(inside));
    };
    folder.put("secret", "A=1");
    refused("../secret", "");
    refused("x/../../secret", "");
    refused("/etc/hostname", "");
    refused("", "");
    refused("missing", ", which is no file");
    refused(".", ", which is no file");
    std::filesystem::create_symlink("/dev/zero", folder.path() / "sub/endless");
    refused("endless", ", which is no file");
}

TEST_CASE("join_included_files: circles, many levels and many files are rejected") {
    const passing_folder folder;
    folder.put("top", "include top");
    CHECK(folder.refusal() ==
          "top:1: include: got \"top\", which includes itself, expected files that do not include themselves");
    folder.put("top", "include sub/../one");
    CHECK(folder.refusal().starts_with("top:1: include: got \"sub/../one\", expected "));
    folder.put("top", "include one").put("one", "A=1\ninclude ./top");
    CHECK(folder.refusal() ==
          "one:2: include: got \"./top\", which includes itself, expected files that do not include themselves");
    for (int i = 0; i < 9; ++i) folder.put("f" + std::to_string(i), "include f" + std::to_string(i + 1));
    folder.put("f7", "A=1");
    CHECK(folder.join("f0").text == "A=1\n");
    folder.put("f7", "include f8").put("f8", "A=1");
    CHECK(folder.refusal("f0") == "f0: got more levels of included files, expected at most 8");
    std::string twice;
    for (int i = 0; i < 20; ++i) twice += "include b\n";
    std::string thrice;
    for (int i = 0; i < 20; ++i) thrice += "include c\n";
    std::string leaves;
    for (int i = 0; i < 20; ++i) leaves += "include d\n";
    folder.put("top", twice).put("b", thrice).put("c", leaves).put("d", "");
    CHECK(folder.refusal().ends_with("include: got \"d\", expected at most 1000 files"));
}

TEST_CASE("join_included_files: a path that is no file includes nothing") {
    const text_file text{"/dev/stdin", "include one"};
    CHECK(join_included_files(text, "/dev/stdin").text == "include one");
    CHECK(join_included_files(text, "/dev/../dev/fd/0").text == "include one");
    CHECK(join_included_files(text, "/nowhere/at/all").text == "include one");
}
