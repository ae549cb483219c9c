#include "text_table.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "text_output.hpp"

void text_table::add(std::vector<std::string> cells, text_style style) {
    cells.resize(columns_.size());
    rows_.push_back({std::move(cells), style});
}

std::string text_table::line(const std::vector<std::string>& cells) const {
    std::string text;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const char* const gap = i == 0 ? "" : "  ";
        if (columns_[i].aligned == side::right) text += fmt::format("{}{:>{}}", gap, cells[i], columns_[i].width);
        else text += fmt::format("{}{:<{}}", gap, cells[i], columns_[i].width);
    }
    return text.substr(0, text.find_last_not_of(' ') + 1);
}

void text_table::print() {
    std::vector<std::string> headings;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        headings.push_back(columns_[i].heading);
        std::size_t& width = columns_[i].width;
        width = std::max(width, columns_[i].heading.size());
        for (const row& one : rows_) width = std::max(width, one.cells[i].size());
    }
    if (!std::exchange(begun_, true)) put_line(styled(line(headings), text_style::heading));
    for (const row& one : rows_) put_line(styled(line(one.cells), one.style));
    rows_.clear();
}
