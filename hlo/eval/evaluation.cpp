// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/evaluation.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/host/interrupt.h"
#include "hlo/device_groups.h"
#include "hlo/eval/collective_values.h"
#include "hlo/eval/matrix_factors.h"
#include "hlo/eval/random_values.h"
#include "hlo/eval/reduction.h"
#include "hlo/eval/shard_values.h"
#include "hlo/eval/sorting.h"
#include "hlo/permuted_slices.h"
#include "hlo/rules/actual_shape.h"
#include "hlo/rules/annotation.h"

namespace podsim::hlo::eval {

namespace {

constexpr std::int64_t max_bytes = std::int64_t(1) << 31;  ///< of all arrays at one time
/// Some ten seconds. Loops and calls of calls may execute a short text for years.
constexpr std::int64_t max_executed = 50'000'000;

std::vector<InstructionId> last_uses(const Computation& computation) {
  std::vector<InstructionId> last(computation.instructions.size(), -1);
  for (InstructionId id = 0; id < int(last.size()); ++id) {
    for (const InstructionId operand : computation[id].operands) last[std::size_t(operand)] = id;
  }
  last[std::size_t(computation.root)] = int(last.size());
  return last;
}

[[noreturn]] void fail_unsupported() { throw std::logic_error("this cannot be evaluated"); }

/// Opcodes that are not defined on complex numbers.
bool needs_order_or_rounding(Opcode opcode) {
  static constexpr std::array needing{Opcode::topk,
                                      Opcode::rng,
                                      Opcode::rng_bit_generator,
                                      Opcode::batch_norm_training,
                                      Opcode::batch_norm_inference,
                                      Opcode::batch_norm_grad};
  return std::ranges::find(needing, opcode) != needing.end();
}

bool is_on_complex(const Instruction& instruction, const std::vector<const Literal*>& operands) {
  const auto on_complex = [](const Literal* operand) { return is_complex(operand->shape.element_type); };
  return is_complex(instruction.shape.element_type) || std::ranges::any_of(operands, on_complex);
}

/// True for opcodes whose results are arrays that existed before or that other instructions make.
bool only_passes_on(Opcode opcode) {
  static constexpr std::array passing{
      Opcode::parameter,   Opcode::tuple,        Opcode::get_tuple_element, Opcode::opt_barrier, Opcode::copy,
      Opcode::domain,      Opcode::tuple_select, Opcode::add_dependency,    Opcode::after_all,   Opcode::outfeed,
      Opcode::custom_call, Opcode::send_done,    Opcode::recv_done};
  return std::ranges::find(passing, opcode) != passing.end();
}

bool is_token(const Shape& shape) { return shape.element_type == ElementType::token; }

Value token() { return Value(Literal{make_shape(ElementType::token, {}), {}, {}}); }

}  // namespace

Evaluation::Evaluation(EvaluationRun& run, const Computation& computation, std::vector<int> devices)
    : run_(run), computation_(computation), devices_(std::move(devices)), values_(computation.instructions.size()) {}

std::vector<Value> Evaluation::run(const std::vector<std::vector<Value>>& arguments) {
  const std::vector<InstructionId> last = last_uses(computation_);
  for (InstructionId id = 0; id < int(values_.size()); ++id) {
    const Instruction& instruction = computation_[id];
    try {
      if (run_.host.progress) run_.host.progress(computation_, instruction);
      base::host::end_if_interrupted();
      if (++run_.executed > max_executed) {
        throw std::logic_error(
            fmt::format("the module has executed {} instructions, the most of an evaluation", max_executed));
      }
      values_[std::size_t(id)] = evaluate(instruction, arguments);
    } catch (base::host::Interrupted& interruption) {
      interruption.locate(fmt::format("in {}/{}", computation_.name, instruction.name));
      throw;
    } catch (const EvaluationError&) {
      throw;
    } catch (const std::logic_error& error) {
      throw EvaluationError(
          instruction.name,
          fmt::format("{}/{} = {}: {}", computation_.name, instruction.name,
                      instruction.opcode == Opcode::unknown ? instruction.target : to_string(instruction.opcode),
                      error.what()));
    }
    for (const InstructionId operand : instruction.operands) {
      if (last[std::size_t(operand)] == id) values_[std::size_t(operand)].clear();
    }
  }
  return std::move(values_[std::size_t(computation_.root)]);
}

std::vector<Value> Evaluation::evaluate(const Instruction& instruction,
                                        const std::vector<std::vector<Value>>& arguments) {
  if (instruction.phase == AsyncPhase::done) return values_[std::size_t(instruction.operands[0])];
  if (run_.sizes_vary && (is_collective(instruction.opcode) || instruction.opcode == Opcode::custom_call)) {
    require_written_sizes(instruction);
  }
  if (instruction.opcode == Opcode::unknown) throw std::logic_error("what it computes is not known");
  const OpAnswer<ValueRule>& answer = value_rules[instruction.opcode];
  if (!answer) throw std::logic_error(fmt::format("this cannot be evaluated: {}", answer.why_not));
  if (answer.rule.together != nullptr) return (this->*answer.rule.together)(instruction);
  std::vector<Value> results;
  for (std::size_t at = 0; at < devices_.size(); ++at) {
    if (!only_passes_on(instruction.opcode)) require_room(instruction.shape);
    const bool parameter = instruction.opcode == Opcode::parameter;
    results.push_back(parameter ? arguments[at][std::size_t(instruction.index)] : evaluate_alone(instruction, at));
  }
  return results;
}

Value Evaluation::evaluate_alone(const Instruction& instruction, std::size_t at) {
  const ValueRule& rule = value_rules[instruction.opcode].rule;
  return rule.alone != nullptr ? (this->*rule.alone)(instruction, at) : evaluate_array(instruction, at);
}

std::vector<Value> Evaluation::custom_call(const Instruction& instruction) {
  if (instruction.target == "SPMDFullToShardShape") return shards(instruction);
  if (instruction.target == "SPMDShardToFullShape") return wholes(instruction);
  std::vector<Value> results;
  for (std::size_t at = 0; at < devices_.size(); ++at) results.push_back(custom_call_alone(instruction, at));
  return results;
}

void Evaluation::require_room(const Shape& shape) const {
  const double made = Value::bytes_of(shape), held = double(Value::bytes_held());
  if (held + made <= double(max_bytes)) return;
  throw std::logic_error(
      fmt::format("its values take {:.3f} GB in addition to {:.3f} GB of others; the limit of an evaluation is "
                  "{:.3f} GB",
                  made * 1e-9, held * 1e-9, double(max_bytes) * 1e-9));
}

Value Evaluation::tuple(const Instruction& instruction, std::size_t at) {
  std::vector<Value> elements;
  for (std::size_t k = 0; k < instruction.operands.size(); ++k) elements.push_back(operand(instruction, k, at));
  return Value::tuple(instruction.shape, std::move(elements));
}

Value Evaluation::element_of_tuple(const Instruction& instruction, std::size_t at) {
  return operand(instruction, 0, at).element(std::size_t(instruction.index));
}

Value Evaluation::first_operand(const Instruction& instruction, std::size_t at) { return operand(instruction, 0, at); }

Value Evaluation::barrier(const Instruction& instruction, std::size_t at) {
  return instruction.operands.size() > 1 ? tuple(instruction, at) : operand(instruction, 0, at);
}

Value Evaluation::selected(const Instruction& instruction, std::size_t at) {
  return operand(instruction, operand(instruction, 0, at).array().values[0] != 0 ? 1 : 2, at);
}

Value Evaluation::constant(const Instruction& instruction, std::size_t) {
  if (!instruction.literal) throw std::logic_error("its value is left out of the text");
  return Value(*instruction.literal);
}

Value Evaluation::new_token(const Instruction&, std::size_t) { return token(); }

Value Evaluation::feed_out(const Instruction& instruction, std::size_t at) {
  if (run_.host.outfeed) run_.host.outfeed(devices_[at], operand(instruction, 0, at).literal());
  return is_token(instruction.shape) ? token() : Value::tuple(instruction.shape, {});
}

std::vector<const Literal*> Evaluation::arrays(const Instruction& instruction, std::size_t at) const {
  std::vector<const Literal*> operands;
  for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
    const Value& value = operand(instruction, k, at);
    if (value.is_tuple()) fail_unsupported();
    operands.push_back(&value.array());
  }
  return operands;
}

