#include "collsched/execute/shared_memory/process_group.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <string>
#include <thread>

#include "support/processes.hpp"

using namespace collsched;
using namespace collsched::detail;
using namespace std::chrono_literals;

namespace {

/// A name of this test run's own.
std::string fresh_name() {
    static int number = 0;
    return "/collsched-test-" + std::to_string(::getpid()) + "-" + std::to_string(++number);
}
bool is_there(const std::string& name) {
    const open_file file(::shm_open(name.c_str(), O_RDWR, 0));
    return file.is_open();
}
std::string text_of(const process_group::join_error& error) {
    return error ? std::string(error.object) + ": " + std::to_string(error.number) : "";
}

}  // namespace

TEST_CASE("process_group: processes join by name, and the name is removed when all have joined") {
    for (const rank_t p : {1, 2, 4}) {
        const std::string name = fresh_name();
        const auto meet = [&](rank_t r) -> std::string {
            process_group group;
            if (const process_group::join_error wrong = group.join(name.c_str(), p, r)) return text_of(wrong);
            if (const process_group::join_error wrong = group.wait_for_all(30s)) return text_of(wrong);
            return is_there(name) ? "the name is still there" : "";
        };
        CHECK(support::run_processes_of(p, meet) == "");
        CHECK(!is_there(name));
    }
}

TEST_CASE("process_group: a name can be used for consecutive groups") {
    const std::string name = fresh_name();
    const auto meet = [&](rank_t r) -> std::string {
        for (int round = 0; round < 50; ++round) {
            process_group group;
            if (const process_group::join_error wrong = group.join(name.c_str(), 3, r)) return text_of(wrong);
            if (const process_group::join_error wrong = group.wait_for_all(30s)) return text_of(wrong);
        }
        return "";
    };
    CHECK(support::run_processes_of(3, meet) == "");
    CHECK(!is_there(name));
}

TEST_CASE("process_group: wrong parameters are rejected") {
    const std::string name = fresh_name();
    process_group group;
    CHECK(group.join(name.c_str(), 0, 0).number == EINVAL);
    CHECK(group.join(name.c_str(), 2, 2).number == EINVAL);
    CHECK(group.join(name.c_str(), 2, -1).number == EINVAL);
    CHECK(group.join(name.c_str(), 2, 0, {.ring_bytes = 3000}).number == EINVAL);
    CHECK(group.join(name.c_str(), 2, 0, {.ring_bytes = 512}).number == EINVAL);
    CHECK(group.join("/no/such/name", 2, 0).number != 0);
    CHECK(group.join(name.c_str(), 1 << 15, 0, {.ring_bytes = 1 << 30}).number != 0);
    CHECK(group.wait_for_all(1ms).number == EINVAL);
    CHECK(!is_there(name));
}

TEST_CASE("process_group: an occupied rank or different parameters are rejected without effect on the group") {
    const std::string name = fresh_name();
    process_group zero, other, one;
    REQUIRE(!zero.join(name.c_str(), 2, 0));
    CHECK(other.join(name.c_str(), 2, 0).number == EEXIST);
    CHECK(other.join(name.c_str(), 3, 1).number == EPROTO);
    CHECK(other.join(name.c_str(), 2, 1, {.ring_bytes = 1024}).number == EPROTO);
    CHECK(zero.wait_for_all(20ms).number == ETIMEDOUT);
    REQUIRE(!one.join(name.c_str(), 2, 1));
    CHECK(!zero.wait_for_all(0ms));
    CHECK(!is_there(name));
}

TEST_CASE("process_group: a group in a room from before the fork has no name") {
    const process_group::anonymous_segment room;
    const auto meet = [&](rank_t r) -> std::string {
        process_group group;
        if (const process_group::join_error wrong = group.join(room, 3, r)) return text_of(wrong);
        return text_of(group.wait_for_all(30s));
    };
    CHECK(support::run_processes_of(3, meet) == "");
}

TEST_CASE("process_group: a name that remains after a crash is reused") {
    const std::string name = fresh_name();
    const auto join_and_die = [&](rank_t r) -> std::string {
        process_group group;
        if (const process_group::join_error wrong = group.join(name.c_str(), 3, r)) return text_of(wrong);
        ::raise(SIGKILL);
        return "";
    };
    CHECK(support::run_processes_of(2, join_and_die).find("killed by signal 9") != std::string::npos);
    CHECK(is_there(name));
    process_group zero, one;
    REQUIRE(!zero.join(name.c_str(), 2, 0));  // also with another number of ranks
    REQUIRE(!one.join(name.c_str(), 2, 1));
    CHECK(!zero.wait_for_all(0ms));
    CHECK(!is_there(name));
}

TEST_CASE("process_group: a group that lost a rank before all had joined is replaced by a new one") {
    const std::string name = fresh_name();
    process_group waiting;
    REQUIRE(!waiting.join(name.c_str(), 3, 0));
    CHECK(support::run_processes_of(1, [&](rank_t) -> std::string {
              process_group group;
              if (const process_group::join_error wrong = group.join(name.c_str(), 3, 1)) return text_of(wrong);
              ::raise(SIGKILL);
              return "";
          }).find("killed") != std::string::npos);
    CHECK(waiting.wait_for_all(10s).number == EPIPE);
    process_group again;
    CHECK(!again.join(name.c_str(), 3, 0));
    again.leave();
    CHECK(!is_there(name));
}

