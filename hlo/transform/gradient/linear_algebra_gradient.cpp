// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/gradient/linear_algebra_gradient.h"

#include <numeric>
#include <utility>
#include <vector>

namespace podsim::hlo::transform::gradient {

namespace {

InstructionId transposed_matrices(build::GraphBuilder& b, InstructionId x) {
  std::vector<std::int64_t> order(b.shape(x).dimensions.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::swap(order.back(), order[order.size() - 2]);
  return b.transpose(x, std::move(order));
}

/// The product of matrices, each transposed or not.
InstructionId product_of_matrices(build::GraphBuilder& b, InstructionId x, bool transposes_x, InstructionId y,
                                  bool transposes_y) {
  const int rank = b.shape(x).rank();
  DotDimensions roles;
  for (int i = 0; i + 2 < rank; ++i) {
    roles.lhs_batch.push_back(i);
    roles.rhs_batch.push_back(i);
  }
  roles.lhs_contracting = {transposes_x ? rank - 2 : rank - 1};
  roles.rhs_contracting = {transposes_y ? rank - 1 : rank - 2};
  return b.dot(x, y, std::move(roles));
}

InstructionId solved(build::GraphBuilder& b, InstructionId a, InstructionId right, TriangularOptions options) {
  Instruction solve;
  solve.opcode = Opcode::triangular_solve;
  solve.operands = {a, right};
  solve.triangular = options;
  return b.add(std::move(solve));
}

/// Compares rows with columns: `gt` is true below the diagonal.
InstructionId row_to_column(build::GraphBuilder& b, InstructionId matrices, ComparisonDirection direction) {
  const Shape numbers = make_shape(ElementType::s32, b.shape(matrices).dimensions);
  return b.compare(b.iota(numbers, numbers.rank() - 2), b.iota(numbers, numbers.rank() - 1), direction);
}

InstructionId kept_where(build::GraphBuilder& b, InstructionId predicate, InstructionId x) {
  return b.select(predicate, x, b.full_like(x, 0));
}

void refuse_complex(const Backward& s) {
  if (is_complex(s.forward.shape.element_type)) s.refuse("its matrices are complex");
}

}  // namespace

namespace of {

void cholesky(Backward& s) {
  refuse_complex(s);
  build::GraphBuilder& b = s.b;
  const bool is_lower = s.forward.triangular.lower;
  const InstructionId l = is_lower ? s.y : transposed_matrices(b, s.y);
  const InstructionId g = is_lower ? s.g() : transposed_matrices(b, s.g());
  const InstructionId on_diagonal = row_to_column(b, l, ComparisonDirection::eq);
  const InstructionId below = row_to_column(b, l, ComparisonDirection::gt);
  const InstructionId product = product_of_matrices(b, l, true, g, false);
  const InstructionId halved =
      b.select(on_diagonal, b.multiply(product, b.full_like(product, 0.5)), kept_where(b, below, product));
  const InstructionId left = solved(b, l, halved, {.left_side = true, .lower = true, .transpose = true});
  const InstructionId z = solved(b, l, left, {.left_side = false, .lower = true});
  const InstructionId both = b.add(z, transposed_matrices(b, z));
  const InstructionId lower = b.select(on_diagonal, z, kept_where(b, below, both));
  s.give(0, is_lower ? lower : transposed_matrices(b, lower));
}

void triangular_solve(Backward& s) {
  refuse_complex(s);
  build::GraphBuilder& b = s.b;
  const TriangularOptions options = s.forward.triangular;
  TriangularOptions turned = options;
  turned.transpose = !options.transpose;
  const InstructionId of_right = solved(b, s.x(0), s.g(), turned);
  s.give(1, of_right);
  if (!s.wants(0)) return;
  // With x the solution, op(a) has -of_right x^T, or -x^T of_right from the right. That of a is transposed as a is.
  InstructionId of_a = -1;
  if (options.left_side) {
    of_a = options.transpose ? product_of_matrices(b, s.y, false, of_right, true)
                             : product_of_matrices(b, of_right, false, s.y, true);
  } else {
    of_a = options.transpose ? product_of_matrices(b, of_right, true, s.y, false)
                             : product_of_matrices(b, s.y, true, of_right, false);
  }
  ComparisonDirection triangle = options.lower ? ComparisonDirection::ge : ComparisonDirection::le;
  if (options.unit_diagonal) triangle = options.lower ? ComparisonDirection::gt : ComparisonDirection::lt;
  s.give(0, b.negate(kept_where(b, row_to_column(b, of_a, triangle), of_a)));
}

void lu_decomposition(Backward& s) {
  build::GraphBuilder& b = s.b;
  if (s.slopes[0] < 0) return;
  const InstructionId lu = b.get_tuple_element(s.y, 0), order = b.get_tuple_element(s.y, 2);
  const std::vector<std::int64_t> sizes = b.shape(lu).dimensions;
  if (is_complex(b.type(lu))) s.refuse("its matrices are complex");
  if (sizes.back() != sizes[sizes.size() - 2]) s.refuse("its matrices are not square");
  const InstructionId below = row_to_column(b, lu, ComparisonDirection::gt);
  const InstructionId on_diagonal = row_to_column(b, lu, ComparisonDirection::eq);
  const InstructionId zeros = b.full_like(lu, 0), g = s.slopes[0];
  const InstructionId l = b.select(below, lu, b.select(on_diagonal, b.full_like(lu, 1), zeros));
  const InstructionId u = b.select(below, zeros, lu);
  const InstructionId of_l = product_of_matrices(b, l, true, b.select(below, g, zeros), false);
  const InstructionId of_u = product_of_matrices(b, b.select(below, zeros, g), false, u, true);
  const InstructionId both = b.select(below, of_l, of_u);
  const TriangularOptions by_l{.left_side = true, .lower = true, .unit_diagonal = true, .transpose = true};
  const InstructionId left = solved(b, lu, both, by_l);
  const InstructionId solution = solved(b, lu, left, {.left_side = false, .lower = false, .transpose = true});
  const Shape places = make_shape(ElementType::s32, sizes);
  std::vector<std::int64_t> rows(sizes.size() - 1);
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  const InstructionId is_row =
      b.compare(b.broadcast(order, sizes, rows), b.iota(places, places.rank() - 1), ComparisonDirection::eq);
  const InstructionId permutation = b.select(is_row, b.full_like(lu, 1), zeros);
  s.give(0, product_of_matrices(b, permutation, true, solution, false));
}

void symmetric_eigen(Backward& s) {
  build::GraphBuilder& b = s.b;
  const InstructionId v = b.get_tuple_element(s.y, 0), w = b.get_tuple_element(s.y, 1);
  if (is_complex(b.type(v))) s.refuse("its matrices are complex");
  const std::vector<std::int64_t> sizes = b.shape(v).dimensions;
  std::vector<std::int64_t> rows(sizes.size() - 1), columns;
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  columns = rows;
  ++columns.back();
  const InstructionId on_diagonal = row_to_column(b, v, ComparisonDirection::eq);
  const InstructionId zeros = b.full_like(v, 0);
  InstructionId inner = zeros;
  if (s.slopes[0] >= 0) {
    const InstructionId apart = b.subtract(b.broadcast(w, sizes, columns), b.broadcast(w, sizes, rows));
    const InstructionId product = product_of_matrices(b, v, true, s.slopes[0], false);
    inner = b.select(on_diagonal, zeros, b.divide(product, b.select(on_diagonal, b.full_like(v, 1), apart)));
  }
  if (s.slopes[1] >= 0) inner = b.select(on_diagonal, b.broadcast(s.slopes[1], sizes, rows), inner);
  s.give(0, product_of_matrices(b, product_of_matrices(b, v, false, inner, false), false, v, true));
}

}  // namespace of

}  // namespace podsim::hlo::transform::gradient
