#pragma once

#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "collsched/core/config.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Writes formatted pieces one after another to an output iterator of characters. All writers use it.
template <std::output_iterator<char> Out>
class pen {
  public:
    explicit pen(Out out) : out_(std::move(out)) {}

    /// Writes one formatted piece: put(FMT_COMPILE("{} -> {}"), a, b).
    template <class Format, class... Args>
    void operator()(const Format& format, const Args&... args) {
        out_ = fmt::format_to(std::move(out_), format, args...);
    }

    /// Writes a text. fmt 9 passes the null pointer of an empty one to memcpy, which is undefined.
    void text(std::string_view piece) {
        if (!piece.empty()) (*this)(FMT_COMPILE("{}"), piece);
    }

    /// Calls f(item), which writes an item, for each item of a range, and writes `between` before all but the first.
    template <class Items, class F>
    void list(const Items& items, F f, std::string_view between = ",") {
        std::string_view before;
        for (const auto& item : items) {
            text(before);
            f(item);
            before = between;
        }
    }

    /// Returns the output iterator past the last character written.
    Out done() { return std::move(out_); }

  private:
    Out out_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
