// SPDX-License-Identifier: Apache-2.0
#include "sw/graph/graph_builder.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <boost/container_hash/hash.hpp>

#include "sw/graph/shape_inference.h"

namespace podsim::sw {

namespace {

void hash_shape(std::size_t& seed, const Shape& shape) {
  boost::hash_combine(seed, int(shape.element_type));
  boost::hash_range(seed, shape.dimensions.begin(), shape.dimensions.end());
}

/// Collisions are resolved by is_equal, so only what usually tells instructions apart goes in.
std::size_t hash(const Instruction& instruction) {
  std::size_t seed = std::size_t(instruction.opcode);
  hash_shape(seed, instruction.shape);
  boost::hash_range(seed, instruction.operands.begin(), instruction.operands.end());
  boost::hash_range(seed, instruction.dimensions.begin(), instruction.dimensions.end());
  boost::hash_combine(seed, instruction.index);
  if (instruction.literal && !instruction.literal->values.empty()) {
    boost::hash_combine(seed, instruction.literal->values.front());
  }
  return seed;
}

bool is_equal(const std::shared_ptr<const Literal>& a, const std::shared_ptr<const Literal>& b) {
  if (!a || !b) return a == b;
  // By bits: 0 and -0 are different constants, and a NaN is itself.
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  return a->elements.empty() && b->elements.empty() && std::ranges::equal(a->values, b->values, {}, bits, bits) &&
         a->integers == b->integers;
}

bool is_equal(const Instruction& a, const Instruction& b) {
  return a.opcode == b.opcode && a.shape == b.shape && a.operands == b.operands && a.index == b.index &&
         a.dimensions == b.dimensions && a.window == b.window && a.convolution == b.convolution && a.dot == b.dot &&
         a.padding == b.padding && a.slice == b.slice && a.comparison == b.comparison && a.called == b.called &&
         a.total_order == b.total_order && a.slice_sizes == b.slice_sizes && a.gather == b.gather &&
         a.participants == b.participants && a.feature_groups == b.feature_groups && a.batch_groups == b.batch_groups &&
         a.exponent_bits == b.exponent_bits && a.mantissa_bits == b.mantissa_bits && a.is_stable == b.is_stable &&
         a.largest == b.largest && a.triangular == b.triangular && a.trip_count == b.trip_count &&
         a.epsilon == b.epsilon && a.target == b.target && a.phase == b.phase && is_equal(a.literal, b.literal);
}

/// Whether two of them are one, and one whose result nobody reads none.
bool is_shareable(Opcode opcode) {
  switch (opcode) {
    case Opcode::parameter:
    case Opcode::infeed:
    case Opcode::outfeed:
    case Opcode::rng:
    case Opcode::rng_get_and_update_state:
    case Opcode::custom_call:
    case Opcode::send:
    case Opcode::recv:
      return false;
    default:
      return true;
  }
}

/// A number as 64 bits of an integer, the nearest where it is beyond what they hold.
std::int64_t wide_integer(ElementType type, double value) {
  const double limit = std::ldexp(1.0, type == ElementType::u64 ? 64 : 63);
  if (value >= limit) return type == ElementType::u64 ? -1 : std::numeric_limits<std::int64_t>::max();
  if (value < -limit) return std::numeric_limits<std::int64_t>::min();
  return value < 0 ? std::int64_t(value) : std::int64_t(std::uint64_t(value));
}

/// Whether every value of `narrow` is a value of `wide`.
bool widens(ElementType narrow, ElementType wide) {
  if (narrow == wide) return true;
  if (!is_floating_point(narrow) || !is_floating_point(wide)) return false;
  return wide == ElementType::f64 || (wide == ElementType::f32 && narrow != ElementType::f64);
}

/// Two computations of parameters and what is equal by is_equal.
bool is_same_function(const Computation& a, const Computation& b) {
  return a.root == b.root && a.parameters == b.parameters &&
         std::ranges::equal(a.instructions, b.instructions,
                            [](const Instruction& x, const Instruction& y) { return is_equal(x, y); });
}

/// A computation among others, under a name of its own; the one that is there where it has the name and means the same.
ComputationId append(std::vector<Computation>& computations, const std::string& entry_name, Computation computation) {
  const auto find = [&](const std::string& name) { return std::ranges::find(computations, name, &Computation::name); };
  const auto same = find(computation.name);
  if (same != computations.end() && is_same_function(*same, computation)) return int(same - computations.begin());
  const std::string stem = computation.name;
  for (std::size_t number = computations.size();
       computation.name == entry_name || find(computation.name) != computations.end(); ++number) {
    computation.name = fmt::format("{}.{}", stem, number);
  }
  computations.push_back(std::move(computation));
  return int(computations.size()) - 1;
}

Instruction make(Opcode opcode, std::vector<InstructionId> operands) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.operands = std::move(operands);
  return instruction;
}

/// Another name for what has one that is taken, as a parameter's may be that of an opcode and a number.
void tell_apart(std::vector<Instruction>& instructions) {
  std::unordered_set<std::string> all, seen;
  for (const Instruction& instruction : instructions) all.insert(instruction.name);
  if (all.size() == instructions.size()) return;
  for (Instruction& instruction : instructions) {
    if (seen.insert(instruction.name).second) continue;
    std::string name;
    for (int number = 1; name.empty() || all.contains(name); ++number) {
      name = fmt::format("{}.{}", instruction.name, number);
    }
    all.insert(name);
    instruction.name = std::move(name);
  }
}

}  // namespace

