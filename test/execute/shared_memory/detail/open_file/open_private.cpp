#include "collsched/execute/shared_memory/detail/open_file.hpp"

#include <doctest/doctest.h>

#include <string>

#include "support/processes.hpp"

using namespace collsched;
using namespace collsched::detail;

namespace {

using support::other_user, support::some_user;

/// The name of a shared memory object, and its file; gone at the end.
struct test_name {
    test_name() : name("/collsched-private-" + std::to_string(::getpid())), file("/dev/shm" + name) {}
    ~test_name() { ::unlink(file.c_str()), ::rmdir(file.c_str()); }

    int open() const {
        open_file opened;
        return open_private(name.c_str(), opened).number;
    }
    /// The result of opening the name in a process of another user.
    int open_as(uid_t user) const {
        support::rank_processes one(
            1, [&](rank_t) -> std::string { return support::become(user) ? std::to_string(open()) : "-1"; });
        return std::stoi(one.faults()[0]);
    }
    void make(mode_t mode, uid_t user) const {
        const open_file made(::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
        REQUIRE(made.is_open());
        REQUIRE(::fchmod(made.number(), mode) == 0);
        REQUIRE((user == ::geteuid() || ::fchown(made.number(), user, user) == 0));
    }

    std::string name, file;
};

}  // namespace

TEST_CASE("open_private: a name is created for this user only, and can be opened again") {
    const test_name name;
    const mode_t before = ::umask(0);
    CHECK(name.open() == 0);
    ::umask(before);
    struct stat found{};
    REQUIRE(::stat(name.file.c_str(), &found) == 0);
    CHECK((found.st_mode & 07777) == 0600);
    CHECK(name.open() == 0);
    open_file opened;
    CHECK(open_private(name.name.c_str(), opened).number == 0);
    struct stat held{};
    REQUIRE(opened.is_open());
    CHECK((::fstat(opened.number(), &held) == 0 && held.st_ino == found.st_ino));
}

TEST_CASE("open_private: a file that other users may open is rejected") {
    for (const mode_t mode : {0700U, 0600U, 0601U, 0604U, 0620U, 0606U, 0660U, 0666U, 0777U}) {
        const test_name name;
        name.make(mode, ::geteuid());
        CHECK(name.open() == (mode == 0600 || mode == 0700 ? 0 : EPERM));
    }
}

TEST_CASE("open_private: a directory, or a file with a second name, is not opened") {
    {
        const test_name name;
        REQUIRE(::mkfifo(name.file.c_str(), 0600) == 0);
        CHECK(name.open() == EPERM);
    }
    {
        const test_name name;
        REQUIRE(::mkdir(name.file.c_str(), 0700) == 0);
        CHECK(name.open() != 0);
    }
    const test_name name;
    const std::string other = name.file + "-other";
    {
        const open_file target(::open(other.c_str(), O_RDWR | O_CREAT, 0600));
        REQUIRE(target.is_open());
    }
    CHECK(::symlink(other.c_str(), name.file.c_str()) == 0);
    CHECK(name.open() == ELOOP);
    CHECK(::unlink(name.file.c_str()) == 0);
    CHECK(::link(other.c_str(), name.file.c_str()) == 0);
    CHECK(name.open() == EPERM);
    CHECK(::unlink(other.c_str()) == 0);
    CHECK(name.open() == 0);
}

TEST_CASE("open_private: a file of another user is rejected with any mode, even for root") {
    if (!support::may_act_as_others()) {
        MESSAGE("skipped: this process may not act as another user");
        return;
    }
    for (const mode_t mode : {0600U, 0666U}) {
        const test_name name;
        name.make(mode, some_user);
        CHECK(name.open() == EPERM);
        CHECK(name.open_as(some_user) == (mode == 0600 ? 0 : EPERM));
        CHECK(name.open_as(other_user) == (mode == 0600 ? EACCES : EPERM));
    }
}
