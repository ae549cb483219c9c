// expect: (schedulable|constraints not satisfied)
// A type that is neither a schedule nor a block algorithm is rejected with the name of the concept.

#include "collsched/schedule.hpp"

int main() { return static_cast<int>(collsched::materialize(42).steps()); }