GraphBuilder::GraphBuilder(std::string name) : name_(std::move(name)) { entry_.name = "main"; }

GraphBuilder::Scope::Scope(GraphBuilder& builder, std::string_view name) : builder_(builder), outer_(builder.scope_) {
  if (!builder_.scope_.empty() && !name.empty()) builder_.scope_ += '/';
  builder_.scope_ += name;
}

GraphBuilder::Scope::~Scope() { builder_.scope_ = std::move(outer_); }

InstructionId GraphBuilder::find_equal(const Instruction& instruction, std::size_t hash) const {
  const auto [begin, end] = by_hash_.equal_range(hash);
  const auto found =
      std::find_if(begin, end, [&](const auto& entry) { return is_equal(entry_[entry.second], instruction); });
  return found == end ? -1 : found->second;
}

InstructionId GraphBuilder::append(Instruction instruction) {
  const InstructionId id = size();
  if (instruction.name.empty()) instruction.name = fmt::format("{}.{}", to_string(instruction.opcode), id);
  try {
    std::vector<const Shape*> operands;
    for (InstructionId operand : instruction.operands) {
      if (operand < 0 || operand >= id) throw std::logic_error("an operand is not of this graph");
      operands.push_back(&shape(operand));
    }
    instruction.shape = infer_shape(instruction, operands, called_);
  } catch (const std::logic_error& error) {
    throw std::logic_error(fmt::format("{} ({}): {}", instruction.name, scope_, error.what()));
  }
  // Behind two barriers a value is two: what is computed from each of them is to stay apart.
  if (is_shareable(instruction.opcode) && instruction.opcode != Opcode::opt_barrier) {
    const std::size_t key = hash(instruction);
    if (const InstructionId equal = find_equal(instruction, key); equal >= 0) return equal;
    by_hash_.emplace(key, id);
  }
  if (instruction.op_name.empty()) instruction.op_name = scope_;
  entry_.instructions.push_back(std::move(instruction));
  return id;
}

InstructionId GraphBuilder::parameter(Shape shape, std::string name) {
  Instruction instruction = make(Opcode::parameter, {});
  instruction.shape = std::move(shape);
  instruction.index = std::int64_t(entry_.parameters.size());
  instruction.name = std::move(name);
  const InstructionId id = append(std::move(instruction));
  entry_.parameters.push_back(id);
  return id;
}

