// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/transposed_products.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sw/compiler/fuse/rebuild.h"

namespace podsim::sw::compiler::fuse {
namespace {

std::vector<int> reader_counts(const hlo::Computation& computation) {
  std::vector<int> counts(computation.instructions.size(), 0);
  ++counts[std::size_t(computation.root)];
  for (const hlo::Instruction& instruction : computation.instructions) {
    for (const hlo::InstructionId operand : instruction.operands) ++counts[std::size_t(operand)];
  }
  return counts;
}

/// True if the result of `transpose` has the dot's batch dimensions, then those of its right operand, then those of its
/// left one.
bool exchanges_sides(const hlo::Computation& computation, const hlo::Instruction& transpose,
                     const hlo::Instruction& dot) {
  const int rank = dot.shape.rank(), batch = int(dot.dot->lhs_batch.size());
  const int left = computation[dot.operands[0]].shape.rank() - batch - int(dot.dot->lhs_contracting.size());
  const int right = rank - batch - left;
  if (left < 1 || right < 1) return false;
  for (int i = 0; i < rank; ++i) {
    const int from = i < batch ? i : i < batch + right ? i + left : i - right;
    if (transpose.dimensions[std::size_t(i)] != from) return false;
  }
  return true;
}

/// "{highest,default}" for exchanged operands.
std::string exchanged(const std::string& precision) {
  const std::size_t comma = precision.find(',');
  if (comma == std::string::npos) return precision;
  return "{" + precision.substr(comma + 1, precision.size() - comma - 2) + "," + precision.substr(1, comma - 1) + "}";
}

}  // namespace

void exchange_operands_of_transposed_dots(hlo::Computation& computation) {
  const std::vector<int> readers = reader_counts(computation);
  bool changed = false;
  for (hlo::Instruction& transpose : computation.instructions) {
    if (transpose.opcode != hlo::Opcode::transpose) continue;
    hlo::Instruction& dot = computation.instructions[std::size_t(transpose.operands[0])];
    if (dot.opcode != hlo::Opcode::dot || dot.operands.size() != 2 ||
        readers[std::size_t(transpose.operands[0])] != 1 || dot.shape.element_type != transpose.shape.element_type ||
        !exchanges_sides(computation, transpose, dot)) {
      continue;
    }
    hlo::Instruction product = dot;
    product.shape = transpose.shape;
    std::swap(product.operands[0], product.operands[1]);
    hlo::DotDimensions& roles = product.dot.edit();
    std::swap(roles.lhs_batch, roles.rhs_batch);
    std::swap(roles.lhs_contracting, roles.rhs_contracting);
    product.operand_precision = exchanged(dot.operand_precision);
    product.sharding = transpose.sharding;
    dot.name.swap(transpose.name);  // nothing reads it any more
    transpose = std::move(product);
    changed = true;
  }
  if (changed) computation = sorted_topologically(std::move(computation));
}

}  // namespace podsim::sw::compiler::fuse
