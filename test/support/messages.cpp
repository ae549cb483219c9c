#include "support/messages.hpp"

#include <doctest/doctest.h>

#include "support/oracle.hpp"
#include "support/verified.hpp"

namespace support {

std::vector<message_size> message_sizes(rank_t p) {
    std::vector<message_size> made;
    rank_t turn = 0;
    for (const bytes_t element : {1, 3, 8, 16, 24})
        if (p <= 16 || p % 5 == turn++)
            for (const bytes_t count : {bytes_t{0}, bytes_t{1}, p / 2, 2 * p + 3})
                if (p <= 16 || count > 1) made.push_back({count * element, element});
    return made;
}

void check_proved(const some_schedule& x, const contract& contract) {
    CHECK(x.contract() == contract);
    const bytes_t all = contract.ranks * (contract.bytes + contract.layout().prefix(contract.ranks));
    for (const binding binding : {binding::separate, binding::in_place}) {
        INFO("p=", contract.ranks, " root=", contract.root, " bytes=", contract.bytes, " element=", contract.element,
             binding == binding::in_place ? " in place" : "");
        CHECK(verified(x, binding) == verdict{});
        if (all <= 400) CHECK(replays(x, binding));
    }
}

std::vector<rank_t> roots_of(rank_t p) {
    std::vector<rank_t> tried{0, p / 2, p - 1};
    if (p > 9) return tried;
    tried.clear();
    for (rank_t root = 0; root < p; ++root) tried.push_back(root);
    return tried;
}

}  // namespace support
