#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "test/execute/tcp/hostile_peer.hpp"

namespace support {

using namespace collsched;
using namespace collsched::detail::tcp;

/// A program that listens, accepts one connection after another, and treats all alike.
struct false_listener {
    explicit false_listener(std::function<void(hostile_peer&)> treat) : fd(socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in at{.sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
        socklen_t length = sizeof at;
        REQUIRE(bind(fd, reinterpret_cast<const sockaddr*>(&at), length) == 0);
        REQUIRE(listen(fd, 100) == 0);
        REQUIRE(getsockname(fd, reinterpret_cast<sockaddr*>(&at), &length) == 0);
        address = "127.0.0.1:" + std::to_string(ntohs(at.sin_port));
        taker = std::jthread([this, treat] {
            for (int taken = 0; (taken = accept(fd, nullptr, nullptr)) >= 0;) {
                taken_ones.emplace_back(taken);
                treat(taken_ones.back());
            }
        });
    }
    ~false_listener() {
        shutdown(fd, SHUT_RDWR);
        taker.join();
        close(fd);
    }
    int fd;
    std::string address;
    std::vector<hostile_peer> taken_ones;
    std::jthread taker;
};

}  // namespace support
