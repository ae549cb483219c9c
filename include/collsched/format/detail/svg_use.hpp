#pragma once

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The use of a picture. `file` is a separate file with a heading. `page` is a part of an HTML page, which has its own
/// heading. The script of the page finds steps of a schedule by the attribute data-step, messages by data-message, the
/// number among trace_messages, and lines of a network by data-line.
enum class svg_use { file, page };

}}}  // namespace collsched::COLLSCHED_ABI::detail
