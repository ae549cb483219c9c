#pragma once

#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "algorithm_work.hpp"
#include "time_rates.hpp"
#include "measured_case.hpp"

namespace collsched::measured {

/// A pair of a case and an algorithm. Equal codes of a property are equal values of it.
struct time_point {
    double log_bytes = 0, log_ranks = 0;
    int place = 0, setting = 0, run = 0, collective = 0, pattern = 0, base = 0, algorithm = 0, implementation = 0,
        ports = 0;
    bool blockwise = false;
    work_amounts amounts{};
    work_amounts parts{};  ///< of the time under the rates with which covariances are computed
};

/// Numbers the values of properties.
class time_point_codes {
  public:
    /// Returns a point, and numbers its new values.
    time_point add(const measured_case& where, std::string_view name) {
        return point(where, name, [this](const std::string& value) {
            return codes_.try_emplace(value, static_cast<int>(codes_.size())).first->second;
        });
    }
    /// Returns a point whose new values have the number -1.
    time_point find(const measured_case& where, std::string_view name) const {
        return point(where, name, [this](const std::string& value) {
            const auto found = codes_.find(value);
            return found == codes_.end() ? -1 : found->second;
        });
    }

  private:
    template <class Code>
    static time_point point(const measured_case& where, std::string_view name, Code code) {
        const algorithm_words words(name);
        const algorithm_work work = work_of_words(where, words).find();
        const std::string kind = std::string("c ") + name_of(where.collective) + " ",
                          setting = "s " + std::to_string(where.ranks_per_node) + " " + where.setting,
                          run = setting + " r " + std::to_string(where.ranks);
        time_point made;
        made.log_bytes = std::log2(static_cast<double>(where.bytes) + 1);
        made.log_ranks = std::log2(static_cast<double>(where.ranks));
        made.place = code(run + " " + kind + std::to_string(where.bytes));
        made.setting = code(setting);
        made.run = code(run);
        made.collective = code(kind);
        made.pattern = code(kind + "p " + std::to_string(static_cast<int>(work.pattern)));
        made.base = code(kind + "b " + words.base);
        made.algorithm = code(kind + "a " + std::string(name));
        made.implementation = code("i " + words.implementation);
        made.ports = code("p " + std::to_string(words.ports));
        made.blockwise = work.pattern == message_pattern::blockwise;
        made.amounts = work.amounts;
        return made;
    }

    std::map<std::string, int> codes_{};
};

/// The covariance of the logarithms of two times, given the rates. Each effect has a standard deviation; effects of an
/// algorithm are similar at similar sizes and numbers of ranks.
class time_covariance {
  public:
    static double between(const time_point& a, const time_point& b) {
        const double sizes = square((a.log_bytes - b.log_bytes) / bytes_range),
                     counts = std::abs(a.log_ranks - b.log_ranks) / ranks_range, near = std::exp(-sizes / 2 - counts),
                     far = std::exp(-sizes / 8 - counts / 2), same = a.setting == b.setting ? 1 : 0.5;
        double sum = 0, parts = 0;
        if (a.place == b.place) sum += square(of_case);
        if (a.collective == b.collective) {
            sum += square(of_collective) * far;
            parts += square(rates_of_collective);
        }
        if (a.pattern == b.pattern) {
            sum += (square(of_pattern) * near + square(of_pattern_everywhere)) * same;
            if (a.blockwise) sum += square(of_blockwise) * far * same;
            parts += square(rates_of_pattern);
        }
        if (a.algorithm == b.algorithm) sum += (square(of_algorithm) * near + square(of_algorithm_everywhere)) * same;
        if (a.base == b.base) sum += square(of_base) * near * same;
        if (a.implementation == b.implementation) {
            sum += square(of_implementation) * far;
            parts += square(rates_of_implementation);
        }
        if (a.ports == b.ports) sum += square(of_ports) * far;
        if (a.run == b.run) parts += square(rates_of_run);
        for (std::size_t k = 0; k < work_kinds; ++k) sum += parts * a.parts[k] * b.parts[k];
        return sum;
    }

    /// The variance of a time relative to others of its case.
    static double within_case(const time_point& a) { return between(a, a) - square(of_case); }

    static constexpr double noise = 0.022;  ///< standard deviation of the logarithm of a measured time
    static constexpr double risk = 2.3;     ///< weight of half the variance of a time in choices

  private:
    static constexpr double square(double x) { return x * x; }

    static constexpr double bytes_range = 2.3, ranks_range = 1.3;  ///< in powers of two
    static constexpr double of_case = 0.74, of_collective = 0.11, of_pattern = 0.37, of_pattern_everywhere = 0.064,
                            of_blockwise = 0.17, of_algorithm = 0.77, of_algorithm_everywhere = 0.084, of_base = 0.11,
                            of_implementation = 0.047, of_ports = 0.25;
    static constexpr double rates_of_collective = 0.2, rates_of_pattern = 0.028, rates_of_implementation = 0.1,
                            rates_of_run = 0.31;
};

}  // namespace collsched::measured
