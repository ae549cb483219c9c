#include "collsched/execute/tcp/detail/readiness.hpp"

#include <doctest/doctest.h>

#include <poll.h>
#include <sys/socket.h>

using namespace collsched::detail::tcp;

namespace {

bool is_readable(int descriptor) {
    pollfd entry{.fd = descriptor, .events = POLLIN, .revents = 0};
    return ::poll(&entry, 1, 0) == 1;
}

}  // namespace

TEST_CASE("readiness: readable while raised, and has no effect before it is open") {
    readiness ready;
    ready.raise(true);
    CHECK(ready.descriptor() == -1);
    CHECK(!ready.add(0));
    REQUIRE(ready.open());
    CHECK(!is_readable(ready.descriptor()));
    ready.raise(true);
    CHECK(is_readable(ready.descriptor()));
    ready.raise(false);
    CHECK(!is_readable(ready.descriptor()));
    ready.close();
    CHECK(!ready.is_open());
}

TEST_CASE("readiness: readable while a socket can be read, or written where that is watched") {
    int sockets[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    readiness ready;
    REQUIRE(ready.open());
    CHECK(ready.add(sockets[0]));
    CHECK(!is_readable(ready.descriptor()));
    ready.watch_writes(sockets[0], true);
    CHECK(is_readable(ready.descriptor()));
    ready.watch_writes(sockets[0], false);
    CHECK(!is_readable(ready.descriptor()));
    CHECK(::write(sockets[1], "x", 1) == 1);
    CHECK(is_readable(ready.descriptor()));
    ready.remove(sockets[0]);
    CHECK(!is_readable(ready.descriptor()));
    for (const int socket : sockets) ::close(socket);
}
