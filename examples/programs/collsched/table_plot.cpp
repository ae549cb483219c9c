#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <range/v3/algorithm/find_if.hpp>
#include <range/v3/algorithm/sort.hpp>

#include "line_plot.hpp"
#include "table_request.hpp"

using namespace collsched;

namespace {

/// The times of an algorithm, and how they compare with the cheapest.
struct candidate_curve {
    plotted_line line;
    double log_ratios = 0;  ///< sum over the sizes of log(time / cheapest)
    std::size_t sizes = 0;
};

/// A time of 0 has no place on a logarithmic axis.
double microseconds_of(const foreign::priced_cell::algorithm_price& price) {
    return static_cast<double>(std::max<picoseconds>(price.cost, 1)) / 1e6;
}

std::vector<candidate_curve> curves_of(const std::vector<algorithm_times>& sizes) {
    std::map<std::string, candidate_curve> curves;
    std::string cheapest;
    for (const algorithm_times& size : sizes) {
        if (size.times.empty()) continue;
        const foreign::priced_cell::algorithm_price& best = size.times.front();
        for (const foreign::priced_cell::algorithm_price& one : size.times) {
            candidate_curve& curve = curves[one.algorithm];
            curve.line.name = one.algorithm;
            curve.line.x.push_back(static_cast<double>(std::max<bytes_t>(size.bytes, 1)));
            curve.line.y.push_back(microseconds_of(one));
            curve.log_ratios += std::log(microseconds_of(one) / microseconds_of(best));
            ++curve.sizes;
        }
        if (cheapest != best.algorithm) {
            cheapest = best.algorithm;
            curves[cheapest].line.marks.push_back(curves[cheapest].line.x.size() - 1);
        }
    }
    std::vector<candidate_curve> all;
    for (auto& [name, curve] : curves) all.push_back(std::move(curve));
    return all;
}

}  // namespace

std::string candidates_plot(const std::string& title, const std::vector<algorithm_times>& sizes) {
    constexpr std::size_t most = 8;
    std::vector<candidate_curve> all = curves_of(sizes);
    const auto mean = [](const candidate_curve& one) { return one.log_ratios / static_cast<double>(one.sizes); };
    std::ranges::stable_sort(all, [&](const candidate_curve& a, const candidate_curve& b) {
        const bool a_wins = !a.line.marks.empty(), b_wins = !b.line.marks.empty();
        return a_wins != b_wins ? a_wins : mean(a) < mean(b);
    });
    std::vector<plotted_line> lines;
    for (const candidate_curve& one : all)
        if (lines.size() < most || !one.line.marks.empty()) lines.push_back(one.line);
    return line_plot(title, "bytes", "time in us", lines);
}