InstructionId GraphBuilder::constant(Literal literal) {
  assert(std::int64_t(literal.values.size() + literal.integers.size()) == literal.shape.element_count());
  Instruction instruction = make(Opcode::constant, {});
  for (double& value : literal.values) value = round_to(literal.shape.element_type, value);
  instruction.shape = literal.shape;
  instruction.literal = std::make_shared<const Literal>(std::move(literal));
  return append(std::move(instruction));
}

InstructionId GraphBuilder::constant(ElementType type, double value) {
  if (is_wide(type)) return constant(Literal{make_shape(type, {}), {}, {}, {wide_integer(type, value)}});
  return constant(Literal{make_shape(type, {}), {value}, {}});
}

InstructionId GraphBuilder::full(const Shape& shape, double value) {
  return broadcast(constant(shape.element_type, value), shape.dimensions);
}

InstructionId GraphBuilder::iota(Shape shape, std::int64_t dimension) {
  Instruction instruction = make(Opcode::iota, {});
  instruction.shape = std::move(shape);
  instruction.index = dimension;
  return append(std::move(instruction));
}

InstructionId GraphBuilder::infeed(Shape shape) {
  Instruction instruction = make(Opcode::infeed, {});
  instruction.shape = std::move(shape);
  return append(std::move(instruction));
}

InstructionId GraphBuilder::outfeed(InstructionId value) {
  Instruction instruction = make(Opcode::outfeed, {value});
  instruction.shape = make_shape(ElementType::token, {});
  return append(std::move(instruction));
}

InstructionId GraphBuilder::tuple(std::vector<InstructionId> elements) {
  return append(make(Opcode::tuple, std::move(elements)));
}

InstructionId GraphBuilder::get_tuple_element(InstructionId tuple, std::int64_t index) {
  Instruction instruction = make(Opcode::get_tuple_element, {tuple});
  instruction.index = index;
  return append(std::move(instruction));
}

InstructionId GraphBuilder::unary(Opcode opcode, InstructionId x) {
  assert(is_elementwise(opcode) && opcode != Opcode::convert);
  return append(make(opcode, {x}));
}

InstructionId GraphBuilder::binary(Opcode opcode, InstructionId x, InstructionId y) {
  assert(is_elementwise(opcode) && opcode != Opcode::compare);
  return append(make(opcode, {x, y}));
}

InstructionId GraphBuilder::compare(InstructionId x, InstructionId y, ComparisonDirection direction) {
  Instruction instruction = make(Opcode::compare, {x, y});
  instruction.comparison = direction;
  return append(std::move(instruction));
}

InstructionId GraphBuilder::select(InstructionId predicate, InstructionId on_true, InstructionId on_false) {
  return append(make(Opcode::select, {predicate, on_true, on_false}));
}

InstructionId GraphBuilder::convert(InstructionId x, ElementType to) {
  if (type(x) == to) return x;
  if (entry_[x].opcode == Opcode::convert) {
    const InstructionId source = entry_[x].operands[0];
    if (type(source) == to && widens(to, type(x))) return source;
  }
  Instruction instruction = make(Opcode::convert, {x});
  instruction.shape.element_type = to;
  return append(std::move(instruction));
}

InstructionId GraphBuilder::broadcast(InstructionId x, std::vector<std::int64_t> sizes,
                                      std::vector<std::int64_t> dimensions) {
  if (sizes == shape(x).dimensions && std::ranges::is_sorted(dimensions)) return x;
  Instruction instruction = make(Opcode::broadcast, {x});
  instruction.shape = make_shape(type(x), std::move(sizes));
  instruction.dimensions = std::move(dimensions);
  return append(std::move(instruction));
}

InstructionId GraphBuilder::reshape(InstructionId x, std::vector<std::int64_t> sizes) {
  if (sizes == shape(x).dimensions) return x;
  Instruction instruction = make(Opcode::reshape, {x});
  instruction.shape = make_shape(type(x), std::move(sizes));
  return append(std::move(instruction));
}

InstructionId GraphBuilder::transpose(InstructionId x, std::vector<std::int64_t> permutation) {
  Instruction instruction = make(Opcode::transpose, {x});
  instruction.dimensions = std::move(permutation);
  return append(std::move(instruction));
}

