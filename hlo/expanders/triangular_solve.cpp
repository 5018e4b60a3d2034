// SPDX-License-Identifier: Apache-2.0
#include "hlo/expanders/triangular_solve.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "hlo/build/counted_loop.h"
#include "hlo/expanders/matrices.h"
#include "hlo/expanders/replace.h"

namespace podsim::hlo::expanders {
namespace {

using build::GraphBuilder;
using build::LoopState;

/// The row of the inverse at `i`: (unit vector - row of the triangle without its diagonal x inverse so far) / diagonal.
/// Rows of `inverse` that are not known yet are 0, and so is the other triangle of `a`.
InstructionId next_row(GraphBuilder& b, InstructionId a, InstructionId inverse, InstructionId i, bool unit_diagonal) {
  const std::int64_t size = b.shape(a).dimensions.back();
  const InstructionId row = matrix_part(b, a, i, b.constant(ElementType::s32, 0), 1, size);
  const Shape columns = make_shape(ElementType::s32, b.shape(row).dimensions);
  const InstructionId is_diagonal =
      b.compare(b.iota(columns, columns.rank() - 1), b.broadcast(i, columns.dimensions), ComparisonDirection::eq);
  const InstructionId zeros = b.full_like(row, 0);
  const InstructionId products = matrix_product(b, {b.select(is_diagonal, zeros, row)}, {inverse});
  const InstructionId rest = b.subtract(b.select(is_diagonal, b.full_like(row, 1), zeros), products);
  if (unit_diagonal) return rest;
  const InstructionId pivot = matrix_part(b, row, b.constant(ElementType::s32, 0), i, 1, 1);
  return b.divide(rest, repeated(b, pivot, b.shape(rest).dimensions));
}

/// A matrix with zeros on the other side of its diagonal.
InstructionId triangle(GraphBuilder& b, InstructionId a, bool lower) {
  const Shape places = make_shape(ElementType::s32, b.shape(a).dimensions);
  const InstructionId row = b.iota(places, places.rank() - 2), column = b.iota(places, places.rank() - 1);
  const auto kept = lower ? ComparisonDirection::ge : ComparisonDirection::le;
  return b.select(b.compare(row, column, kept), a, b.full_like(a, 0));
}

InstructionId inverses(GraphBuilder& b, InstructionId blocks, const TriangularOptions& options) {
  const std::int64_t size = b.shape(blocks).dimensions.back();
  const InstructionId triangles = triangle(b, blocks, options.lower);
  const auto step = [&](GraphBuilder& body, InstructionId trip, const LoopState& state) -> LoopState {
    const InstructionId last = body.constant(ElementType::s32, double(size - 1));
    const InstructionId i = options.lower ? trip : body.subtract(last, trip);
    const InstructionId row = next_row(body, state[0], state[1], i, options.unit_diagonal);
    return {state[0], with_matrix_part(body, state[1], row, i, body.constant(ElementType::s32, 0))};
  };
  return build::counted_loop(b, "inverse_of_blocks", size, {triangles, b.full_like(triangles, 0)}, step)[1];
}

/// Solves op(a) x = b, or x op(a) = b.
class BlockSolver {
 public:
  BlockSolver(GraphBuilder& builder, InstructionId a, InstructionId right, const TriangularOptions& options)
      : b_(builder),
        a_(a),
        right_(right),
        options_(options),
        size_(builder.shape(a).dimensions.back()),
        block_(std::min(size_, factorisation_block)),
        solved_(builder.full_like(right, 0)) {}

  InstructionId solve() {
    const std::int64_t whole = size_ / block_, rest = size_ % block_;
    std::vector<InstructionId> diagonal;
    for (std::int64_t i = 0; i < whole; ++i) diagonal.push_back(in_batch(block_of(i, i)));
    const InstructionId inverted = inverses(b_, b_.concatenate(diagonal, 0), options_);
    const InstructionId last = rest > 0 ? inverses(b_, block_of(whole, whole), options_) : -1;
    const std::int64_t blocks = whole + (rest > 0 ? 1 : 0);
    for (std::int64_t step = 0; step < blocks; ++step) {
      const std::int64_t i = runs_forward() ? step : blocks - 1 - step;
      solve_block(i, step, i < whole ? out_of_batch(inverted, i) : last);
    }
    return solved_;
  }

