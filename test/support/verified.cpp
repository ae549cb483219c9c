#include "support/verified.hpp"

#include "collsched/schedule/metrics.hpp"
#include "collsched/verify/verify.hpp"

namespace support {

verdict verified(const some_schedule& x, binding binding) { return verify(x, binding); }

metrics_report measured(const some_schedule& x) { return metrics(x); }

}  // namespace support
