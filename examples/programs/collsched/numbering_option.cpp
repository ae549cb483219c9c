#include "numbering_option.hpp"

#include <string>

#include <fmt/format.h>

#include "options.hpp"
#include "usage_error.hpp"

using namespace collsched;

given_numbering read_numbering(const std::string& text, rank_t ranks, const std::optional<given_network>& network) {
    if (text == cycle_numbering) {
        if (!network) throw usage_error::missing("--network", "the file of the network for --numbering cycle");
        return {text, network->cycle()};
    }
    given_numbering read{text, permutation(read_list("--numbering", text, 0))};
    if (read.order.check(ranks))
        throw usage_error("--numbering", text, fmt::format("cycle, or each of 0..{} once", ranks - 1));
    return read;
}

bool takes_numbering(const algorithm_entry& entry) {
    if (entry.takes(&shape::neighbors) || entry.takes(&shape::order) || entry.takes(&shape::cluster) ||
        entry.takes(&shape::forest) || entry.takes(&shape::transfers))
        return false;
    return entry.info.collective != collective::scan && entry.info.collective != collective::exscan;
}

bool is_along_ranks(const any_schedule& s) {
    if (s.check()) return false;
    bool all = true, any = false;
    for (rank_t r = 0; r < s.ranks && all; ++r)
        for (step_t k = s.next(r, 0); k < s.steps() && all; k = s.next(r, k + 1))
            s.sends(r, k, [&](const edge& e) {
                if (e.is_local()) return;
                const rank_t ahead = e.dst > e.src ? e.dst - e.src : e.dst - e.src + s.ranks;
                any = true;
                all = all && (ahead == 1 || ahead == s.ranks - 1);
            });
    return any && all;
}
