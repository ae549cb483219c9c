#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

#include "arguments.hpp"
#include "collsched/core/byte_range.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/format/files/text_file.hpp"

namespace collsched::preload {

/// The variable with the path of the report.
inline constexpr const char* report_variable = "COLLSCHED_REPORT";

/// The form of a call.
enum class call_form : std::uint8_t { blocking, nonblocking, persistent };
/// The number of forms.
inline constexpr int call_forms = 3;

/// The calls that a row of the report counts together.
struct call_class {
    function what = function::barrier;
    call_form form = call_form::blocking;
    std::int64_t ranks = 0, ranks_per_node = 1;  ///< of the communicator; 0 ranks: unknown
    std::int64_t bytes_from = -1;                ///< 0 or a power of two, the smallest size; -1: unknown
    std::int64_t commutative = 1;
    std::string algorithm, parameters;  ///< "native": the MPI's own; as "segment=4096 radix=4"
    std::string reason;

    auto operator<=>(const call_class&) const = default;
};

/// The sums of a row, on one rank or on several.
struct call_sums {
    std::int64_t calls = 0, most_calls = 0;  ///< most: of one rank
    std::int64_t bytes = 0;
    std::int64_t timed_calls = 0;  ///< calls whose time was measured
    double seconds = 0, most_seconds = 0;
};

/// A row of the report on this rank.
struct call_row {
    call_form form = call_form::blocking;
    call_sums sums;
};
/// The rows of a plan, by form; null until the first call.
using call_rows = std::array<call_row*, call_forms>;

namespace internal {
inline bool is_reporting = false;
inline thread_local call_form current_form = call_form::blocking;
inline thread_local call_row* current_row = nullptr;
}  // namespace internal

/// Returns whether COLLSCHED_REPORT is set. Without it no clock is read.
inline bool reporting() { return internal::is_reporting; }

/// Records the form of the call that this thread is in.
inline void note_form(call_form form) {
    if (!reporting()) return;
    internal::current_form = form;
    internal::current_row = nullptr;
}
/// Returns the form of the call that this thread is in.
inline call_form current_form() { return internal::current_form; }
/// Returns the row of the call that this thread is in; null without a report.
inline call_row* current_row() { return reporting() ? internal::current_row : nullptr; }

/// Returns the row for a class of calls. It exists until the end of the program.
call_row& row_of(const call_class& which);
/// Returns the lower end of the size class of a size: 0, a power of two, or -1 if the size is unknown.
bytes_t size_class(bytes_t bytes);
/// Counts the call that this thread is in. The starts of a persistent call are counted at their ends instead.
void count_call(call_row& row, bytes_t bytes, bool counts_now);
/// Adds the time of a call, and counts it if it is a start of a persistent call.
void end_call(call_row& row, double seconds, bytes_t bytes);

/// Measures the time of a blocking call, if there is a report.
class call_timer {
  public:
    call_timer() : began_(reporting() ? begin() : 0) {}
    call_timer(const call_timer&) = delete;
    call_timer& operator=(const call_timer&) = delete;
    ~call_timer() {
        if (current_row() != nullptr) end();
    }

  private:
    static double begin();
    void end() const;

    double began_;
};

/// Begins the report if COLLSCHED_REPORT is set on rank 0. A path that cannot be written, or
/// that is an input, ends the program with status 2 after one line. Collective over MPI_COMM_WORLD; called once.
void begin_report(const ::collsched::text_file::log& inputs);
/// Adds up the rows of all ranks and writes the report on rank 0. Collective over MPI_COMM_WORLD.
void end_report();

}  // namespace collsched::preload
