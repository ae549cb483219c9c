// expect: static assertion failed.*a lambda without captures; state goes into reduction::context
// A reduction whose function has state of its own.

#include "collsched/collective/allgather/ring.hpp"
#include "collsched/execute/engine.hpp"

using namespace collsched;

reduction scaled(int factor) {
    return {.combine = [factor](void*, std::byte*, const std::byte*, bytes_t, action) { static_cast<void>(factor); }};
}
