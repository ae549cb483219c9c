#include "collsched/execute/tcp/detail/frame.hpp"

#include <doctest/doctest.h>

#include <utility>

using namespace collsched;
using namespace collsched::detail::tcp;

TEST_CASE("frame: with_kind keeps all fields but the type and the error") {
    const frame request{frame_kind::request, 0, 1, 2, 3, 4, 5, 6};
    const frame reply = with_kind(frame_kind::refused, request, 7);
    CHECK(reply == frame{frame_kind::refused, 7, 1, 2, 3, 4, 5, 6});
    CHECK(with_kind(frame_kind::request, reply) == request);
    CHECK(name_of(reply) == message_name{2, 3, 4});
}

TEST_CASE("frame: a hello has the rank, the number of ranks, the job and the number of requests") {
    const frame hello = hello_of(1, 3, 77, 10);
    CHECK(hello == frame{frame_kind::hello, 0, hello_mark, 77, 0, 1, 10, 3});
    CHECK(hello_of(1, 3, 77).fingerprint == detail::tcp_options::most_requests);
}

TEST_CASE("append_parts: appends what remains after a position, without empty parts, up to a number of buffers") {
    std::byte bytes[10]{};
    const message::send_part parts[] = {{bytes, 0}, {bytes, 4}, {bytes + 4, 0}, {bytes + 4, 6}};
    detail::part_cursor<message::send_part> position(parts);
    position.skip(1);
    using buffer = std::pair<const std::byte*, std::size_t>;
    std::vector<buffer> buffers;
    CHECK(append_parts(position, buffers, 2));
    CHECK(buffers == std::vector<buffer>{{bytes + 1, 3}, {bytes + 4, 6}});
    buffers.clear();
    CHECK(!append_parts(position, buffers, 1));
    CHECK(buffers == std::vector<buffer>{{bytes + 1, 3}});
    position.skip(9);
    CHECK(append_parts(position, buffers, 0));
}
