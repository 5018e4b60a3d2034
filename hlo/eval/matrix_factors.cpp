// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/matrix_factors.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/host/interrupt.h"
#include "hlo/eval/element.h"

namespace podsim::hlo::eval {

namespace {

/// The largest number of sweeps of Jacobi's method; ten are enough for large matrices.
constexpr int most_sweeps = 60;

struct Square {
  std::vector<double>& entries;
  std::int64_t size;
  double& operator()(std::int64_t row, std::int64_t column) const { return entries[std::size_t(row * size + column)]; }
};

void require_real(const Literal& a) {
  if (is_complex(a.shape.element_type)) throw std::logic_error("factors of complex matrices cannot be evaluated");
}

void put(Literal& result, std::int64_t at, double number) {
  set_element(result, at, rounded(result.shape.element_type, {number}));
}

/// The elements of one of the matrices of `a`, each of `size` elements.
std::vector<double> elements_of_matrix(const Literal& a, std::int64_t matrix, std::int64_t size) {
  std::vector<double> entries(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i) entries[std::size_t(i)] = element_of(a, matrix * size + i).number;
  return entries;
}

/// Turns rows and columns p and q so that a(p, q) vanishes (Golub and Van Loan, Matrix Computations, 8.5).
void rotate(const Square& a, const Square& vectors, std::int64_t p, std::int64_t q) {
  if (a(p, q) == 0) return;
  const double theta = (a(q, q) - a(p, p)) / (2 * a(p, q));
  const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::hypot(1.0, theta));
  const double c = 1 / std::hypot(1.0, t), s = t * c;
  for (std::int64_t k = 0; k < a.size; ++k) {
    const double x = a(k, p), y = a(k, q);
    a(k, p) = c * x - s * y;
    a(k, q) = s * x + c * y;
  }
  for (std::int64_t k = 0; k < a.size; ++k) {
    const double x = a(p, k), y = a(q, k);
    a(p, k) = c * x - s * y;
    a(q, k) = s * x + c * y;
    const double v = vectors(k, p), w = vectors(k, q);
    vectors(k, p) = c * v - s * w;
    vectors(k, q) = s * v + c * w;
  }
}

void diagonalize(const Square& a, const Square& vectors) {
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double off_diagonal = 0, whole = 0;
    for (std::int64_t i = 0; i < a.size; ++i) {
      for (std::int64_t j = 0; j < a.size; ++j) {
        whole += a(i, j) * a(i, j);
        if (i != j) off_diagonal += a(i, j) * a(i, j);
      }
    }
    if (!(off_diagonal > 1e-30 * whole)) return;
    for (std::int64_t p = 0; p < a.size; ++p) {
      base::host::end_if_interrupted();
      for (std::int64_t q = p + 1; q < a.size; ++q) rotate(a, vectors, p, q);
    }
  }
}

}  // namespace

std::size_t matrix_factors_of(const Instruction& call) {
  if (call.opcode != Opcode::custom_call || call.operands.size() != 1) return 0;
  if (call.target == "LuDecomposition") return 3;
  return call.target == "Eigh" || call.target == "Qr" ? 2 : 0;
}

std::vector<Literal> evaluate_factors(const Instruction& call, const Literal& a) {
  const std::vector<Shape>& shapes = call.shape.tuple_shapes;
  if (call.target == "LuDecomposition") return evaluate_lu(shapes, a);
  return call.target == "Qr" ? evaluate_qr(shapes, a) : evaluate_symmetric_eigen(shapes, a, call.triangular.lower);
}

std::vector<Literal> evaluate_lu(const std::vector<Shape>& shapes, const Literal& a) {
  require_real(a);
  std::vector<Literal> results;
  for (const Shape& shape : shapes) results.push_back(make_zeros(shape));
  const std::int64_t rows = a.shape.dimensions[a.shape.dimensions.size() - 2], columns = a.shape.dimensions.back();
  const std::int64_t steps = std::min(rows, columns), size = rows * columns;
  const std::int64_t count = size == 0 ? 0 : a.shape.element_count() / size;
  for (std::int64_t matrix = 0; matrix < count; ++matrix) {
    std::vector<double> lu = elements_of_matrix(a, matrix, size);
    const auto at = [&](std::int64_t row, std::int64_t column) -> double& {
      return lu[std::size_t(row * columns + column)];
    };
    std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    for (std::int64_t k = 0; k < steps; ++k) {
      base::host::end_if_interrupted();
      std::int64_t pivot = k;
      for (std::int64_t i = k + 1; i < rows; ++i) {
        if (std::abs(at(i, k)) > std::abs(at(pivot, k))) pivot = i;
      }
      put(results[1], matrix * steps + k, double(pivot));
      if (pivot != k) {
        std::swap(order[std::size_t(k)], order[std::size_t(pivot)]);
        for (std::int64_t j = 0; j < columns; ++j) std::swap(at(k, j), at(pivot, j));
      }
      for (std::int64_t i = k + 1; i < rows; ++i) {
        if (at(k, k) != 0) at(i, k) /= at(k, k);
        for (std::int64_t j = k + 1; j < columns; ++j) at(i, j) -= at(i, k) * at(k, j);
      }
    }
    for (std::int64_t i = 0; i < size; ++i) put(results[0], matrix * size + i, lu[std::size_t(i)]);
    for (std::int64_t i = 0; i < rows; ++i) put(results[2], matrix * rows + i, double(order[std::size_t(i)]));
  }
  return results;
}

