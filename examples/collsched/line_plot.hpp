#pragma once

#include <string>
#include <vector>

/// A curve: y over x, both above 0.
struct plotted_line {
    std::string name;
    std::vector<double> x, y;
    bool dashed = false;
};

/// Curves with both axes logarithmic, as SVG, readable on light and dark pages. Names stand at the curves' ends.
std::string line_plot(const std::string& title, const std::string& x_name, const std::string& y_name,
                      const std::vector<plotted_line>& lines);
