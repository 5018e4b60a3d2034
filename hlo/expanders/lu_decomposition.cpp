// SPDX-License-Identifier: Apache-2.0
#include "hlo/expanders/lu_decomposition.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "hlo/build/counted_loop.h"
#include "hlo/expanders/matrices.h"

namespace podsim::hlo::expanders {
namespace {

using build::GraphBuilder;
using build::LoopState;
using enum ComparisonDirection;

/// The first row, s32[.., 1, 1], of the largest element of a column at row j and below; j if there is none but NaN.
InstructionId pivot_of(GraphBuilder& b, InstructionId column, InstructionId j) {
  const std::vector<std::int64_t> sizes = b.shape(column).dimensions;
  const InstructionId rows = row_numbers(b, sizes), place = b.broadcast(j, sizes);
  const InstructionId size = b.select(b.compare(rows, place, ge), b.abs(column), b.full_like(column, -1));
  const auto dimension = std::int64_t(sizes.size()) - 2;
  const std::vector<std::int64_t> one = matrix_sizes(b, column, 1, 1);
  const InstructionId largest = b.reshape(b.reduce_max(size, {dimension}), one);
  const InstructionId none = b.full(b.shape(rows), double(row_count(b, column)));
  const InstructionId candidates = b.select(b.compare(size, repeated(b, largest, sizes), eq), rows, none);
  const InstructionId end = b.constant(ElementType::s32, double(row_count(b, column)));
  const InstructionId first =
      b.reshape(b.reduce(candidates, end, {dimension}, b.combiner(Opcode::minimum, ElementType::s32)), one);
  const InstructionId own = b.broadcast(j, one);
  return b.select(b.compare(first, b.full_like(first, double(row_count(b, column))), lt), first, own);
}

/// Exchanges rows j and `pivot` of x.
InstructionId exchanged(GraphBuilder& b, InstructionId x, InstructionId j, InstructionId pivot) {
  const std::vector<std::int64_t> sizes = b.shape(x).dimensions;
  const InstructionId rows = row_numbers(b, sizes);
  const InstructionId is_pivot = b.compare(rows, repeated(b, pivot, sizes), eq);
  const InstructionId of_pivot = column_sums(b, b.select(is_pivot, x, b.full_like(x, 0)));
  const InstructionId of_step = matrix_part(b, x, j, b.constant(ElementType::s32, 0), 1, column_count(b, x));
  const InstructionId is_step = b.compare(rows, b.broadcast(j, sizes), eq);
  return b.select(is_step, repeated(b, of_pivot, sizes), b.select(is_pivot, repeated(b, of_step, sizes), x));
}

/// One more column of a panel; the state is the panel, the pivots [.., 1, columns] and the permutation [.., rows, 1].
LoopState with_column(GraphBuilder& b, InstructionId j, const LoopState& state) {
  const InstructionId first = b.constant(ElementType::s32, 0);
  const std::int64_t m = row_count(b, state[0]), n = column_count(b, state[0]);
  const InstructionId pivot = pivot_of(b, matrix_part(b, state[0], first, j, m, 1), j);
  const InstructionId panel = exchanged(b, state[0], j, pivot);
  const InstructionId row = matrix_part(b, panel, j, first, 1, n), column = matrix_part(b, panel, first, j, m, 1);
  const std::vector<std::int64_t> of_row = b.shape(row).dimensions, of_column = b.shape(column).dimensions;
  const std::vector<std::int64_t> whole = b.shape(panel).dimensions;
  const InstructionId diagonal = matrix_part(b, row, first, j, 1, 1);
  const InstructionId is_zero = b.compare(diagonal, b.full_like(diagonal, 0), eq);
  const InstructionId divisor = repeated(b, b.select(is_zero, b.full_like(diagonal, 1), diagonal), of_column);
  const InstructionId is_below = b.compare(row_numbers(b, of_column), b.broadcast(j, of_column), gt);
  const InstructionId is_right = b.compare(column_numbers(b, of_row), b.broadcast(j, of_row), gt);
  const InstructionId lower = b.select(is_below, b.divide(column, divisor), b.full_like(column, 0));
  const InstructionId upper = b.select(is_right, row, b.full_like(row, 0));
  const InstructionId rest = b.subtract(panel, b.multiply(repeated(b, lower, whole), repeated(b, upper, whole)));
  return {with_matrix_part(b, rest, b.select(is_below, lower, column), first, j),
          with_matrix_part(b, state[1], pivot, first, j), exchanged(b, state[2], j, pivot)};
}

/// The rows of x in the order `rows`, s32[.., m, 1].
InstructionId rows_in_order(GraphBuilder& b, InstructionId x, InstructionId rows) {
  const int rank = b.shape(x).rank();
  GatherDimensions dimensions;
  dimensions.offset = {rank - 1};
  dimensions.collapsed = dimensions.index_map = {rank - 2};
  dimensions.operand_batching.resize(std::size_t(rank - 2));
  std::iota(dimensions.operand_batching.begin(), dimensions.operand_batching.end(), 0);
  dimensions.indices_batching = dimensions.operand_batching;
  dimensions.index_vector = rank - 1;
  std::vector<std::int64_t> sizes(std::size_t(rank), 1);
  sizes.back() = column_count(b, x);
  return b.gather(x, rows, std::move(dimensions), std::move(sizes));
}

/// Solves l x = right, l with ones on its diagonal.
InstructionId solved(GraphBuilder& b, InstructionId l, InstructionId right) {
  Instruction solve;
  solve.opcode = Opcode::triangular_solve;
  solve.operands = {l, right};
  solve.triangular = {.left_side = true, .lower = true, .unit_diagonal = true, .transpose = false};
  return b.add(std::move(solve));
}

}  // namespace

std::optional<Module> expansion_of_lu(const Computation& computation, InstructionId id) {
  const Instruction& call = computation[id];
  if (!is_call_on_matrices(computation, call, "LuDecomposition", 1) || call.shape.tuple_shapes.size() != 3) {
    return std::nullopt;
  }
  GraphBuilder b("lu");
  InstructionId a = b.parameter(computation[call.operands[0]].shape, "a");
  const std::int64_t m = row_count(b, a), n = column_count(b, a), count = std::min(m, n);
  const auto numbers = [&](std::int64_t rows, std::int64_t columns) {
    return make_shape(ElementType::s32, matrix_sizes(b, a, rows, columns));
  };
  InstructionId pivots = b.full(numbers(1, count), 0), permutation = row_numbers(b, matrix_sizes(b, a, m, 1));
  for (std::int64_t i = 0; i < count; i += factorisation_block) {
    const std::int64_t width = std::min(factorisation_block, count - i), end = i + width;
    const InstructionId none = b.full(numbers(1, width), 0);
    const InstructionId unchanged = row_numbers(b, matrix_sizes(b, a, m - i, 1));
    const LoopState done = build::counted_loop(b, "columns_of_panel", width,
                                               {matrix_slice(b, a, i, m, i, end), none, unchanged}, with_column);
    a = with_matrix_slice(b, a, rows_in_order(b, matrix_slice(b, a, i, m, 0, n), done[2]), i, 0);
    a = with_matrix_slice(b, a, done[0], i, i);
    pivots = with_matrix_slice(b, pivots, b.add(done[1], b.full_like(done[1], double(i))), 0, i);
    permutation =
        with_matrix_slice(b, permutation, rows_in_order(b, matrix_slice(b, permutation, i, m, 0, 1), done[2]), i, 0);
    if (end == n) break;
    const InstructionId upper =
        solved(b, matrix_slice(b, done[0], 0, width, 0, width), matrix_slice(b, a, i, end, end, n));
    a = with_matrix_slice(b, a, upper, i, end);
    if (end == m) break;
    const InstructionId product = matrix_product(b, {matrix_slice(b, done[0], width, m - i, 0, width)}, {upper});
    a = with_matrix_slice(b, a, b.subtract(matrix_slice(b, a, end, m, end, n), product), end, end);
  }
  const InstructionId root = b.tuple({a, b.reshape(pivots, call.shape.tuple_shapes[1].dimensions),
                                      b.reshape(permutation, call.shape.tuple_shapes[2].dimensions)});
  return std::move(b).build(root);
}

}  // namespace podsim::hlo::expanders
