#include <collsched/collective.hpp>
#include <collsched/verify.hpp>

int main() {}
