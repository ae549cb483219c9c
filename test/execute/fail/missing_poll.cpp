// expect: static assertion failed.*progress\(\) and wait\(\) need a transport with `completion poll\(\)`
// progress() over a transport that cannot be polled.

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/execute/engine.hpp"

using namespace collsched;

struct network {
    int post_send(const message::key&, std::span<const message::send_part>);
    int post_recv(const message::key&, std::span<const message::receive_part>);
    void cancel(const void*);
};

void run(network& n, const plan& p) {
    execution running(p, n);
    running.progress();
}