bool Evaluation::has_other_sizes(const Instruction& instruction, std::size_t at) const {
  for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
    const Value& value = operand(instruction, k, at);
    const Shape& written = computation_[instruction.operands[k]].shape;
    if (!value.is_tuple() && value.array().shape.dimensions != written.dimensions) return true;
  }
  return false;
}

void Evaluation::require_written_sizes(const Instruction& instruction) const {
  for (std::size_t at = 0; at < devices_.size(); ++at) {
    if (has_other_sizes(instruction, at)) throw std::logic_error("this cannot be evaluated on dynamic dimensions");
  }
}

Instruction Evaluation::at_actual_sizes(const Instruction& instruction,
                                        const std::vector<const Literal*>& operands) const {
  std::vector<const Shape*> shapes;
  for (const Literal* operand : operands) shapes.push_back(&operand->shape);
  Instruction actual = instruction;
  actual.shape = rules::actual_shape(instruction, shapes, run_.module.computations);
  return actual;
}

Value Evaluation::evaluate_array(const Instruction& instruction, std::size_t at) {
  const std::vector<const Literal*> operands = arrays(instruction, at);
  if (instruction.opcode == Opcode::set_dimension_size || instruction.opcode == Opcode::dynamic_reshape) {
    run_.sizes_vary = true;
    return Value(evaluate_operands(instruction, operands, at));
  }
  Literal result = run_.sizes_vary && has_other_sizes(instruction, at)
                       ? evaluate_operands(at_actual_sizes(instruction, operands), operands, at)
                       : evaluate_operands(instruction, operands, at);
  const ElementType type = instruction.shape.element_type;
  // Compilers may let an instruction that only moves values change their precision.
  const auto differs = [type](const Literal* operand) { return operand->shape.element_type != type; };
  if (is_floating_point(type) && std::ranges::any_of(operands, differs)) {
    for (double& value : result.values) value = round_to(type, value);
  }
  return Value(std::move(result));
}

