#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "collsched/core/config.hpp"

namespace collsched::measured {

/// The lower triangular factor L of a positive definite matrix A = L L^T (Cholesky). n^3/3 operations.
class triangular_factor {
  public:
    triangular_factor() = default;
    /// `rows` has the lower triangle of A in rows of n numbers; the rest is ignored.
    /// @pre rows.size() == n^2
    triangular_factor(std::size_t n, std::vector<double> rows) : n_(n), rows_(std::move(rows)) {
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t j = 0; j <= i; ++j) {
                const double rest = rows_[i * n_ + j] - dot(row(i), row(j), j);
                rows_[i * n_ + j] = i == j ? std::sqrt(rest > smallest ? rest : smallest) : rest / rows_[j * n_ + j];
            }
    }

    std::size_t size() const { return n_; }

    /// Returns L^-1 b.
    std::vector<double> forward(std::vector<double> b) const {
        for (std::size_t i = 0; i < n_; ++i) b[i] = (b[i] - dot(row(i), b.data(), i)) / rows_[i * n_ + i];
        return b;
    }
    /// Returns A^-1 b.
    std::vector<double> solve(std::vector<double> b) const {
        b = forward(std::move(b));
        for (std::size_t i = n_; i-- > 0;) {
            b[i] /= rows_[i * n_ + i];
            for (std::size_t j = 0; j < i; ++j) b[j] -= rows_[i * n_ + j] * b[i];
        }
        return b;
    }

    /// Returns the diagonal of A^-1. n^3/3 operations.
    std::vector<double> inverse_diagonal() const {
        std::vector<double> made(n_), column(n_);
        for (std::size_t i = 0; i < n_; ++i) {
            column[i] = 1 / rows_[i * n_ + i];  // column i of L^-1, from row i on
            for (std::size_t k = i + 1; k < n_; ++k)
                column[k] = -dot(row(k) + i, column.data() + i, k - i) / rows_[k * n_ + k];
            made[i] = dot(column.data() + i, column.data() + i, n_ - i);
        }
        return made;
    }

    static double dot(const double* a, const double* b, std::size_t n) {
        double sum = 0;
        for (std::size_t k = 0; k < n; ++k) sum += a[k] * b[k];
        return sum;
    }

  private:
    static constexpr double smallest = 1e-12;  ///< of a pivot, where rounding exceeds it

    const double* row(std::size_t i) const { return rows_.data() + i * n_; }

    std::size_t n_ = 0;
    std::vector<double> rows_{};
};

}  // namespace collsched::measured
