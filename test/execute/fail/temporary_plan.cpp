// expect: deleted (function|constructor)
// An execution refers to its plan, which a temporary one does not outlive.

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/execute/engine.hpp"

using namespace collsched;

struct network {
    int post_send(const message::key&, std::span<const message::send_part>);
    int post_recv(const message::key&, std::span<const message::receive_part>);
    void cancel(const void*);
};

void run(network& n) { execution running(plan(allgather::ring{.ranks = 4, .block = 4}, 0), n); }
