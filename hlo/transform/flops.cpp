// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/flops.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>
#include <vector>

#include "hlo/op_table.h"
#include "hlo/rules/shape_inference.h"

namespace podsim::hlo::transform {

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

/// The sum of floor((step * i + offset) / divisor) over i in [0, count); no argument is negative, divisor > 0.
std::int64_t sum_of_floors(std::int64_t count, std::int64_t divisor, std::int64_t step, std::int64_t offset) {
  if (count == 0) return 0;
  std::int64_t sum = (count - 1) * count / 2 * (step / divisor) + count * (offset / divisor);
  step %= divisor;
  offset %= divisor;
  const std::int64_t most = step * count + offset;
  // The lattice points under the line, counted along the other axis: Euclid's algorithm on step and divisor.
  if (most >= divisor) sum += sum_of_floors(most / divisor, step, divisor, most % divisor);
  return sum;
}

/// A row of equally spaced positions.
struct Positions {
  std::int64_t count = 0, step = 0;
};

/// Number of pairs of a position of `a` and one of `b` whose sum is at most `most`.
std::int64_t pairs_up_to(std::int64_t most, const Positions& a, const Positions& b) {
  // The first `all` of b take every a, those from `some` on none.
  const std::int64_t some = std::clamp<std::int64_t>(floor_divide(most, b.step) + 1, 0, b.count);
  const std::int64_t all = std::clamp<std::int64_t>(floor_divide(most - (a.count - 1) * a.step, b.step) + 1, 0, some);
  const std::int64_t rest = some - all;
  return all * a.count + rest + sum_of_floors(rest, a.step, b.step, rest == 0 ? 0 : most - (some - 1) * b.step);
}

/// The x in [0, modulus) with x * factor = 1 modulo `modulus`; both are coprime.
std::int64_t inverse(std::int64_t factor, std::int64_t modulus) {
  std::int64_t r = modulus, next = factor % modulus, x = 0, next_x = 1;
  while (next > 0) {
    const std::int64_t quotient = r / next;
    r = std::exchange(next, r - quotient * next);
    x = std::exchange(next_x, x - quotient * next_x);
  }
  return x < 0 ? x + modulus : x % modulus;
}

Cost operator*(Cost cost, std::int64_t times) {
  cost.flops *= times;
  cost.transcendentals *= times;
  return cost;
}

/// An instruction whose FLOPs and transcendentals are counted; bytes stay 0.
class Counted {
 public:
  Counted(const Module& module, const Computation& computation, const Instruction& instruction)
      : module_(module), computation_(computation), instruction_(instruction) {}

  Cost cost() const;

  Cost elementwise() const {
    return is_transcendental(instruction_.opcode) ? Cost{0, elements(), {}} : Cost{elements(), 0, {}};
  }
  Cost product() const { return {2 * multiply_accumulates(instruction_, operand(0), operand(1)), 0, {}}; }
  Cost reduction() const { return called(0) * std::max<std::int64_t>(0, operand(0).element_count() - elements()); }
  Cost window() const { return called(0) * (elements() * (window_elements() - 1)); }
  Cost select_and_scatter() const {
    Cost cost = called(0) * (window_elements() - 1);
    cost += called(1);
    return cost * operand(1).element_count();
  }
  Cost all_reduce() const {
    Cost cost;
    for (std::size_t i = 0; i < instruction_.operands.size(); ++i) cost.flops += operand(i).element_count();
    return cost;
  }
  Cost fusion() const { return called(0); }

 private:
  std::int64_t elements() const { return instruction_.shape.element_count(); }
  const Shape& operand(std::size_t i) const { return computation_[instruction_.operands[i]].shape; }

  /// The sum over a called computation.
  Cost called(std::size_t i) const {
    const Computation& computation = module_.computations[std::size_t(instruction_.called[i])];
    Cost sum;
    for (const Instruction& instruction : computation.instructions) {
      sum += Counted(module_, computation, instruction).cost();
    }
    return sum;
  }

  std::int64_t window_elements() const {
    std::int64_t count = 1;
    for (const WindowDimension& window : instruction_.window) count *= window.size;
    return count;
  }

