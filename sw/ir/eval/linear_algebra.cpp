// SPDX-License-Identifier: Apache-2.0
#include "sw/ir/eval/linear_algebra.h"

#include <cmath>
#include <limits>
#include <vector>

#include "base/host/interrupt.h"
#include "sw/ir/eval/element.h"

namespace podsim::sw::ir::eval {

namespace {

/// One of the matrices in the last two dimensions of an array, optionally transposed.
struct MatrixView {
  double* first;
  std::int64_t row_step, column_step;
  double& operator()(std::int64_t row, std::int64_t column) const {
    return first[row * row_step + column * column_step];
  }
  MatrixView transposed() const { return {first, column_step, row_step}; }
};

void factor(const MatrixView& a, std::int64_t size) {
  for (std::int64_t j = 0; j < size; ++j) {
    double pivot = a(j, j);
    for (std::int64_t k = 0; k < j; ++k) pivot -= a(j, k) * a(j, k);
    a(j, j) = pivot > 0 ? std::sqrt(pivot) : std::numeric_limits<double>::quiet_NaN();
    for (std::int64_t i = j + 1; i < size; ++i) {
      base::host::end_if_interrupted();
      double sum = a(i, j);
      for (std::int64_t k = 0; k < j; ++k) sum -= a(i, k) * a(j, k);
      a(i, j) = sum / a(j, j);
      a(j, i) = 0;
    }
  }
}

/// Solves l x = b for a triangle that is lower in this view; b becomes x.
void solve_lower(const MatrixView& l, const MatrixView& b, std::int64_t size, std::int64_t columns, bool unit) {
  for (std::int64_t column = 0; column < columns; ++column) {
    for (std::int64_t i = 0; i < size; ++i) {
      base::host::end_if_interrupted();
      double sum = b(i, column);
      for (std::int64_t k = 0; k < i; ++k) sum -= l(i, k) * b(k, column);
      b(i, column) = unit ? sum : sum / l(i, i);
    }
  }
}

/// Views with rows, or rows and columns, in reverse order.
MatrixView reversed_rows(const MatrixView& m, std::int64_t rows) {
  return {m.first + (rows - 1) * m.row_step, -m.row_step, m.column_step};
}
MatrixView reversed(const MatrixView& m, std::int64_t size) {
  return {m.first + (size - 1) * (m.row_step + m.column_step), -m.row_step, -m.column_step};
}

}  // namespace

Literal evaluate_cholesky(const Instruction& instruction, const Literal& a) {
  Literal result{instruction.shape, a.values, {}};
  const std::int64_t size = a.shape.dimensions.back(), matrix = size * size;
  for (std::int64_t at = 0; at < std::int64_t(result.values.size()); at += matrix) {
    const MatrixView view{result.values.data() + at, size, 1};
    factor(instruction.triangular.lower ? view : view.transposed(), size);
  }
  round_all(result);
  return result;
}

Literal evaluate_triangular_solve(const Instruction& instruction, const Literal& a, const Literal& b) {
  const TriangularOptions& options = instruction.triangular;
  Literal result{instruction.shape, b.values, {}};
  std::vector<double> triangles = a.values;
  const std::int64_t size = a.shape.dimensions.back();
  const std::int64_t rows = b.shape.dimensions[b.shape.dimensions.size() - 2], columns = b.shape.dimensions.back();
  const std::int64_t count = size == 0 ? 0 : std::int64_t(triangles.size()) / (size * size);
  for (std::int64_t i = 0; i < count; ++i) {
    MatrixView triangle{triangles.data() + i * size * size, size, 1};
    MatrixView x{result.values.data() + i * rows * columns, columns, 1};
    bool lower = options.lower;
    // x op(a) = b is solved as op(a)^T x^T = b^T.
    if (options.transpose == options.left_side) {
      triangle = triangle.transposed();
      lower = !lower;
    }
    if (!options.left_side) x = x.transposed();
    if (!lower) {
      triangle = reversed(triangle, size);
      x = reversed_rows(x, size);
    }
    solve_lower(triangle, x, size, options.left_side ? columns : rows, options.unit_diagonal);
  }
  round_all(result);
  return result;
}

}  // namespace podsim::sw::ir::eval