Literal Evaluation::evaluate_operands(const Instruction& instruction, const std::vector<const Literal*>& operands,
                                      std::size_t at) {
  if (needs_order_or_rounding(instruction.opcode) && is_on_complex(instruction, operands)) {
    throw std::logic_error("this cannot be evaluated on complex numbers");
  }
  return value_rules[instruction.opcode].rule.array({*this, instruction, operands, at});
}

Value Evaluation::custom_call_alone(const Instruction& instruction, std::size_t at) const {
  const bool same =
      !instruction.operands.empty() && computation_[instruction.operands[0]].shape.compatible(instruction.shape);
  const rules::Annotation* const annotation = rules::find_annotation(instruction.target);
  if (same && annotation != nullptr && annotation->returns_operand) return operand(instruction, 0, at);
  if (instruction.target == "AllocateBuffer") {
    require_room(instruction.shape);
    return Value(make_zeros(instruction.shape));
  }
  if (instruction.target == "TopK" && instruction.operands.size() == 1 && instruction.called.size() == 1) {
    return Value(
        evaluate_top_k_call(instruction, operand(instruction, 0, at).array(),
                            ScalarFunction(run_.module, run_.module.computations[std::size_t(instruction.called[0])])));
  }
  if (const std::size_t factors = matrix_factors_of(instruction); factors > 0) {
    if (instruction.shape.tuple_shapes.size() != factors) throw std::logic_error("expected a tuple of its factors");
    require_room(instruction.shape);
    std::vector<Value> parts;
    for (Literal& factor : evaluate_factors(instruction, operand(instruction, 0, at).array())) {
      parts.emplace_back(std::move(factor));
    }
    return Value::tuple(instruction.shape, std::move(parts));
  }
  if (instruction.target == "ProductOfElementaryHouseholderReflectors" && instruction.operands.size() == 2) {
    require_room(instruction.shape);
    return Value(evaluate_reflectors(instruction.shape, operand(instruction, 0, at).array(),
                                     operand(instruction, 1, at).array()));
  }
  throw std::logic_error(fmt::format("what '{}' computes is not known", instruction.target));
}

std::vector<Value> Evaluation::shards(const Instruction& instruction) {
  if (computation_[instruction.operands[0]].shape.compatible(instruction.shape)) {
    return values_[std::size_t(instruction.operands[0])];
  }
  const Sharding* const sharding = computation_[instruction.operands[0]].sharding.get();
  std::vector<Value> results;
  for (std::size_t at = 0; at < devices_.size(); ++at) {
    const Literal& whole = operand(instruction, 0, at).array();
    results.emplace_back(shard_of(whole, instruction.shape, sharding, devices_[at] % run_.partitions));
  }
  return results;
}

