#include "collsched/schedule/detail/memory_area.hpp"

using namespace collsched;
using namespace collsched::detail;

static_assert(area_of(buffer::input) == memory_area::input);
static_assert(area_of(buffer::output) == memory_area::output);
static_assert(area_of(buffer::scratch) == memory_area::scratch);
