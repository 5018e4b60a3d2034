// SPDX-License-Identifier: Apache-2.0
#include "hlo/expanders/cholesky.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "hlo/build/counted_loop.h"
#include "hlo/expanders/matrices.h"
#include "hlo/expanders/replace.h"

namespace podsim::hlo::expanders {
namespace {

using build::GraphBuilder;
using build::LoopState;

/// The column of a factor at step `j` of its block: zeros above the diagonal, the root of the pivot, and what is below
/// over that root. `a` is the block, `l` its columns so far, with zeros in the others.
InstructionId next_column(GraphBuilder& b, InstructionId a, InstructionId l, InstructionId j) {
  const std::int64_t size = b.shape(a).dimensions.back();
  const InstructionId row = matrix_part(b, l, j, b.constant(ElementType::s32, 0), 1, size);
  const InstructionId products = matrix_product(b, {l}, {row, true});
  const InstructionId rest = b.subtract(matrix_part(b, a, b.constant(ElementType::s32, 0), j, size, 1), products);
  const InstructionId pivot = matrix_part(b, rest, j, b.constant(ElementType::s32, 0), 1, 1);
  const InstructionId none = b.full_like(pivot, std::numeric_limits<double>::quiet_NaN());
  const InstructionId is_positive = b.compare(pivot, b.full_like(pivot, 0), ComparisonDirection::gt);
  const InstructionId root = repeated(b, b.select(is_positive, b.sqrt(pivot), none), b.shape(rest).dimensions);
  const Shape rows = make_shape(ElementType::s32, b.shape(rest).dimensions);
  const InstructionId at = b.iota(rows, rows.rank() - 2), step = b.broadcast(j, rows.dimensions);
  const InstructionId below =
      b.select(b.compare(at, step, ComparisonDirection::gt), b.divide(rest, root), b.full_like(rest, 0));
  return b.select(b.compare(at, step, ComparisonDirection::eq), root, below);
}

InstructionId factor_of_block(GraphBuilder& b, InstructionId block) {
  const std::int64_t size = b.shape(block).dimensions.back();
  const auto step = [](GraphBuilder& body, InstructionId j, const LoopState& state) -> LoopState {
    const InstructionId column = next_column(body, state[0], state[1], j);
    return {state[0], with_matrix_part(body, state[1], column, body.constant(ElementType::s32, 0), j)};
  };
  return build::counted_loop(b, "cholesky_block", size, {block, b.full_like(block, 0)}, step)[1];
}

/// The lower factor of matrices in the last two dimensions.
InstructionId lower_factor(GraphBuilder& b, InstructionId a) {
  const std::int64_t size = b.shape(a).dimensions.back();
  InstructionId l = b.full_like(a, 0);
  for (std::int64_t i = 0; i < size; i += factorisation_block) {
    const std::int64_t k = std::min(factorisation_block, size - i);
    InstructionId panel = matrix_slice(b, a, i, size, i, i + k);
    if (i > 0) {
      const InstructionId before = matrix_slice(b, l, i, size, 0, i), rows = matrix_slice(b, l, i, i + k, 0, i);
      panel = b.subtract(panel, matrix_product(b, {before}, {rows, true}));
    }
    const InstructionId factor = factor_of_block(b, matrix_slice(b, panel, 0, k, 0, k));
    l = with_matrix_slice(b, l, factor, i, i);
    if (i + k == size) break;
    Instruction solve;
    solve.opcode = Opcode::triangular_solve;
    solve.operands = {factor, matrix_slice(b, panel, k, size - i, 0, k)};
    solve.triangular = {.left_side = false, .lower = true, .unit_diagonal = false, .transpose = true};
    l = with_matrix_slice(b, l, b.add(std::move(solve)), i + k, i);
  }
  return l;
}

std::optional<Module> expansion_of_cholesky(const Computation& computation, InstructionId id) {
  const Instruction& instruction = computation[id];
  const Shape& shape = instruction.shape;
  if (instruction.opcode != Opcode::cholesky || is_complex(shape.element_type) || shape.element_count() == 0) {
    return std::nullopt;
  }
  GraphBuilder b("cholesky");
  const InstructionId a = b.parameter(computation[instruction.operands[0]].shape, "a");
  const bool lower = instruction.triangular.lower;
  const InstructionId factor = lower_factor(b, lower ? a : transposed_matrices(b, a));
  const InstructionId root = lower ? factor : transposed_matrices(b, factor);
  return std::move(b).build(root);
}

}  // namespace

void expand_cholesky(Module& module) { replace_instructions(module, expansion_of_cholesky); }

}  // namespace podsim::hlo::expanders
