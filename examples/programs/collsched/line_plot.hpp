#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// A curve with positive x and y.
struct plotted_line {
    std::string name;
    std::vector<double> x, y;
    bool dashed = false;
    std::vector<std::size_t> marks{};  ///< indices of points with a circle
};

/// Returns curves with two logarithmic axes as SVG. The colors suit light and dark pages. Names are at the ends of the
/// curves.
std::string line_plot(const std::string& title, const std::string& x_name, const std::string& y_name,
                      const std::vector<plotted_line>& lines);
