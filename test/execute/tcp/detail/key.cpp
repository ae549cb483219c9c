#include "collsched/execute/tcp/detail/key.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "test/execute/tcp/keyed_group.hpp"

using namespace collsched;
using namespace support;

TEST_CASE("tcp_key: a file must be regular, of 16 to 4096 bytes, and readable by its user alone") {
    const char* const folder = std::getenv("TEST_TMPDIR");
    const std::string path = std::string(folder != nullptr ? folder : "/tmp") + "/key_of_tcp_key_test";
    detail::tcp_key key;
    const auto problem = [&](std::size_t size, mode_t mode) {
        std::remove(path.c_str());
        std::ofstream(path) << std::string(size, 'k');
        CHECK(chmod(path.c_str(), mode) == 0);
        return key.read(path);
    };
    for (const mode_t mode : {0640u, 0604u, 0660u, 0610u, 0777u})
        CHECK(problem(32, mode) == "got " + path + " with rights of group or others, expected mode 0600 or 0400");
    for (const std::size_t size : {0u, 1u, 15u, 4097u, 100'000u}) {
        const std::string text = size > 4096 ? "4097 or more" : std::to_string(size);
        CHECK(problem(size, 0600) == "got " + path + " of " + text + " bytes, expected 16..4096");
    }
    CHECK(key.empty());
    for (const std::size_t size : {16u, 4096u}) {
        CHECK(problem(size, 0600).empty());
        CHECK(key.bytes().size() == size);
        CHECK(key.bytes().back() == std::byte{'k'});
    }
    CHECK(problem(20, 0400).empty());
    std::remove(path.c_str());
    CHECK(key.read(path) == "got " + path + " (No such file or directory), expected a readable file");
    CHECK(mkfifo(path.c_str(), 0600) == 0);
    CHECK(key.read(path) == "got " + path + ", expected a regular file");
    std::remove(path.c_str());
    CHECK(tcp_transport(0, "127.0.0.1:0", {.key = key_of(15)}).error() == tcp_transport::errors::bad_key);
    CHECK(tcp_transport(0, "127.0.0.1:0", {.key = key_of(4097)}).error() == tcp_transport::errors::bad_key);
}
