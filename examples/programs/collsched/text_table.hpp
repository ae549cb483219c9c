#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "terminal.hpp"

/// A table in text with aligned columns below headings.
class text_table {
  public:
    enum class side { left, right };
    struct column {
        std::string heading;
        side aligned = side::left;
        std::size_t width = 0;  ///< smallest width, for tables that are printed row by row
    };

    explicit text_table(std::vector<column> columns) : columns_(std::move(columns)) {}

    /// Adds a row. Missing cells at the end are empty.
    void add(std::vector<std::string> cells, text_style style = text_style::plain);
    /// Prints the rows that were added since the last call to standard output. The first call prints the headings
    /// before them. A column is as wide as its widest cell so far.
    void print();

  private:
    struct row {
        std::vector<std::string> cells;
        text_style style;
    };
    std::string line(const std::vector<std::string>& cells) const;

    std::vector<column> columns_;
    std::vector<row> rows_;
    bool begun_ = false;
};