TEST_CASE("process_group: a rank that leaves before all have joined removes the name, but not that of a new group") {
    const std::string name = fresh_name();
    process_group first, second;
    REQUIRE(!first.join(name.c_str(), 2, 0));
    first.leave();
    CHECK(!is_there(name));
    REQUIRE(!first.join(name.c_str(), 2, 0));
    ::shm_unlink(name.c_str());
    REQUIRE(!second.join(name.c_str(), 2, 0));
    first.leave();
    CHECK(is_there(name));
}

TEST_CASE("process_group: a dead process is detected at once, even as a zombie, and differs from one that left") {
    const process_group::anonymous_segment room;
    process_group group;
    REQUIRE(!group.join(room, 4, 0));
    support::rank_processes others(3, [&](rank_t r) -> std::string {
        process_group own;
        if (const process_group::join_error wrong = own.join(room, 4, r + 1)) return text_of(wrong);
        for (int i = 0; r < 2 && i < 500; ++i) own.segment().member(3).sleeper.wake();
        if (r == 2) return "";
        for (;;) ::pause();
    });
    while (group.segment().member(3).sleeper.count() < 2000 || group.state(3) != process_member::departed) {}
    group.find_dead();
    CHECK(group.state(1) == process_member::present);
    const std::uint32_t seen = group.wakeups();
    ::kill(others.pid(0), SIGKILL);
    for (int i = 0; i < 1000 && group.state(1) != process_member::died; ++i) {
        group.sleep(group.wakeups(), 1ms, [] { return false; });
        group.find_dead();
    }
    CHECK(group.state(1) == process_member::died);
    CHECK(group.state(2) == process_member::present);
    CHECK(group.state(3) == process_member::departed);
    CHECK(group.wakeups() != seen);
    ::kill(others.pid(1), SIGKILL);
}

TEST_CASE("process_group: a file of another user ends the join with an error and is not removed") {
    if (!support::may_act_as_others()) {
        MESSAGE("skipped: this process may not act as another user");
        return;
    }
    for (const bool in_use : {false, true}) {
        const std::string name = fresh_name(), file = "/dev/shm" + name;
        support::rank_processes owner(1, [&](rank_t) -> std::string {
            process_group group;
            if (!support::become(support::some_user) || group.join(name.c_str(), 2, 1)) return "not joined";
            if (::chmod(file.c_str(), 0666) != 0) return "chmod";
            if (!in_use) ::_exit(0);
            for (;;) ::pause();
        });
        if (!in_use) owner.faults();
        struct stat found{};
        for (int tries = 0; ::stat(file.c_str(), &found) != 0 || (found.st_mode & 0777) != 0666; ++tries) {
            REQUIRE(tries < 10'000);
            std::this_thread::sleep_for(1ms);
        }
        for (const uid_t user : {uid_t{0}, support::other_user})
            CHECK(support::run_processes_of(1, [&](rank_t) -> std::string {
                      process_group group;
                      if (user != 0 && !support::become(user)) return "setresuid";
                      const process_group::join_error wrong = group.join(name.c_str(), 2, 0, {}, 100ms);
                      return wrong.number == EPERM ? "" : "error " + std::to_string(wrong.number);
                  }) == "");
        CHECK((::stat(file.c_str(), &found) == 0 && found.st_uid == support::some_user));
        if (in_use) ::kill(owner.pid(0), SIGKILL);
        owner.faults();
        ::unlink(file.c_str());
    }
}

TEST_CASE("process_group: a file that is no segment or that other users may open ends the join with an error") {
    const std::string name = fresh_name();
    const bytes_t size = process_segment::bytes(2, 131072);
    for (const bytes_t length : {bytes_t{1}, bytes_t{127}, size - 1, size, size + 1}) {
        const open_file file(::shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
        REQUIRE(file.is_open());
        REQUIRE(::ftruncate(file.number(), length) == 0);
        REQUIRE(file.lock(1) == 0);  // in use
        process_group group;
        CHECK(group.join(name.c_str(), 2, 1, {}, 100ms).number == EPROTO);
        REQUIRE(::fchmod(file.number(), 0644) == 0);
        CHECK(group.join(name.c_str(), 2, 1, {}, 100ms).number == EPERM);
        CHECK(::shm_unlink(name.c_str()) == 0);
    }
}

TEST_CASE("process_group: a ring has 128 KiB in groups of up to 8 ranks, 32 KiB in larger ones, or ring_bytes") {
    const auto ring_of = [](rank_t ranks, bytes_t wanted) {
        process_group group;
        const process_group::anonymous_segment room;
        REQUIRE(!group.join(room, ranks, 0, {.ring_bytes = wanted}));
        return group.ring_bytes();
    };
    CHECK(ring_of(1, 0) == 131072);
    CHECK(ring_of(8, 0) == 131072);
    CHECK(ring_of(9, 0) == 32768);
    CHECK(ring_of(9, 4096) == 4096);
}

TEST_CASE("process_group: a join that another process blocks ends at its timeout") {
    const std::string name = fresh_name();
    const open_file file(::shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
    REQUIRE(file.lock(0) == 0);
    process_group group;
    CHECK(group.join(name.c_str(), 2, 0, {}, 20ms).number == ETIMEDOUT);
    CHECK(::shm_unlink(name.c_str()) == 0);
    CHECK(!group.join(name.c_str(), 1, 0, {}, forever));
}

TEST_CASE("process_group: the memory of a room cannot be truncated after the first join") {
    const process_group::anonymous_segment room, tampered;
    process_group group;
    REQUIRE(!group.join(room, 2, 0));
    CHECK(::ftruncate(room.reopen().number(), 0) != 0);
    REQUIRE(::fcntl(tampered.reopen().number(), F_ADD_SEALS, F_SEAL_SEAL) == 0);  // takes no seals any more
    CHECK(group.join(tampered, 2, 0).number == EPERM);
}