  const Module& module_;
  const Computation& computation_;
  const Instruction& instruction_;
};

using CountRule = Cost (Counted::*)() const;

constexpr OpTable<CountRule> count_rules({
    of_elementwise<CountRule>({&Counted::elementwise}, Opcode::copy),
    yes<CountRule>(&Counted::product, Opcode::convolution, Opcode::dot, Opcode::ragged_dot),
    yes<CountRule>(&Counted::reduction, Opcode::reduce),
    yes<CountRule>(&Counted::window, Opcode::reduce_window),
    yes<CountRule>(&Counted::select_and_scatter, Opcode::select_and_scatter),
    yes<CountRule>(&Counted::all_reduce, Opcode::all_reduce),
    yes<CountRule>(&Counted::fusion, Opcode::fusion),
    no<CountRule>("it names, makes or moves values", Opcode::add_dependency, Opcode::after_all, Opcode::bitcast,
                  Opcode::bitcast_convert, Opcode::broadcast, Opcode::concatenate, Opcode::constant, Opcode::copy,
                  Opcode::domain, Opcode::dynamic_reshape, Opcode::dynamic_slice, Opcode::dynamic_update_slice,
                  Opcode::gather, Opcode::get_dimension_size, Opcode::get_tuple_element, Opcode::iota,
                  Opcode::opt_barrier, Opcode::pad, Opcode::parameter, Opcode::partition_id, Opcode::replica_id,
                  Opcode::reshape, Opcode::reverse, Opcode::set_dimension_size, Opcode::slice, Opcode::transpose,
                  Opcode::tuple, Opcode::tuple_select),
    no<CountRule>("it moves values between devices", Opcode::all_gather, Opcode::all_to_all,
                  Opcode::collective_broadcast, Opcode::collective_permute, Opcode::ragged_all_to_all, Opcode::send,
                  Opcode::send_done, Opcode::recv, Opcode::recv_done, Opcode::infeed, Opcode::outfeed),
    no<CountRule>("it calls computations, which are counted by themselves", Opcode::call, Opcode::conditional,
                  Opcode::while_loop),
    no<CountRule>("it counts none in XLA's cost analysis", Opcode::rng, Opcode::rng_bit_generator,
                  Opcode::rng_get_and_update_state, Opcode::sort, Opcode::topk),
    no<CountRule>("it is not counted here", Opcode::batch_norm_grad, Opcode::batch_norm_inference,
                  Opcode::batch_norm_training, Opcode::cholesky, Opcode::fft, Opcode::map, Opcode::reduce_scatter,
                  Opcode::scaled_dot, Opcode::scan, Opcode::scatter, Opcode::triangular_solve),
    no<CountRule>("it does what only its implementation knows", Opcode::custom_call),
    no_of_text_forms<CountRule>(),
});

Cost Counted::cost() const {
  if (instruction_.opcode == Opcode::unknown) return {};
  const OpAnswer<CountRule>& answer = count_rules[instruction_.opcode];
  return answer ? (this->*answer.rule)() : Cost{};
}

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

const char* why_no_flops(Opcode opcode) { return count_rules.why_not(opcode); }

Cost& Cost::operator+=(const Cost& other) {
  flops += other.flops;
  transcendentals += other.transcendentals;
  bytes += other.bytes;
  return *this;
}

std::int64_t valid_window_positions(std::int64_t input, const WindowDimension& window) {
  const std::int64_t outputs = rules::window_output_size(input, window);
  if (outputs == 0 || input == 0) return 0;
  // An output and a tap meet an element where output * stride + tap * window_dilation - padding_low is a multiple of
  // base_dilation. Taps that differ by tap_period, and outputs that differ by output_period, do so alike.
  const std::int64_t dilation = window.base_dilation;
  const std::int64_t tap_period = dilation / std::gcd(dilation, window.window_dilation);
  const std::int64_t common = std::gcd(dilation, window.stride);
  const std::int64_t output_period = dilation / common;
  const std::int64_t back = inverse(window.stride / common, output_period);
  const std::int64_t tap_step = window.window_dilation / (dilation / tap_period);
  std::int64_t valid = 0;
  for (std::int64_t tap = 0; tap < std::min(window.size, tap_period); ++tap) {
    const std::int64_t wanted = window.padding_low - tap * window.window_dilation;
    if (wanted % common != 0) continue;
    const std::int64_t first = wanted / common % output_period;
    const std::int64_t output = (first < 0 ? first + output_period : first) * back % output_period;
    if (output >= outputs) continue;
    const std::int64_t origin = (output * window.stride - wanted) / dilation;
    const Positions here{base::divide_round_up(outputs - output, output_period), window.stride / common};
    const Positions taps{base::divide_round_up(window.size - tap, tap_period), tap_step};
    valid += pairs_up_to(input - 1 - origin, here, taps) - pairs_up_to(-1 - origin, here, taps);
  }
  return valid;
}

std::int64_t window_inputs(std::int64_t input, std::int64_t outputs, const WindowDimension& window) {
  const std::int64_t common = std::gcd(window.stride, window.window_dilation);
  const std::int64_t period = window.stride / common;  // taps that differ by it meet the same elements
  const std::int64_t back = inverse(window.window_dilation / common, period);
  std::int64_t count = 0;
  for (std::int64_t element = 0; element < input; ++element) {
    const std::int64_t place = element * window.base_dilation + window.padding_low;
    if (place < 0 || place % common != 0) continue;
    const std::int64_t before = place - (outputs - 1) * window.stride;
    const std::int64_t first = before <= 0 ? 0 : base::divide_round_up(before, window.window_dilation);
    const std::int64_t last = std::min(window.size - 1, place / window.window_dilation);
    const std::int64_t tap = place / common % period * back % period;
    const std::int64_t ahead = (tap - first % period + period) % period;
    count += first + ahead <= last ? 1 : 0;
  }
  return count;
}

std::int64_t multiply_accumulates(const Instruction& instruction, const Shape& lhs, const Shape& rhs) {
  if (instruction.opcode == Opcode::dot || instruction.opcode == Opcode::ragged_dot) {
    std::int64_t count = instruction.shape.element_count();
    for (int dimension : instruction.dot->lhs_contracting) {
      count *= lhs.dimensions[dimension];
      // The groups of a ragged contraction share it.
      const bool is_ragged = instruction.opcode == Opcode::ragged_dot && instruction.dimensions[0] == dimension;
      if (is_ragged && instruction.shape.dimensions[0] > 0) count /= instruction.shape.dimensions[0];
    }
    return count;
  }
  assert(instruction.opcode == Opcode::convolution);
  const ConvolutionDimensions& roles = instruction.convolution;
  // An output sees the input channels and images of its group alone.
  std::int64_t count = lhs.dimensions[roles.input_batch] / instruction.batch_groups *
                       rhs.dimensions[roles.kernel_input_feature] * rhs.dimensions[roles.kernel_output_feature];
  for (std::size_t i = 0; i < instruction.window.size(); ++i) {
    count *= valid_window_positions(lhs.dimensions[roles.input_spatial[i]], instruction.window[i]);
  }
  return count;
}

Cost cost(const Module& module, const Computation& computation, InstructionId id) {
  Cost result = Counted(module, computation, computation[id]).cost();
  result.bytes = bytes_moved(computation, computation[id]);
  return result;
}

Cost cost(const Module& module) {
  const Computation& entry = module.entry_computation();
  Cost sum;
  for (InstructionId id = 0; id < int(entry.instructions.size()); ++id) sum += cost(module, entry, id);
  return sum;
}

double product_flops(const Module& module) {
  // Computations come before those that call them.
  std::vector<double> of(module.computations.size(), 0);
  for (std::size_t c = 0; c < of.size(); ++c) {
    const Computation& computation = module.computations[c];
    for (InstructionId id = 0; id < int(computation.instructions.size()); ++id) {
      const Instruction& instruction = computation[id];
      if (is_matmul(instruction.opcode)) {
        of[c] += double(cost(module, computation, id).flops);
        continue;
      }
      double sum = 0, most = 0;
      for (const ComputationId called : instruction.called) {
        sum += of[std::size_t(called)];
        most = std::max(most, of[std::size_t(called)]);
      }
      const bool is_loop = instruction.opcode == Opcode::while_loop;
      if (instruction.opcode == Opcode::conditional) sum = most;
      of[c] += sum * double(is_loop ? std::max<std::int64_t>(instruction.trip_count, 1) : 1);
    }
  }
  return of[std::size_t(module.entry)];
}

}  // namespace podsim::hlo::transform
