#include "support/allreduces.hpp"

#include "support/verified.hpp"

namespace support {

void check_right(const some_schedule& x, const contract& contract) {
    check_proved(x, contract);
    for (const binding binding : {binding::separate, binding::in_place}) {
        INFO("p=", contract.ranks, " bytes=", contract.bytes, " element=", contract.element,
             binding == binding::in_place ? " in place" : "");
        if (contract.element % 8 == 0 && (contract.ranks <= 40 || binding == binding::in_place))
            CHECK(wrong_bits(x, binding) == "");
    }
}

void check_traffic(const some_schedule& x, step_t rounds, bytes_t least, bytes_t most) {
    const metrics_report m = measured(x);
    CHECK(m.rounds == rounds);
    for (rank_t r = 0; r < m.ranks; ++r)
        for (const bytes_t bytes : {m.bytes_sent[r], m.bytes_received[r]}) {
            CHECK(bytes >= least);
            CHECK(bytes <= most);
        }
}

void check_pairs_folded(const some_schedule& x, rank_t p, bytes_t bytes, step_t rounds, bytes_t least, bytes_t most) {
    const rank_t n = floor_power_of_two(p), guests = p - n;
    const metrics_report m = measured(x);
    CHECK(m.rounds == rounds + (guests > 0 ? 2 : 0));
    for (rank_t r = 0; r < p; ++r) {
        const bool guest = r < 2 * guests && r % 2 == 1, has_guest = r < 2 * guests && r % 2 == 0;
        for (const bytes_t here : {m.bytes_sent[r], m.bytes_received[r]}) {
            CHECK(here >= (guest ? 0 : least) + (guest || has_guest ? bytes : 0));
            CHECK(here <= (guest ? 0 : most) + (guest || has_guest ? bytes : 0));
        }
    }
}

}  // namespace support
