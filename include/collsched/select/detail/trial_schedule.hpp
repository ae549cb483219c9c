#pragma once

#include <cstdint>
#include <utility>

#include "collsched/collective/algorithm_list.hpp"
#include "collsched/collective/make_numbered.hpp"
#include "collsched/core/argument_error.hpp"
#include "collsched/schedule/any_schedule.hpp"
#include "collsched/schedule/fingerprint.hpp"
#include "collsched/select/choice.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// A schedule that a search considers.
struct trial_schedule {
    any_schedule schedule;
    argument_error error;
    std::int64_t messages;
    std::uint64_t hash;  // of all that a price depends on
};

/// Returns the schedule of an algorithm for a request; with an error if it cannot serve it, or has too many edges. O(edges)
/// up to the request's limit.
inline trial_schedule make_trial(const algorithm_entry& entry, const shape& parameters,
                                 const choice::request& request) {
    trial_schedule trial{make_numbered(entry, parameters), {}, 0, 0};
    const any_schedule& s = trial.schedule;
    if ((trial.error = check_schedule(s, request))) return trial;
    description_hash hash;
    hash(s.pacing().window);
    std::int64_t edges = 0;
    for (rank_t r = 0; r < s.ranks && edges <= request.edge_limit; ++r) {
        hash(s.staging(r));
        for (step_t k = s.next(r, 0); k < s.steps() && edges <= request.edge_limit; k = s.next(r, k + 1)) {
            rank_t receiver = r;
            s.sends(r, k, [&](const edge& e) {
                hash(e);
                ++edges;
                if (std::exchange(receiver, e.dst) != e.dst) ++trial.messages;
            });
        }
    }
    trial.hash = hash.value();
    if (edges > request.edge_limit) trial.error = {"edges", edges, "a schedule with fewer"};
    return trial;
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
