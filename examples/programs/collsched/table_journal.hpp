#pragma once

#include <span>
#include <string>
#include <vector>

#include "files/output_target.hpp"
#include "table_request.hpp"

/// The file of --out, and beside it the file of priced cells, from which the same command continues. Lines are appended
/// one by one, so that a killed program leaves complete lines, and at most one that is not.
class table_journal {
  public:
    /// No file: nothing is read or written until open_file().
    table_journal() = default;
    table_journal(const table_journal&) = delete;
    table_journal& operator=(const table_journal&) = delete;
    ~table_journal();

    /// Opens or creates the file of cells for this process alone, reads and checks its lines, and removes a last line
    /// without an end. Throws usage_error, and changes nothing, if a line is invalid or the file is that of another
    /// description.
    void open_file(const std::string& path, const std::string& description, const table_request& table);
    bool is_open() const { return descriptor_ >= 0; }
    /// Returns the name of the file of cells.
    const std::string& name() const { return name_; }
    /// Returns whether an output of this name would replace the table or the cells.
    bool is_target(const std::string& output) const;
    /// Returns the last cell in the file for these calls; null if there is none.
    const collsched::foreign::priced_cell* find(const collsched::foreign::priced_cell::calls& of) const;
    /// Appends a cell, if there is a file.
    void append(const collsched::foreign::priced_cell& cell) const;
    /// Replaces the file of --out, if there is one.
    void replace_table(std::span<const collsched::decision> rows, const std::string& description) const;

  private:
    void read(const std::string& description, const table_request& table);
    void write(const std::string& line) const;

    std::string path_, name_;
    output_target target_;
    int descriptor_ = -1;
    std::vector<collsched::foreign::priced_cell> cells_;
};

/// Prices the cells that the journal lacks, or that were cut short there and now have more time. Appends each to the
/// journal. Ends after the cell in which the program is interrupted, which is not among the result.
std::vector<collsched::foreign::priced_cell> price_cells(const table_request& table, const table_journal& journal,
                                                         const std::string& description);

/// Returns the description with the number of cells that are missing or not final.
std::string with_state(const std::string& description, std::span<const collsched::foreign::priced_cell> cells,
                       std::size_t all);