InstructionId GraphBuilder::reverse(InstructionId x, std::vector<std::int64_t> dimensions) {
  Instruction instruction = make(Opcode::reverse, {x});
  instruction.dimensions = std::move(dimensions);
  return append(std::move(instruction));
}

InstructionId GraphBuilder::pad(InstructionId x, InstructionId value, std::vector<PadDimension> padding) {
  Instruction instruction = make(Opcode::pad, {x, value});
  instruction.padding = std::move(padding);
  return append(std::move(instruction));
}

InstructionId GraphBuilder::slice(InstructionId x, std::vector<SliceDimension> slice) {
  Instruction instruction = make(Opcode::slice, {x});
  instruction.slice = std::move(slice);
  return append(std::move(instruction));
}

InstructionId GraphBuilder::concatenate(std::vector<InstructionId> operands, std::int64_t dimension) {
  Instruction instruction = make(Opcode::concatenate, std::move(operands));
  instruction.dimensions = {dimension};
  return append(std::move(instruction));
}

InstructionId GraphBuilder::convolution(InstructionId input, InstructionId kernel, std::vector<WindowDimension> window,
                                        ConvolutionDimensions dimensions) {
  Instruction instruction = make(Opcode::convolution, {input, kernel});
  instruction.shape.element_type = type(input);
  instruction.window = std::move(window);
  instruction.convolution = std::move(dimensions);
  return append(std::move(instruction));
}

InstructionId GraphBuilder::dot(InstructionId lhs, InstructionId rhs, DotDimensions dimensions) {
  Instruction instruction = make(Opcode::dot, {lhs, rhs});
  instruction.shape.element_type = type(lhs);
  instruction.dot = std::move(dimensions);
  return append(std::move(instruction));
}

InstructionId GraphBuilder::reduce(InstructionId x, InstructionId initial, std::vector<std::int64_t> dimensions,
                                   ComputationId combiner) {
  Instruction instruction = make(Opcode::reduce, {x, initial});
  instruction.dimensions = std::move(dimensions);
  instruction.called = {combiner};
  return append(std::move(instruction));
}

InstructionId GraphBuilder::reduce_add(InstructionId x, std::vector<std::int64_t> dimensions) {
  return reduce(x, constant(type(x), 0), std::move(dimensions), combiner(Opcode::add, type(x)));
}

InstructionId GraphBuilder::reduce_max(InstructionId x, std::vector<std::int64_t> dimensions) {
  return reduce(x, constant(type(x), lowest_value(type(x))), std::move(dimensions), combiner(Opcode::maximum, type(x)));
}

InstructionId GraphBuilder::reduce_window(InstructionId x, InstructionId initial, std::vector<WindowDimension> window,
                                          ComputationId combiner) {
  Instruction instruction = make(Opcode::reduce_window, {x, initial});
  instruction.window = std::move(window);
  instruction.called = {combiner};
  return append(std::move(instruction));
}

InstructionId GraphBuilder::reduce_window_add(InstructionId x, std::vector<WindowDimension> window) {
  return reduce_window(x, constant(type(x), 0), std::move(window), combiner(Opcode::add, type(x)));
}

InstructionId GraphBuilder::reduce_window_max(InstructionId x, std::vector<WindowDimension> window) {
  return reduce_window(x, constant(type(x), lowest_value(type(x))), std::move(window),
                       combiner(Opcode::maximum, type(x)));
}

InstructionId GraphBuilder::select_and_scatter(InstructionId x, InstructionId source, InstructionId initial,
                                               std::vector<WindowDimension> window, ComputationId select,
                                               ComputationId scatter) {
  Instruction instruction = make(Opcode::select_and_scatter, {x, source, initial});
  instruction.window = std::move(window);
  instruction.called = {select, scatter};
  return append(std::move(instruction));
}

InstructionId GraphBuilder::gather(InstructionId x, InstructionId indices, GatherDimensions dimensions,
                                   std::vector<std::int64_t> slice_sizes) {
  Instruction instruction = make(Opcode::gather, {x, indices});
  instruction.gather = std::move(dimensions);
  instruction.slice_sizes = std::move(slice_sizes);
  return append(std::move(instruction));
}

