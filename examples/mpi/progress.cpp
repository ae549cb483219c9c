#include "progress.hpp"

#include <algorithm>
#include <vector>

#include "communicator_state.hpp"
#include "never_destroyed.hpp"
#include "requests.hpp"

namespace collsched::preload {

namespace {
constinit never_destroyed<std::vector<std::shared_ptr<communicator_state>>> watched;
}

void watch(communicator_state& one) {
    const std::shared_ptr<communicator_state> held = one.shared_from_this();
    if (std::find(watched->begin(), watched->end(), held) == watched->end()) watched->push_back(held);
}

void progress_all() {
    reclaim();
    if (the_environment().in_flight.load(std::memory_order_acquire) == 0) return;
    const guard hold;
    for (std::size_t i = watched->size(); i-- > 0;) {
        const std::shared_ptr<communicator_state> one = (*watched)[i];
        one->progress();
        if (one->idle()) std::erase(*watched, one);
    }
}

}  // namespace collsched::preload
