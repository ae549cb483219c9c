#include "collsched/execute/shared_memory/detail/note.hpp"

#include <doctest/doctest.h>

using namespace collsched;
using namespace collsched::detail;

static_assert(message_note::small == 1 && message_note::announce == 2 && message_note::request == 3 &&
              message_note::part == 4 && message_note::reply == 5 && message_note::take_back == 6 &&
              message_note::matched == 7);
static_assert(ring_memory::room(sizeof(message_label) + 8) == 64,
              "8 bytes of a message are in one line with the notice");

TEST_CASE("message_label: the description of a small message is that of an envelope without memory") {
    const message_envelope about = message_label{3, 4, 77}.envelope(5, 16);
    CHECK((about.channel == 3 && about.sequence == 4 && about.fingerprint == 77 && about.epoch == 5));
    CHECK((about.size == 16 && about.where.parts == 0 && about.where.id == 0));
    CHECK(about.name(9) == message_name{9, 3, 5, 4});
}