InstructionId GraphBuilder::scatter(InstructionId x, InstructionId indices, InstructionId updates,
                                    GatherDimensions dimensions, ComputationId combiner) {
  Instruction instruction = make(Opcode::scatter, {x, indices, updates});
  instruction.gather = std::move(dimensions);
  instruction.called = {combiner};
  return append(std::move(instruction));
}

InstructionId GraphBuilder::dynamic_slice(InstructionId x, const std::vector<InstructionId>& starts,
                                          std::vector<std::int64_t> sizes) {
  std::vector<InstructionId> operands{x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  Instruction instruction = make(Opcode::dynamic_slice, std::move(operands));
  instruction.slice_sizes = std::move(sizes);
  return append(std::move(instruction));
}

InstructionId GraphBuilder::dynamic_update_slice(InstructionId x, InstructionId update,
                                                 const std::vector<InstructionId>& starts) {
  std::vector<InstructionId> operands{x, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return append(make(Opcode::dynamic_update_slice, std::move(operands)));
}

InstructionId GraphBuilder::partition_id() {
  Instruction instruction = make(Opcode::partition_id, {});
  instruction.shape = make_shape(ElementType::u32, {});
  return append(std::move(instruction));
}

InstructionId GraphBuilder::while_loop(InstructionId state, ComputationId condition, ComputationId body,
                                       std::int64_t trip_count) {
  Instruction instruction = make(Opcode::while_loop, {state});
  instruction.called = {condition, body};
  instruction.trip_count = trip_count;
  return append(std::move(instruction));
}

InstructionId GraphBuilder::conditional(InstructionId index, std::vector<InstructionId> operands,
                                        std::vector<ComputationId> branches) {
  Instruction instruction = make(Opcode::conditional, {index});
  instruction.operands.insert(instruction.operands.end(), operands.begin(), operands.end());
  instruction.called = std::move(branches);
  return append(std::move(instruction));
}

InstructionId GraphBuilder::call(std::vector<InstructionId> operands, ComputationId body) {
  Instruction instruction = make(Opcode::call, std::move(operands));
  instruction.called = {body};
  return append(std::move(instruction));
}

InstructionId GraphBuilder::all_reduce(InstructionId x) { return all_reduce(std::vector{x}); }

InstructionId GraphBuilder::all_reduce(std::vector<InstructionId> operands) {
  assert(!operands.empty());
  const ComputationId sum = combiner(Opcode::add, type(operands[0]));
  Instruction instruction = make(Opcode::all_reduce, std::move(operands));
  instruction.called = {sum};
  return append(std::move(instruction));
}

ComputationId GraphBuilder::scalar_function(std::string name, ElementType type, Instruction root) {
  if (const auto found = called_by_name_.find(name); found != called_by_name_.end()) return found->second;
  Computation computation;
  computation.name = name;
  for (int i = 0; i < 2; ++i) {
    Instruction parameter = make(Opcode::parameter, {});
    parameter.name = i == 0 ? "x" : "y";
    parameter.index = i;
    parameter.shape = make_shape(type, {});
    computation.instructions.push_back(std::move(parameter));
    computation.parameters.push_back(i);
  }
  root.name = fmt::format("{}.2", to_string(root.opcode));
  root.operands = {0, 1};
  computation.instructions.push_back(std::move(root));
  computation.root = 2;
  return called_by_name_[name] = sw::append(called_, entry_.name, std::move(computation));
}

ComputationId GraphBuilder::combiner(Opcode opcode, ElementType type) {
  Instruction root = make(opcode, {});
  root.shape = make_shape(type, {});
  return scalar_function(fmt::format("{}_{}", to_string(opcode), to_string(type)), type, std::move(root));
}

ComputationId GraphBuilder::comparator(ComparisonDirection direction, ElementType type) {
  static constexpr const char* names[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  Instruction root = make(Opcode::compare, {});
  root.shape = make_shape(ElementType::pred, {});
  root.comparison = direction;
  return scalar_function(fmt::format("{}_{}", names[int(direction)], to_string(type)), type, std::move(root));
}

void GraphBuilder::annotate(InstructionId id, Sharding sharding) {
  entry_[id].sharding = std::make_shared<const Sharding>(std::move(sharding));
}

ComputationId GraphBuilder::computation(GraphBuilder body, InstructionId root) {
  Module module = std::move(body).build(root);
  module.computations.back().name = module.name;
  return copy_computation(module, module.entry);
}

ComputationId GraphBuilder::copy_computation(const Module& from, ComputationId id) {
  std::map<ComputationId, ComputationId> copies;
  const auto copy = [&](const auto& self, ComputationId original) -> ComputationId {
    if (const auto found = copies.find(original); found != copies.end()) return found->second;
    Computation computation = from.computations[original];
    for (Instruction& instruction : computation.instructions) {
      for (ComputationId& called : instruction.called) called = self(self, called);
    }
    return copies[original] = sw::append(called_, entry_.name, std::move(computation));
  };
  return copy(copy, id);
}

void GraphBuilder::drop_unused() {
  std::vector<bool> used(size(), false);
  for (InstructionId id = size() - 1; id >= 0; --id) {
    used[id] = used[id] || id == entry_.root || !is_shareable(entry_[id].opcode);
    if (!used[id]) continue;
    for (InstructionId operand : entry_[id].operands) used[operand] = true;
  }
  std::vector<InstructionId> renumbered(size(), -1);
  std::vector<Instruction> kept;
  for (InstructionId id = 0; id < size(); ++id) {
    if (!used[id]) continue;
    renumbered[id] = int(kept.size());
    kept.push_back(std::move(entry_[id]));
    for (InstructionId& operand : kept.back().operands) operand = renumbered[operand];
  }
  for (InstructionId& parameter : entry_.parameters) parameter = renumbered[parameter];
  entry_.root = renumbered[entry_.root];
  entry_.instructions = std::move(kept);
}

Module GraphBuilder::build(InstructionId root) && {
  assert(root >= 0 && root < size());
  entry_.root = root;
  drop_unused();
  tell_apart(entry_.instructions);
  Module module;
  module.name = std::move(name_);
  module.computations = std::move(called_);
  module.entry = int(module.computations.size());
  module.computations.push_back(std::move(entry_));
  return module;
}

double lowest_value(ElementType type) {
  if (is_floating_point(type)) return -std::numeric_limits<double>::infinity();
  switch (type) {
    case ElementType::s8:
    case ElementType::s16:
    case ElementType::s32:
    case ElementType::s64:
      return -std::ldexp(1.0, 8 * byte_width(type) - 1);
    default:
      return 0;
  }
}

ConvolutionDimensions convolution_dimensions(std::string_view labels) {
  const std::size_t first = labels.find('_');
  const std::size_t second = labels.find("->");
  assert(first != std::string_view::npos && second != std::string_view::npos && first < second);
  const auto parse = [](std::string_view part, char batch, char feature, int& batch_out, int& feature_out) {
    std::vector<int> spatial(part.size() - 2);
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (part[i] == batch) {
        batch_out = int(i);
      } else if (part[i] == feature) {
        feature_out = int(i);
      } else {
        assert(part[i] >= '0' && std::size_t(part[i] - '0') < spatial.size());
        spatial[part[i] - '0'] = int(i);
      }
    }
    return spatial;
  };
  ConvolutionDimensions roles;
  roles.input_spatial = parse(labels.substr(0, first), 'b', 'f', roles.input_batch, roles.input_feature);
  roles.kernel_spatial = parse(labels.substr(first + 1, second - first - 1), 'i', 'o', roles.kernel_input_feature,
                               roles.kernel_output_feature);
  roles.output_spatial = parse(labels.substr(second + 2), 'b', 'f', roles.output_batch, roles.output_feature);
  return roles;
}

}  // namespace podsim::sw
