#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "collsched/select.hpp"

#include "tune_command.hpp"
#include "examples/programs/collsched/terminal.hpp"
#include "examples/programs/collsched/text_table.hpp"
#include "machine.hpp"
#include "state_file.hpp"
#include "tune_options.hpp"
#include "tuning/model_fit.hpp"

/// The decisions of rank 0: which candidates of which cases are measured, and for how long.
class tuner {
  public:
    using clock = std::chrono::steady_clock;

    /// The budget counts from `begin`. Throws usage_error for a file that cannot be used.
    tuner(machine& here, const tune_request& request, clock::time_point begin);

    /// Measures all cases within the budget, prints the fastest candidates and the fitted model, and writes the table.
    /// Returns the exit status. Throws usage_error for a file that cannot be written; no command is then under way.
    int run();

  private:
    std::vector<tuned_case> cases() const;
    void begin_model();
    /// Returns the measured rows of a case.
    std::vector<collsched::decision> rows_of(const tuned_case& one) const;
    bool is_complete(const tuned_case& one) const;
    void tune(const tuned_case& one, std::size_t left);
    /// Returns the cheapest candidates by the fitted model, one per algorithm. The search for better parameters ends at
    /// a time.
    std::vector<collsched::choice::candidate> contenders(const tuned_case& one, clock::time_point until);
    /// Returns the end of a case's share of the remaining time.
    clock::time_point end_of_share(const std::vector<collsched::choice::candidate>& wanted, std::size_t left);
    void measure(const tuned_case& one, const std::vector<collsched::decision>& candidates, clock::time_point until);
    void report_wrong(const collsched::decision& row);
    void note(const collsched::decision& row);
    /// Shows the watchdogs of all ranks that this one makes progress. All others wait for a command.
    void beat();
    void fit(const collsched::decision& row);
    void report(const tuned_case& one);
    void write_table() const;

    machine& here_;
    tune_request request_;
    clock::time_point end_, beaten_;
    state_file state_;
    collsched::tuning::model_fit fit_{collsched::loggp_model{}};
    std::vector<collsched::decision> rows_;                         // measured, of this run and of the file
    std::map<collsched::rank_t, collsched::picoseconds> barriers_;  // lowest time for each number of ranks
    double weights_ = 0, weighted_ = 0;  // sum of the weights of cases so far, and their number
    int wrong_ = 0;                      // candidates with wrong results
    progress_line progress_;
    text_table table_;
};