std::vector<Literal> evaluate_symmetric_eigen(const std::vector<Shape>& shapes, const Literal& a, bool lower) {
  require_real(a);
  std::vector<Literal> results;
  for (const Shape& shape : shapes) results.push_back(make_zeros(shape));
  const std::int64_t size = a.shape.dimensions.back();
  const std::int64_t count = size == 0 ? 0 : a.shape.element_count() / (size * size);
  for (std::int64_t matrix = 0; matrix < count; ++matrix) {
    std::vector<double> entries = elements_of_matrix(a, matrix, size * size), columns(std::size_t(size * size), 0);
    const Square left{entries, size}, vectors{columns, size};
    for (std::int64_t i = 0; i < size; ++i) {
      for (std::int64_t j = 0; j < i; ++j) (lower ? left(j, i) : left(i, j)) = lower ? left(i, j) : left(j, i);
    }
    for (std::int64_t i = 0; i < size; ++i) vectors(i, i) = 1;
    diagonalize(left, vectors);
    std::vector<std::int64_t> order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::ranges::sort(order, {}, [&](std::int64_t i) { return left(i, i); });
    for (std::int64_t j = 0; j < size; ++j) {
      const std::int64_t from = order[std::size_t(j)];
      put(results[1], matrix * size + j, left(from, from));
      for (std::int64_t i = 0; i < size; ++i) put(results[0], (matrix * size + i) * size + j, vectors(i, from));
    }
  }
  return results;
}

std::vector<Literal> evaluate_qr(const std::vector<Shape>& shapes, const Literal& a) {
  require_real(a);
  std::vector<Literal> results{make_zeros(shapes[0]), make_zeros(shapes[1])};
  const std::int64_t rows = a.shape.dimensions[a.shape.dimensions.size() - 2], columns = a.shape.dimensions.back();
  const std::int64_t steps = std::min(rows, columns), size = rows * columns;
  const std::int64_t count = size == 0 ? 0 : a.shape.element_count() / size;
  for (std::int64_t matrix = 0; matrix < count; ++matrix) {
    std::vector<double> entries = elements_of_matrix(a, matrix, size);
    const auto at = [&](std::int64_t i, std::int64_t j) -> double& { return entries[std::size_t(i * columns + j)]; };
    for (std::int64_t k = 0; k < steps; ++k) {
      base::host::end_if_interrupted();
      double below = 0;
      for (std::int64_t i = k + 1; i < rows; ++i) below += at(i, k) * at(i, k);
      if (below == 0) continue;  // the reflection is the identity, its factor 0
      const double alpha = at(k, k), norm = std::sqrt(alpha * alpha + below), beta = alpha < 0 ? norm : -norm;
      const double tau = (beta - alpha) / beta;
      for (std::int64_t i = k + 1; i < rows; ++i) at(i, k) /= alpha - beta;
      for (std::int64_t j = k + 1; j < columns; ++j) {
        double product = at(k, j);
        for (std::int64_t i = k + 1; i < rows; ++i) product += at(i, k) * at(i, j);
        at(k, j) -= tau * product;
        for (std::int64_t i = k + 1; i < rows; ++i) at(i, j) -= tau * product * at(i, k);
      }
      at(k, k) = beta;
      put(results[1], matrix * steps + k, tau);
    }
    for (std::int64_t i = 0; i < size; ++i) put(results[0], matrix * size + i, entries[std::size_t(i)]);
  }
  return results;
}

Literal evaluate_reflectors(const Shape& shape, const Literal& a, const Literal& taus) {
  require_real(a);
  Literal result = make_zeros(shape);
  const std::int64_t rows = a.shape.dimensions[a.shape.dimensions.size() - 2], columns = a.shape.dimensions.back();
  const std::int64_t steps = taus.shape.dimensions.back(), size = rows * columns;
  if (rows < columns || steps > columns) throw std::logic_error("has more reflectors than columns or rows");
  const std::int64_t count = size == 0 ? 0 : a.shape.element_count() / size;
  for (std::int64_t matrix = 0; matrix < count; ++matrix) {
    const std::vector<double> v = elements_of_matrix(a, matrix, size);
    std::vector<double> q(static_cast<std::size_t>(size), 0);
    for (std::int64_t j = 0; j < columns; ++j) q[std::size_t(j * columns + j)] = 1;
    for (std::int64_t k = steps - 1; k >= 0; --k) {
      base::host::end_if_interrupted();
      const double tau = element_of(taus, matrix * steps + k).number;
      for (std::int64_t j = 0; j < columns; ++j) {
        double product = q[std::size_t(k * columns + j)];
        for (std::int64_t i = k + 1; i < rows; ++i) {
          product += v[std::size_t(i * columns + k)] * q[std::size_t(i * columns + j)];
        }
        q[std::size_t(k * columns + j)] -= tau * product;
        for (std::int64_t i = k + 1; i < rows; ++i) {
          q[std::size_t(i * columns + j)] -= tau * product * v[std::size_t(i * columns + k)];
        }
      }
    }
    for (std::int64_t i = 0; i < size; ++i) put(result, matrix * size + i, q[std::size_t(i)]);
  }
  return result;
}

}  // namespace podsim::hlo::eval
