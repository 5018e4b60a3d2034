// SPDX-License-Identifier: Apache-2.0
#include "hlo/weights/moves.h"

#include <algorithm>
#include <utility>

namespace podsim::hlo::weights {

bool moves_elements(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::transpose:
    case Opcode::reshape:
    case Opcode::slice:
    case Opcode::dynamic_slice:
    case Opcode::gather:
    case Opcode::broadcast:
    case Opcode::reverse:
    case Opcode::copy:
      return instruction.phase == AsyncPhase::none && !instruction.shape.is_tuple();
    default:
      return false;
  }
}

bool converts_weight(const Computation& computation, const Instruction& instruction) {
  if (instruction.opcode != Opcode::convert) return false;
  const auto is_float = [](ElementType type) { return type == ElementType::bf16 || type == ElementType::f32; };
  return is_float(instruction.shape.element_type) && is_float(computation[instruction.operands[0]].shape.element_type);
}

std::vector<ReshapedRun> reshaped_runs(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to) {
  std::vector<ReshapedRun> runs;
  std::size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    ReshapedRun run{.from = int(i), .to = int(j)};
    if (i < from.size() && from[i] == 1) {
      runs.push_back({run.from, int(++i), run.to, run.to});
      continue;
    }
    if (j < to.size() && to[j] == 1) {
      runs.push_back({run.from, run.from, run.to, int(++j)});
      continue;
    }
    std::int64_t left = i < from.size() ? from[i++] : 1, right = j < to.size() ? to[j++] : 1;
    while (left != right) {
      if (left < right) {
        left *= from[i++];
      } else {
        right *= to[j++];
      }
    }
    run.from_end = int(i);
    run.to_end = int(j);
    runs.push_back(run);
  }
  return runs;
}

std::vector<bool> indexed_dimensions(const Instruction& gather, int rank) {
  std::vector<bool> indexed(std::size_t(rank), false);
  for (const auto& list : {gather.gather->index_map, gather.gather->collapsed, gather.gather->operand_batching}) {
    for (const int dimension : list) indexed[std::size_t(dimension)] = true;
  }
  return indexed;
}

std::vector<int> gathered_dimensions(const Instruction& gather, int rank) {
  const GatherDimensions& dimensions = *gather.gather;
  const auto has = [](const std::vector<int>& list, int d) { return std::ranges::find(list, d) != list.end(); };
  std::vector<int> of_result(std::size_t(gather.shape.rank()), -1);
  int next = 0;
  for (const int dimension : dimensions.offset) {
    while (next < rank && (has(dimensions.collapsed, next) || has(dimensions.operand_batching, next))) ++next;
    of_result[std::size_t(dimension)] = next++;
  }
  return of_result;
}

std::vector<int> result_dimensions(const Computation& computation, const Instruction& product, std::size_t operand) {
  const int rank = computation[product.operands[operand]].shape.rank();
  std::vector<int> of_operand(std::size_t(rank), -1);
  if (product.opcode == Opcode::convolution) {
    const int own = product.convolution->kernel_output_feature;
    if (operand == 1) of_operand[std::size_t(own)] = product.convolution->output_feature;
    return of_operand;
  }
  const DotDimensions& dot = *product.dot;
  const std::vector<int>& batch = operand == 0 ? dot.lhs_batch : dot.rhs_batch;
  const std::vector<int>& summed = operand == 0 ? dot.lhs_contracting : dot.rhs_contracting;
  for (std::size_t i = 0; i < batch.size(); ++i) of_operand[std::size_t(batch[i])] = int(i);
  int next = int(batch.size());
  if (operand == 1) {
    const int lhs = computation[product.operands[0]].shape.rank();
    next = lhs - int(dot.lhs_contracting.size());
  }
  for (int d = 0; d < rank; ++d) {
    const bool taken = of_operand[std::size_t(d)] >= 0 || std::ranges::find(summed, d) != summed.end();
    if (!taken) of_operand[std::size_t(d)] = next++;
  }
  return of_operand;
}

}  // namespace podsim::hlo::weights