/// Every replica's partitions have the shards of a whole of their own.
std::vector<Value> Evaluation::wholes(const Instruction& instruction) {
  if (computation_[instruction.operands[0]].shape.compatible(instruction.shape)) {
    return values_[std::size_t(instruction.operands[0])];
  }
  if (std::int64_t(devices_.size()) != run_.replicas * run_.partitions) {
    throw std::logic_error("only some of the partitions come here");
  }
  std::vector<Value> results;
  for (std::int64_t replica = 0; replica < run_.replicas; ++replica) {
    std::vector<const Literal*> parts;
    for (std::int64_t partition = 0; partition < run_.partitions; ++partition) {
      parts.push_back(&operand(instruction, 0, std::size_t(replica * run_.partitions + partition)).array());
    }
    const Value whole(whole_of(parts, instruction.shape, instruction.sharding.get()));
    results.insert(results.end(), std::size_t(run_.partitions), whole);
  }
  return results;
}

Value Evaluation::feed_in(const Instruction& instruction, std::size_t at) {
  if (!run_.host.infeed) throw std::logic_error("the module feeds in and the host has no infeed");
  Literal literal = run_.host.infeed(devices_[at], instruction);
  if (!literal.shape.compatible(instruction.shape)) throw std::logic_error("the host feeds in another shape");
  return Value(std::move(literal));
}

Literal Evaluation::random(const Instruction& instruction, const std::vector<const Literal*>& operands,
                           std::size_t at) {
  if (operands.size() != 2) throw std::logic_error("takes two parameters of its distribution");
  const auto device = std::uint64_t(devices_[at]);
  const std::uint64_t stream = device << 40 | run_.drawn[device]++;
  return evaluate_rng(instruction, *operands[0], *operands[1], run_.host.seed, stream);
}

/// A 128-bit counter that starts at the seed and advances by the instruction's delta.
Value Evaluation::random_state(const Instruction& instruction, std::size_t at) {
  Literal state = make_zeros(instruction.shape);
  if (state.integers.size() != 2) throw std::logic_error("the state is u64[2]");
  std::uint64_t& drawn = run_.drawn[std::size_t(devices_[at])];
  state.integers = {std::int64_t(run_.host.seed), std::int64_t(drawn)};
  drawn += std::uint64_t(instruction.index);
  return Value(std::move(state));
}

Value Evaluation::device_id(const Instruction& instruction, std::size_t at) {
  const std::int64_t device = devices_[at];
  Literal id = make_zeros(instruction.shape);
  id.values[0] =
      double(instruction.opcode == Opcode::partition_id ? device % run_.partitions : device / run_.partitions);
  return Value(std::move(id));
}

std::vector<Value> Evaluation::call(const Instruction& instruction) {
  std::vector<std::vector<Value>> arguments(devices_.size());
  for (std::size_t at = 0; at < devices_.size(); ++at) {
    for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
      arguments[at].push_back(operand(instruction, k, at));
    }
  }
  return Evaluation(run_, run_.module.computations[std::size_t(instruction.called[0])], devices_).run(arguments);
}

std::vector<Value> Evaluation::loop(const Instruction& instruction) {
  const Computation& condition = run_.module.computations[std::size_t(instruction.called[0])];
  const Computation& body = run_.module.computations[std::size_t(instruction.called[1])];
  std::vector<Value> state = values_[std::size_t(instruction.operands[0])];
  std::vector<std::size_t> going(devices_.size());
  for (std::size_t at = 0; at < going.size(); ++at) going[at] = at;
  while (true) {
    const auto run = [&](const Computation& computation) {
      std::vector<int> devices;
      std::vector<std::vector<Value>> arguments;
      for (const std::size_t at : going) {
        devices.push_back(devices_[at]);
        arguments.push_back({state[at]});
      }
      return Evaluation(run_, computation, std::move(devices)).run(arguments);
    };
    const std::vector<Value> holds = run(condition);
    std::vector<std::size_t> still;
    for (std::size_t i = 0; i < going.size(); ++i) {
      if (holds[i].array().values[0] != 0) still.push_back(going[i]);
    }
    going = std::move(still);
    if (going.empty()) return state;
    std::vector<Value> next = run(body);
    for (std::size_t i = 0; i < going.size(); ++i) state[going[i]] = std::move(next[i]);
  }
}