 private:
  /// Blocks are solved from the first one if op(a) is lower and on the left, or upper and on the right.
  bool runs_forward() const { return (options_.lower != options_.transpose) == options_.left_side; }
  std::int64_t begin(std::int64_t block) const { return block * block_; }
  std::int64_t end(std::int64_t block) const { return std::min(size_, (block + 1) * block_); }

  InstructionId block_of(std::int64_t row, std::int64_t column) {
    return matrix_slice(b_, a_, begin(row), end(row), begin(column), end(column));
  }

  /// One more batch dimension in front, of one element.
  InstructionId in_batch(InstructionId x) {
    std::vector<std::int64_t> sizes = b_.shape(x).dimensions;
    sizes.insert(sizes.begin(), 1);
    return b_.reshape(x, std::move(sizes));
  }
  InstructionId out_of_batch(InstructionId x, std::int64_t i) {
    std::vector<SliceDimension> slice;
    for (const std::int64_t size : b_.shape(x).dimensions) slice.push_back({0, size, 1});
    slice.front() = {i, i + 1, 1};
    std::vector<std::int64_t> sizes(b_.shape(x).dimensions.begin() + 1, b_.shape(x).dimensions.end());
    return b_.reshape(b_.slice(x, std::move(slice)), std::move(sizes));
  }

  /// Rows, or columns, [first, last) of the right-hand side's shape.
  InstructionId part(InstructionId x, std::int64_t first, std::int64_t last) {
    const std::vector<std::int64_t>& sizes = b_.shape(x).dimensions;
    return options_.left_side ? matrix_slice(b_, x, first, last, 0, sizes.back())
                              : matrix_slice(b_, x, 0, sizes[sizes.size() - 2], first, last);
  }

  /// Computes block i with the inverse of its diagonal block, after `known` blocks.
  void solve_block(std::int64_t i, std::int64_t known, InstructionId inverse) {
    InstructionId rest = part(right_, begin(i), end(i));
    if (known > 0) {
      const std::int64_t first = runs_forward() ? 0 : end(i), last = runs_forward() ? begin(i) : size_;
      // Elements of op(a) that are in rows i on the left, in columns i on the right.
      const bool rows_are_block = options_.left_side != options_.transpose;
      const InstructionId coefficients = rows_are_block ? matrix_slice(b_, a_, begin(i), end(i), first, last)
                                                        : matrix_slice(b_, a_, first, last, begin(i), end(i));
      rest = b_.subtract(rest, product(coefficients, part(solved_, first, last)));
    }
    const InstructionId block = product(inverse, rest);
    solved_ = options_.left_side ? with_matrix_slice(b_, solved_, block, begin(i), 0)
                                 : with_matrix_slice(b_, solved_, block, 0, begin(i));
  }

  /// op(m) x, or x op(m).
  InstructionId product(InstructionId m, InstructionId x) {
    return options_.left_side ? matrix_product(b_, {m, options_.transpose}, {x})
                              : matrix_product(b_, {x}, {m, options_.transpose});
  }

  GraphBuilder& b_;
  InstructionId a_, right_;
  const TriangularOptions& options_;
  std::int64_t size_, block_;
  InstructionId solved_;
};

std::optional<Module> expansion_of_solve(const Computation& computation, InstructionId id) {
  const Instruction& instruction = computation[id];
  const Shape& shape = instruction.shape;
  if (instruction.opcode != Opcode::triangular_solve || is_complex(shape.element_type) || shape.element_count() == 0) {
    return std::nullopt;
  }
  GraphBuilder b("triangular_solve");
  const InstructionId a = b.parameter(computation[instruction.operands[0]].shape, "a");
  const InstructionId right = b.parameter(computation[instruction.operands[1]].shape, "b");
  const InstructionId solved = BlockSolver(b, a, right, instruction.triangular).solve();
  return std::move(b).build(solved);
}

}  // namespace

void expand_triangular_solves(Module& module) { replace_instructions(module, expansion_of_solve); }

}  // namespace podsim::hlo::expanders
