#include "collsched/execute/mock_network/detail/mock_message.hpp"

#include <doctest/doctest.h>

#include <array>
#include <vector>

using namespace collsched;
using namespace collsched::detail;

namespace {

using end = mock_message::end;

/// Cuts memory into parts of these sizes.
template <class Part, class Byte>
std::vector<Part> cut(Byte* data, const std::vector<bytes_t>& sizes) {
    std::vector<Part> made;
    for (const bytes_t size : sizes) {
        made.push_back({data, size});
        data += size;
    }
    return made;
}

}  // namespace

TEST_CASE("mock_message: bytes arrive in order for any division into parts, eager or not") {
    const std::vector<std::vector<bytes_t>> cuts{{12}, {1, 11}, {5, 0, 7}, {0, 3, 3, 3, 3, 0}, {11, 1}};
    for (const auto& sent : cuts)
        for (const auto& received : cuts)
            for (const bool eager : {false, true}) {
                std::array<std::byte, 12> out{}, in{};
                for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>(i + 1);
                const std::vector<message::send_part> from = cut<message::send_part>(out.data(), sent);
                const std::vector<message::receive_part> into = cut<message::receive_part>(in.data(), received);
                mock_message both{.send = {.sends = true, .from = from}, .receive = {.into = into}};
                const std::array<std::byte, 12> before = out;
                if (eager) {
                    both.send.take();
                    out.fill(std::byte{0});
                }
                REQUIRE(both.has_one_size());
                both.carry();
                CHECK(in == before);
            }
}

TEST_CASE("mock_message: a message without bytes may have no parts or empty parts") {
    const std::vector<message::receive_part> into{{nullptr, 0}, {nullptr, 0}};
    mock_message both{.send = {.sends = true}, .receive = {.into = into}};
    CHECK(both.has_one_size());
    both.carry();
    both.send.take();
    CHECK(both.has_one_size());
    both.carry();
}

TEST_CASE("mock_message: ends match if ranks, channel, epoch and sequence are equal") {
    const end send{.rank = 2, .key = {.peer = 5, .channel = 1, .epoch = 3, .sequence = 4}, .sends = true};
    const end receive{.rank = 5, .key = {.peer = 2, .channel = 1, .epoch = 3, .sequence = 4}};
    CHECK((send.meets(receive) && receive.meets(send)));
    std::vector<end> others(5, receive);
    others[0].rank = 4;
    others[1].key.peer = 3;
    others[2].key.channel = 0;
    others[3].key.epoch = 4;
    others[4].key.sequence = 3;
    for (const end& other : others) CHECK(!send.meets(other));
}

TEST_CASE("mock_message: noise changes the memory of the receive and no byte outside") {
    std::array<std::byte, 66> in{};
    const std::vector<message::receive_part> into{{in.data() + 1, 64}};
    detail::splitmix64 random(1);
    end{.into = into}.spoil(random);
    int changed = 0;
    for (const std::byte one : in) changed += one == std::byte{0} ? 0 : 1;
    CHECK(changed > 32);
    CHECK((in[0] == std::byte{0} && in[65] == std::byte{0}));
}

TEST_CASE("mock_message: defaults, and sizes of both ends") {
    const mock_message none;
    CHECK((none.number == 0 && none.arrival == 0 && none.send.rank == 0 && !none.send.sends && !none.send.eager));
    CHECK((mock_victim().rank == -1 && !mock_victim().sends));
    std::array<std::byte, 12> bytes{};
    const std::vector<message::send_part> from{{bytes.data(), 5}, {bytes.data(), 4}};
    const std::vector<message::receive_part> into{{bytes.data(), 3}, {bytes.data(), 7}};
    end send{.sends = true, .from = from};
    CHECK(send.bytes() == 9);
    CHECK(end{.into = into}.bytes() == 10);
    CHECK_FALSE(mock_message{.send = send, .receive = {.into = into}}.has_one_size());
    send.take();
    CHECK((send.bytes() == 9 && send.eager && send.from.empty()));
}