std::int64_t Evaluation::chosen_branch(const Instruction& instruction, std::size_t at) const {
  const Literal& index = operand(instruction, 0, at).array();
  const ElementType type = index.shape.element_type;
  const std::int64_t written = integer_of(type, element_of(index, 0));
  if (type == ElementType::pred) return written != 0 ? 0 : 1;
  const std::int64_t last = std::int64_t(instruction.called.size()) - 1;
  return written < 0 || written > last ? last : written;
}

std::vector<Value> Evaluation::branch(const Instruction& instruction) {
  std::vector<Value> results(devices_.size());
  for (std::size_t branch = 0; branch < instruction.called.size(); ++branch) {
    std::vector<std::size_t> here;
    std::vector<int> devices;
    std::vector<std::vector<Value>> arguments;
    for (std::size_t at = 0; at < devices_.size(); ++at) {
      if (chosen_branch(instruction, at) != std::int64_t(branch)) continue;
      here.push_back(at);
      devices.push_back(devices_[at]);
      arguments.push_back({operand(instruction, branch + 1, at)});
    }
    if (here.empty()) continue;
    const Computation& computation = run_.module.computations[std::size_t(instruction.called[branch])];
    std::vector<Value> values = Evaluation(run_, computation, std::move(devices)).run(arguments);
    for (std::size_t i = 0; i < here.size(); ++i) results[here[i]] = std::move(values[i]);
  }
  return results;
}

std::size_t Evaluation::index_of(std::int64_t device) const {
  const auto found = std::ranges::find(devices_, int(device));
  if (found == devices_.end()) throw std::logic_error(fmt::format("waits for device {}, which is not here", device));
  return std::size_t(found - devices_.begin());
}

std::vector<Value> Evaluation::collective(const Instruction& instruction) {
  if (instruction.opcode != Opcode::collective_permute && instruction.opcode != Opcode::send &&
      instruction.opcode != Opcode::recv) {
    require_room(instruction.shape);
  }
  if (instruction.opcode == Opcode::all_reduce && run_.host.all_reduce) return collective_of_host(instruction);
  if (instruction.opcode == Opcode::collective_permute) return permute(instruction);
  if (instruction.opcode == Opcode::send) return send(instruction);
  if (instruction.opcode == Opcode::recv) {
    return std::vector<Value>(devices_.size(), Value(make_zeros(instruction.shape)));  // recv-done has the value
  }
  std::vector<Value> results(devices_.size());
  std::vector<bool> served(devices_.size(), false);
  for (const auto& group : device_groups(instruction, run_.replicas, run_.partitions)) {
    // A group without these devices is evaluated elsewhere, or takes another branch.
    const auto is_here = [&](std::int64_t device) { return std::ranges::count(devices_, int(device)) > 0; };
    if (std::ranges::none_of(group, is_here)) continue;
    std::vector<std::vector<const Literal*>> operands;
    std::vector<std::size_t> places;
    for (const std::int64_t device : group) {
      places.push_back(index_of(device));
      served[places.back()] = true;
      operands.push_back(arrays(instruction, places.back()));
    }
    require_room(instruction.shape);
    std::vector<Value> values = in_group(instruction, operands);
    for (std::size_t i = 0; i < places.size(); ++i) results[places[i]] = std::move(values[i]);
  }
  for (std::size_t at = 0; at < devices_.size(); ++at) {
    if (served[at]) continue;
    if (instruction.opcode != Opcode::collective_broadcast) {
      throw std::logic_error(fmt::format("device {} is in no group", devices_[at]));
    }
    results[at] = Value(make_zeros(instruction.shape));
  }
  return results;
}

