#include "report.hpp"

#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>

#include "native_mpi.hpp"
#include "never_destroyed.hpp"
#include "report_file.hpp"
#include "wish.hpp"

namespace collsched::preload {

namespace {

constinit never_destroyed<std::map<call_class, call_row>> report_rows;
std::mutex report_lock;  ///< for report_rows and its sums
constinit never_destroyed<std::string> report_path;
constinit never_destroyed<report_place> place_of_report;

/// Returns what COLLSCHED_REPORT must name instead; empty: a report can be written there.
std::string expected_instead(const ::collsched::text_file::log& inputs) {
    if (!place_of_report->open(*report_path)) return "a file that can be written";
    return place_of_report->expected_instead(inputs);
}

}  // namespace

call_row& row_of(const call_class& which) {
    const std::lock_guard hold(report_lock);
    call_row& row = (*report_rows)[which];
    row.form = which.form;
    return row;
}

bytes_t size_class(bytes_t bytes) {
    return bytes <= 0 ? bytes : static_cast<bytes_t>(std::bit_floor(static_cast<std::uint64_t>(bytes)));
}

void count_call(call_row& row, bytes_t bytes, bool counts_now) {
    internal::current_row = &row;
    if (!counts_now) return;
    const std::lock_guard hold(report_lock);
    ++row.sums.calls;
    if (bytes > 0) row.sums.bytes += bytes;
}

void end_call(call_row& row, double seconds, bytes_t bytes) {
    const std::lock_guard hold(report_lock);
    row.sums.seconds += seconds;
    ++row.sums.timed_calls;
    if (row.form != call_form::persistent) return;
    ++row.sums.calls;
    if (bytes > 0) row.sums.bytes += bytes;
}

double call_timer::begin() {
    note_form(call_form::blocking);
    return PMPI_Wtime();
}

void call_timer::end() const {
    end_call(*current_row(), PMPI_Wtime() - began_, 0);
    internal::current_row = nullptr;
}

void begin_report(const ::collsched::text_file::log& inputs) {
    enum : int { off, on, wrong } status = off;
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char* value = std::getenv(report_variable);
    if (rank == 0 && value != nullptr && *value != '\0') {
        *report_path = value;
        const std::string expected = expected_instead(inputs);
        status = expected.empty() ? on : wrong;
        if (status == wrong)
            print_line(std::string(report_variable) + ": got " + *report_path + ", expected " + expected);
    }
    int shared = status;
    PMPI_Bcast(&shared, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (shared == wrong) end_with_mistake();
    internal::is_reporting = shared == on;
}

void end_report() {
    if (!reporting()) return;
    internal::is_reporting = false;
    merged_rows rows;
    for (const auto& [which, row] : *report_rows) {
        call_sums sums = row.sums;
        if (sums.calls == 0) continue;  // a persistent call that was never started
        sums.most_calls = sums.calls;
        sums.most_seconds = sums.seconds;
        rows.emplace(which, sums);
    }
    const bool complete = merge_over_ranks(rows);
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0) return;
    std::string trouble = complete ? "" : "the rows of another rank are malformed";
    if (complete) trouble = place_of_report->write(rows);
    if (!trouble.empty())
        print_line(std::string(report_variable) + ": got " + *report_path + ", expected a complete report: " + trouble);
}

}  // namespace collsched::preload
