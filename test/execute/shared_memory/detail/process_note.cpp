#include "collsched/execute/shared_memory/detail/process_note.hpp"

#include <doctest/doctest.h>

using namespace collsched;
using namespace collsched::detail;

static_assert(process_note::small == 1 && process_note::announce == 2 && process_note::request == 3 &&
              process_note::part == 4 && process_note::reply == 5 && process_note::take_back == 6 &&
              process_note::matched == 7);
static_assert(ring_memory::room(sizeof(process_label) + 8) == 64,
              "8 bytes of a message are in one line with the notice");

TEST_CASE("process_label: the description of a small message is that of an envelope without memory") {
    const process_envelope about = process_label{3, 4, 77}.envelope(5, 16);
    CHECK((about.channel == 3 && about.sequence == 4 && about.fingerprint == 77 && about.epoch == 5));
    CHECK((about.size == 16 && about.where.parts == 0 && about.where.id == 0));
    CHECK(about.name(9) == message_name{9, 3, 5, 4});
}
