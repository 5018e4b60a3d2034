// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/linear_algebra.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/host/interrupt.h"
#include "hlo/attribute_text.h"
#include "hlo/eval/element.h"

namespace podsim::hlo::eval {

namespace {

using Complex = std::complex<double>;

/// One of the matrices in the last two dimensions of an array, optionally transposed.
template <class Number>
struct MatrixView {
  Number* first;
  std::int64_t row_step, column_step;
  Number& operator()(std::int64_t row, std::int64_t column) const {
    return first[row * row_step + column * column_step];
  }
  MatrixView transposed() const { return {first, column_step, row_step}; }
};

double conjugate(double x) { return x; }
Complex conjugate(Complex x) { return std::conj(x); }

template <class Number>
void factor(const MatrixView<Number>& a, std::int64_t size) {
  for (std::int64_t j = 0; j < size; ++j) {
    double pivot = std::real(a(j, j));
    for (std::int64_t k = 0; k < j; ++k) pivot -= std::norm(a(j, k));
    a(j, j) = pivot > 0 ? std::sqrt(pivot) : std::numeric_limits<double>::quiet_NaN();
    for (std::int64_t i = j + 1; i < size; ++i) {
      base::host::end_if_interrupted();
      Number sum = a(i, j);
      for (std::int64_t k = 0; k < j; ++k) sum -= a(i, k) * conjugate(a(j, k));
      a(i, j) = sum / a(j, j);
      a(j, i) = 0;
    }
  }
}

/// Solves l x = b for a triangle that is lower in this view; b becomes x.
template <class Number>
void solve_lower(const MatrixView<Number>& l, const MatrixView<Number>& b, std::int64_t size, std::int64_t columns,
                 bool unit) {
  for (std::int64_t column = 0; column < columns; ++column) {
    for (std::int64_t i = 0; i < size; ++i) {
      base::host::end_if_interrupted();
      Number sum = b(i, column);
      for (std::int64_t k = 0; k < i; ++k) sum -= l(i, k) * b(k, column);
      b(i, column) = unit ? sum : sum / l(i, i);
    }
  }
}

/// Views with rows, or rows and columns, in reverse order.
template <class Number>
MatrixView<Number> reversed_rows(const MatrixView<Number>& m, std::int64_t rows) {
  return {m.first + (rows - 1) * m.row_step, -m.row_step, m.column_step};
}
template <class Number>
MatrixView<Number> reversed(const MatrixView<Number>& m, std::int64_t size) {
  return {m.first + (size - 1) * (m.row_step + m.column_step), -m.row_step, -m.column_step};
}

template <class Number>
std::vector<Number> entries_of(const Literal& array) {
  std::vector<Number> numbers(std::size_t(array.shape.element_count()));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Element element = element_of(array, std::int64_t(i));
    if constexpr (std::is_same_v<Number, Complex>) {
      numbers[i] = {element.number, element.imaginary};
    } else {
      numbers[i] = element.number;
    }
  }
  return numbers;
}

template <class Number>
Literal rounded_array(const Shape& shape, const std::vector<Number>& numbers) {
  Literal result = make_zeros(shape);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    set_element(result, std::int64_t(i),
                rounded(shape.element_type, {std::real(numbers[i]), 0, std::imag(numbers[i])}));
  }
  return result;
}

template <class Number>
Literal cholesky(const Instruction& instruction, const Literal& a) {
  std::vector<Number> result = entries_of<Number>(a);
  const std::int64_t size = a.shape.dimensions.back(), matrix = size * size;
  for (std::int64_t at = 0; at < std::int64_t(result.size()); at += matrix) {
    // The transpose is the conjugate, whose lower factor is the transpose of the upper one.
    const MatrixView<Number> view{result.data() + at, size, 1};
    factor(instruction.triangular.lower ? view : view.transposed(), size);
  }
  return rounded_array(instruction.shape, result);
}

template <class Number>
Literal triangular_solve(const Instruction& instruction, const Literal& a, const Literal& b) {
  const TriangularOptions& options = instruction.triangular;
  std::vector<Number> result = entries_of<Number>(b), triangles = entries_of<Number>(a);
  if (instruction.target == adjoint)
    std::ranges::transform(triangles, triangles.begin(), [](Number x) { return conjugate(x); });
  const std::int64_t size = a.shape.dimensions.back();
  const std::int64_t rows = b.shape.dimensions[b.shape.dimensions.size() - 2], columns = b.shape.dimensions.back();
  const std::int64_t count = size == 0 ? 0 : std::int64_t(triangles.size()) / (size * size);
  for (std::int64_t i = 0; i < count; ++i) {
    MatrixView<Number> triangle{triangles.data() + i * size * size, size, 1};
    MatrixView<Number> x{result.data() + i * rows * columns, columns, 1};
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
  return rounded_array(instruction.shape, result);
}

}  // namespace

Literal evaluate_cholesky(const Instruction& instruction, const Literal& a) {
  return is_complex(a.shape.element_type) ? cholesky<Complex>(instruction, a) : cholesky<double>(instruction, a);
}

Literal evaluate_triangular_solve(const Instruction& instruction, const Literal& a, const Literal& b) {
  return is_complex(a.shape.element_type) ? triangular_solve<Complex>(instruction, a, b)
                                          : triangular_solve<double>(instruction, a, b);
}

}  // namespace podsim::hlo::eval
