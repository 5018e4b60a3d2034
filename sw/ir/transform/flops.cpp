// SPDX-License-Identifier: Apache-2.0
#include "sw/ir/transform/flops.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "sw/ir/rules/shape_inference.h"

namespace podsim::sw::ir::transform {

bool is_matmul(Opcode opcode) { return opcode == Opcode::convolution || opcode == Opcode::dot; }

bool is_transcendental(Opcode opcode) {
  switch (opcode) {
    case Opcode::acos:
    case Opcode::acosh:
    case Opcode::asin:
    case Opcode::asinh:
    case Opcode::atan2:
    case Opcode::atanh:
    case Opcode::cbrt:
    case Opcode::cosh:
    case Opcode::cosine:
    case Opcode::erf:
    case Opcode::exponential:
    case Opcode::exponential_minus_one:
    case Opcode::log:
    case Opcode::log_plus_one:
    case Opcode::logistic:
    case Opcode::power:
    case Opcode::rsqrt:
    case Opcode::sine:
    case Opcode::sinh:
    case Opcode::sqrt:
    case Opcode::tan:
    case Opcode::tanh:
      return true;
    default:
      return false;
  }
}

namespace {

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && a < 0); }

/// Number of o in [0, count) with 0 <= o * step + offset <= high for which o * step + offset is a multiple of
/// `modulus`.
std::int64_t count_multiples(std::int64_t count, std::int64_t step, std::int64_t offset, std::int64_t modulus,
                             std::int64_t high) {
  const std::int64_t common = std::gcd(step, modulus);
  if (offset % common != 0) return 0;
  const std::int64_t period = modulus / common;
  std::int64_t phase = 0;
  while ((phase * step + offset) % modulus != 0) ++phase;
  // The solutions are phase + i * period; `first` and `last` bound the range.
  const std::int64_t first = std::max<std::int64_t>(-floor_divide(offset, step), 0);
  const std::int64_t last = std::min(floor_divide(high - offset, step), count - 1);
  return last < first ? 0 : floor_divide(last - phase, period) - floor_divide(first - 1 - phase, period);
}

Cost operator*(Cost cost, std::int64_t times) {
  cost.flops *= times;
  cost.transcendentals *= times;
  return cost;
}

/// Computes FLOPs and transcendentals of an instruction; bytes stay 0.
class Arithmetic {
 public:
  Arithmetic(const Module& module, const Computation& computation) : module_(module), computation_(computation) {}

  Cost of(const Instruction& instruction) const {
    const std::int64_t elements = instruction.shape.element_count();
    if (is_elementwise(instruction.opcode)) return elementwise(instruction.opcode, elements);
    switch (instruction.opcode) {
      case Opcode::convolution:
      case Opcode::dot:
        return {2 * multiply_accumulates(instruction, operand(instruction, 0), operand(instruction, 1)), 0, {}};
      case Opcode::reduce:
        return called(instruction, 0) * std::max<std::int64_t>(0, operand(instruction, 0).element_count() - elements);
      case Opcode::reduce_window:
        return called(instruction, 0) * (elements * (window_elements(instruction) - 1));
      case Opcode::select_and_scatter: {
        Cost cost = called(instruction, 0) * (window_elements(instruction) - 1);
        cost += called(instruction, 1);
        return cost * operand(instruction, 1).element_count();
      }
      case Opcode::all_reduce: {
        Cost cost;
        for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
          cost.flops += operand(instruction, i).element_count();
        }
        return cost;
      }
      case Opcode::fusion:
        return called(instruction, 0);
      default:
        return {};
    }
  }

  Cost of_all() const {
    Cost sum;
    for (const Instruction& instruction : computation_.instructions) sum += of(instruction);
    return sum;
  }

 private:
  static Cost elementwise(Opcode opcode, std::int64_t elements) {
    if (opcode == Opcode::copy) return {};
    return is_transcendental(opcode) ? Cost{0, elements, {}} : Cost{elements, 0, {}};
  }

  const Shape& operand(const Instruction& instruction, std::size_t i) const {
    return computation_[instruction.operands[i]].shape;
  }

  Cost called(const Instruction& instruction, std::size_t i) const {
    return Arithmetic(module_, module_.computations[instruction.called[i]]).of_all();
  }

  static std::int64_t window_elements(const Instruction& instruction) {
    std::int64_t count = 1;
    for (const WindowDimension& window : instruction.window) count *= window.size;
    return count;
  }

  const Module& module_;
  const Computation& computation_;
};

bool moves_data(Opcode opcode) {
  switch (opcode) {
    case Opcode::parameter:
    case Opcode::constant:
    case Opcode::tuple:
    case Opcode::get_tuple_element:
      return false;
    default:
      return true;
  }
}

base::Bytes bytes_moved(const Computation& computation, const Instruction& instruction) {
  if (!moves_data(instruction.opcode)) return {};
  base::Bytes bytes = padded_bytes(instruction.shape);
  std::vector<InstructionId> operands = instruction.operands;
  std::ranges::sort(operands);
  operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
  for (InstructionId operand : operands) bytes += padded_bytes(computation[operand].shape);
  return bytes;
}

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  flops += other.flops;
  transcendentals += other.transcendentals;
  bytes += other.bytes;
  return *this;
}

std::int64_t valid_window_positions(std::int64_t input, const WindowDimension& window) {
  const std::int64_t outputs = rules::window_output_size(input, window);
  const std::int64_t high = (input - 1) * window.base_dilation;
  std::int64_t valid = 0;
  for (std::int64_t tap = 0; tap < window.size; ++tap) {
    const std::int64_t offset = tap * window.window_dilation - window.padding_low;
    valid += count_multiples(outputs, window.stride, offset, window.base_dilation, high);
  }
  return valid;
}

std::int64_t multiply_accumulates(const Instruction& instruction, const Shape& lhs, const Shape& rhs) {
  if (instruction.opcode == Opcode::dot) {
    std::int64_t count = instruction.shape.element_count();
    for (int dimension : instruction.dot.lhs_contracting) count *= lhs.dimensions[dimension];
    return count;
  }
  assert(instruction.opcode == Opcode::convolution);
  const ConvolutionDimensions& roles = instruction.convolution;
  std::int64_t count = lhs.dimensions[roles.input_batch] * lhs.dimensions[roles.input_feature] *
                       rhs.dimensions[roles.kernel_output_feature];
  for (std::size_t i = 0; i < instruction.window.size(); ++i) {
    count *= valid_window_positions(lhs.dimensions[roles.input_spatial[i]], instruction.window[i]);
  }
  return count;
}

Cost cost(const Module& module, const Computation& computation, InstructionId id) {
  Cost result = Arithmetic(module, computation).of(computation[id]);
  result.bytes = bytes_moved(computation, computation[id]);
  return result;
}

Cost cost(const Module& module) {
  const Computation& entry = module.entry_computation();
  Cost sum;
  for (InstructionId id = 0; id < int(entry.instructions.size()); ++id) sum += cost(module, entry, id);
  return sum;
}

}  // namespace podsim::sw::ir::transform
