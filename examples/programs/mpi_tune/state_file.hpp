#pragma once

#include <string>
#include <vector>

#include "tuning/tuning_file.hpp"

/// The file of --state. Lines are appended one by one, so that a killed program leaves whole lines, and at most one
/// that is not.
class state_file {
  public:
    /// No file: nothing is read or written until open_file().
    state_file() = default;
    state_file(const state_file&) = delete;
    state_file& operator=(const state_file&) = delete;
    ~state_file();

    /// Opens or creates the file for this process alone, reads it, and removes a last line without an end. Throws
    /// usage_error.
    void open_file(const std::string& path);
    /// Returns what the file had when it was opened.
    const collsched::tuning::tuning_file& content() const { return content_; }
    /// Writes the first line, if the file has none. Otherwise its run must be that of this program, apart from the
    /// model: throws usage_error.
    void begin(const collsched::tuning::tuning_run& run);
    void append(const collsched::decision& row);

  private:
    void write(const std::string& text) const;

    std::string path_;
    int descriptor_ = -1;
    collsched::tuning::tuning_file content_;
};
