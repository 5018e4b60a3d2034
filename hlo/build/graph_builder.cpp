// SPDX-License-Identifier: Apache-2.0
#include "hlo/build/graph_builder.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "hlo/instruction_identity.h"
#include "hlo/rules/shape_inference.h"

namespace podsim::hlo::build {

namespace {

/// Converts a number to 64-bit integer bits, clamped to the type's range.
std::int64_t wide_integer(ElementType type, double value) {
  const double limit = std::ldexp(1.0, type == ElementType::u64 ? 64 : 63);
  if (value >= limit) return type == ElementType::u64 ? -1 : std::numeric_limits<std::int64_t>::max();
  if (value < -limit) return std::numeric_limits<std::int64_t>::min();
  return value < 0 ? std::int64_t(value) : std::int64_t(std::uint64_t(value));
}

/// Returns whether every value of `narrow` is a value of `wide`.
bool widens(ElementType narrow, ElementType wide) {
  if (narrow == wide) return true;
  if (!is_floating_point(narrow) || !is_floating_point(wide)) return false;
  return wide == ElementType::f64 || (wide == ElementType::f32 && narrow != ElementType::f64);
}

Instruction make(Opcode opcode, std::vector<InstructionId> operands) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.operands = std::move(operands);
  return instruction;
}

}  // namespace

GraphBuilder::GraphBuilder(std::string name) : name_(std::move(name)) { entry_.name = "main"; }

GraphBuilder::Scope::Scope(GraphBuilder& builder, std::string_view name) : Scope(builder, name, builder.source_) {}

GraphBuilder::Scope::Scope(GraphBuilder& builder, std::string_view name, std::string source)
    : builder_(builder), outer_(builder.scope_), outer_source_(std::exchange(builder.source_, std::move(source))) {
  if (!builder_.scope_.empty() && !name.empty()) builder_.scope_ += '/';
  builder_.scope_ += name;
}

GraphBuilder::Scope::~Scope() {
  builder_.scope_ = std::move(outer_);
  builder_.source_ = std::move(outer_source_);
}

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
    instruction.shape = rules::infer_shape(instruction, operands, called_);
  } catch (const std::logic_error& error) {
    throw std::logic_error(fmt::format("{} ({}): {}", instruction.name, scope_, error.what()));
  }
  // Equal barriers are not merged, so that values computed after one stay separate from those after the other.
  if (is_shareable(instruction.opcode) && instruction.opcode != Opcode::opt_barrier) {
    const std::size_t key = hash(instruction);
    if (const InstructionId equal = find_equal(instruction, key); equal >= 0) return equal;
    by_hash_.emplace(key, id);
  }
  if (instruction.op_name.empty()) instruction.op_name = scope_;
  if (instruction.source.empty()) instruction.source = source_;
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
  assert(std::int64_t(literal.values.size() + literal.integers.size()) ==
         (is_complex(literal.shape.element_type) ? 2 : 1) * literal.shape.element_count());
  Instruction instruction = make(Opcode::constant, {});
  for (double& value : literal.values) value = round_to(literal.shape.element_type, value);
  instruction.shape = literal.shape;
  instruction.literal = std::make_shared<const Literal>(std::move(literal));
  return append(std::move(instruction));
}

InstructionId GraphBuilder::constant(ElementType type, double value) {
  if (is_wide(type)) return constant(Literal{make_shape(type, {}), {}, {}, {wide_integer(type, value)}});
  if (is_complex(type)) return constant(Literal{make_shape(type, {}), {value, 0}, {}});
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

InstructionId GraphBuilder::after_all() {
  Instruction instruction = make(Opcode::after_all, {});
  instruction.shape = make_shape(ElementType::token, {});
  return append(std::move(instruction));
}

InstructionId GraphBuilder::infeed(Shape shape) {
  Instruction instruction = make(Opcode::infeed, {after_all()});
  instruction.shape = make_tuple_shape({std::move(shape), make_shape(ElementType::token, {})});
  return get_tuple_element(append(std::move(instruction)), 0);
}

InstructionId GraphBuilder::outfeed(InstructionId value) {
  Instruction instruction = make(Opcode::outfeed, {value, after_all()});
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

void GraphBuilder::annotate(InstructionId id, Sharding sharding) {
  entry_[id].sharding = std::make_shared<const Sharding>(std::move(sharding));
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

}  // namespace podsim::hlo::build