std::vector<Value> Evaluation::in_group(const Instruction& instruction,
                                        const std::vector<std::vector<const Literal*>>& operands) {
  const auto combiner = [&] {
    const Computation& called = run_.module.computations[std::size_t(instruction.called[0])];
    const ElementType type = called[called.parameters[0]].shape.element_type;
    for (const Literal* operand : operands[0]) {
      if (is_complex(type) != is_complex(operand->shape.element_type) ||
          is_wide(type) != is_wide(operand->shape.element_type)) {
        throw std::logic_error("the combiner is of another type than its operands");
      }
    }
    return ScalarFunction(run_.module, called);
  };
  switch (instruction.opcode) {
    case Opcode::all_reduce: {
      ScalarFunction combine = combiner();
      return all_reduce_values(instruction, operands, combine);
    }
    case Opcode::reduce_scatter: {
      ScalarFunction combine = combiner();
      return reduce_scatter_values(instruction, operands, combine);
    }
    case Opcode::all_gather:
      return all_gather_values(instruction, operands);
    case Opcode::all_to_all:
      return all_to_all_values(instruction, operands);
    case Opcode::collective_broadcast:
      return broadcast_values(instruction, operands);
    default:
      fail_unsupported();
  }
}

std::vector<Value> Evaluation::collective_of_host(const Instruction& instruction) {
  std::vector<std::vector<Literal>> operands(devices_.size());
  for (std::size_t at = 0; at < devices_.size(); ++at) {
    for (const Literal* array : arrays(instruction, at)) operands[at].push_back(*array);
  }
  std::vector<Value> results;
  for (Literal& result : run_.host.all_reduce(instruction, operands)) results.emplace_back(std::move(result));
  if (results.size() != devices_.size()) throw std::logic_error("the host's all-reduce lost a device");
  return results;
}

/// To the host it is an outfeed.
std::vector<Value> Evaluation::send(const Instruction& instruction) {
  std::vector<Value> results;
  for (std::size_t at = 0; at < devices_.size(); ++at) {
    const Value& value = operand(instruction, 0, at);
    if (run_.channels.is_within_module(instruction)) {
      run_.channels.send(instruction, devices_[at], value);
    } else if (run_.host.outfeed) {
      run_.host.outfeed(devices_[at], value.literal());
    }
    results.push_back(
        Value::tuple(instruction.shape, {value, Value(make_zeros(instruction.shape.tuple_shapes.at(1))), token()}));
  }
  return results;
}

/// From the host it is an infeed; a device that is no target has 0.
Value Evaluation::receive(const Instruction& done, std::size_t at) {
  const Instruction& start = computation_[done.operands[0]];
  const Instruction& recv = start.opcode == Opcode::recv ? start : done;
  if (!run_.channels.is_within_module(recv)) return feed_in(done, at);
  std::optional<Value> value = run_.channels.receive(recv, devices_[at]);
  if (!value) return Value(make_zeros(done.shape));
  return Value::tuple(done.shape, {std::move(*value), token()});
}

/// Gives every target its source's value, and 0 to devices that are no target.
std::vector<Value> Evaluation::permute(const Instruction& instruction) {
  const auto sent = [&](std::size_t source, std::size_t target) {
    if (is_in_place(instruction)) {
      return permuted_in_place(instruction, operand(instruction, 0, source), operand(instruction, 1, target),
                               operand(instruction, 2, source), operand(instruction, 3, source));
    }
    if (instruction.operands.size() == 1) return operand(instruction, 0, source);
    std::vector<Value> elements;
    for (std::size_t k = 0; k < instruction.operands.size(); ++k) elements.push_back(operand(instruction, k, source));
    return Value::tuple(instruction.shape, std::move(elements));
  };
  std::vector<Value> results(devices_.size());
  for (const auto& [source, target] : device_pairs(instruction, run_.replicas, run_.partitions)) {
    const bool source_here = std::ranges::count(devices_, int(source)) > 0;
    const bool target_here = std::ranges::count(devices_, int(target)) > 0;
    if (!source_here && !target_here) continue;
    results[index_of(target)] = sent(index_of(source), index_of(target));
  }
  std::vector<bool> received(devices_.size(), false);
  for (const auto& [source, target] : device_pairs(instruction, run_.replicas, run_.partitions)) {
    if (std::ranges::count(devices_, int(target)) > 0) received[index_of(target)] = true;
  }
  for (std::size_t at = 0; at < devices_.size(); ++at) {
    if (received[at]) continue;
    results[at] = is_in_place(instruction) ? operand(instruction, 1, at) : Value(make_zeros(instruction.shape));
  }
  return results;
}

}  // namespace podsim::hlo::eval
