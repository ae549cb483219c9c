// expect: static assertion failed.*a transport needs `int post_send\(const message::key&, std::span<const message::send_part>\)`
// A transport that would send memory that it may write.

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/execute/engine.hpp"

using namespace collsched;

struct network {
    int post_send(const message::key&, std::span<const message::receive_part>);
    int post_recv(const message::key&, std::span<const message::receive_part>);
    void cancel(const void*);
};

void run(network& n, const plan& p) { execution running(p, n); }
