// expect: (schedulable|constraints not satisfied)
// Something that is neither a schedule nor a block algorithm is refused by name of the concept.

#include "collsched/schedule.hpp"

int main() { return static_cast<int>(collsched::materialize(42).steps()); }
