// SPDX-License-Identifier: Apache-2.0
#include "hlo/expanders/simple_gathers.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/eval/element.h"
#include "hlo/expanders/known_value.h"
#include "hlo/expanders/replace.h"
#include "hlo/op_table.h"

namespace podsim::hlo::expanders {
namespace {

using build::GraphBuilder;

constexpr std::int64_t max_known_indices = 1 << 20;

bool is_among(const std::vector<int>& dimensions, int dimension) {
  return std::ranges::find(dimensions, dimension) != dimensions.end();
}

/// A gather or scatter with its index vectors.
struct Indexing {
  const Computation& computation;
  const Instruction& op;
  std::size_t arrays;               ///< 1 for a gather
  std::vector<std::int64_t> sizes;  ///< of a window, by dimension of the array

  const Shape& array() const { return computation[op.operands[0]].shape; }
  InstructionId indices_id() const { return op.operands[arrays]; }
  const Shape& indices() const { return computation[indices_id()].shape; }
  /// The result of a gather, or updates: windows by the dimensions of the indices.
  const Shape& windows() const { return is_gather() ? op.shape : computation[op.operands[arrays + 1]].shape; }
  bool is_gather() const { return op.opcode == Opcode::gather; }
  std::int64_t count() const {
    std::int64_t product = 1;
    for (int i = 0; i < indices().rank(); ++i) {
      if (i != op.gather->index_vector) product *= indices().dimensions[std::size_t(i)];
    }
    return product;
  }
  bool is_whole(int dimension) const {
    return sizes[std::size_t(dimension)] == array().dimensions[std::size_t(dimension)];
  }
};

std::optional<Indexing> indexing_of(const Computation& computation, const Instruction& op) {
  const bool is_gather = op.opcode == Opcode::gather;
  if ((!is_gather && op.opcode != Opcode::scatter) || op.phase != AsyncPhase::none) return std::nullopt;
  Indexing found{computation, op, is_gather ? 1 : op.operands.size() / 2, {}};
  if (found.windows().element_count() == 0 || found.array().element_count() == 0) return std::nullopt;
  std::size_t next = 0;
  for (int i = 0; i < found.array().rank(); ++i) {
    const bool is_dropped = is_among(op.gather->collapsed, i) || is_among(op.gather->operand_batching, i);
    found.sizes.push_back(is_dropped ? 1 : found.windows().dimensions[std::size_t(op.gather->offset[next++])]);
  }
  return found;
}

/// Element `i` of all index vectors, which keep their rank.
InstructionId index_element(GraphBuilder& b, InstructionId indices, const GatherDimensions& roles, std::size_t i) {
  if (roles.index_vector == b.shape(indices).rank()) return indices;
  if (b.shape(indices).dimensions[std::size_t(roles.index_vector)] == 1) return indices;
  std::vector<SliceDimension> slice;
  for (const std::int64_t size : b.shape(indices).dimensions) slice.push_back({0, size, 1});
  slice[std::size_t(roles.index_vector)] = {std::int64_t(i), std::int64_t(i) + 1, 1};
  return b.slice(indices, std::move(slice));
}

/// Whether element `i` of all index vectors is known to be 0, also where others are not known.
bool is_known_zero(const Indexing& x, std::size_t i) {
  InstructionId id = x.indices_id();
  auto at = std::int64_t(i);
  const Instruction* indices = &x.computation[id];
  if (indices->opcode == Opcode::concatenate && indices->dimensions[0] == x.op.gather->index_vector) {
    for (const InstructionId operand : indices->operands) {
      const std::int64_t size = x.computation[operand].shape.dimensions[std::size_t(x.op.gather->index_vector)];
      if (at < size) {
        id = operand;
        break;
      }
      at -= size;
    }
  }
  const std::optional<Literal> known = known_value(x.computation, id, max_known_indices);
  if (!known) return false;
  GraphBuilder b("element");
  const InstructionId element = index_element(b, b.constant(*known), x.op.gather, std::size_t(at));
  const Module module = std::move(b).build(element);
  const std::optional<Literal> value =
      known_value(module.entry_computation(), module.entry_computation().root, max_known_indices);
  for (std::int64_t e = 0; e < value->shape.element_count(); ++e) {
    if (eval::integer_of(value->shape.element_type, eval::element_of(*value, e)) != 0) return false;
  }
  return true;
}

/// Parameters of the operands of an instruction, in their order.
std::vector<InstructionId> parameters_for(GraphBuilder& b, const Indexing& x) {
  std::vector<InstructionId> parameters;
  for (std::size_t i = 0; i < x.op.operands.size(); ++i) {
    parameters.push_back(b.parameter(x.computation[x.op.operands[i]].shape, "operand" + std::to_string(i)));
  }
  return parameters;
}

/// Where the one window begins: scalars that hold any position.
std::vector<InstructionId> starts_of_window(GraphBuilder& b, const Indexing& x, InstructionId indices) {
  const ElementType type = byte_width(b.type(indices)) < 4 ? ElementType::s32 : b.type(indices);
  const InstructionId zero = b.constant(type, 0);
  std::vector<InstructionId> starts(std::size_t(x.array().rank()), zero);
  for (std::size_t i = 0; i < x.op.gather->index_map.size(); ++i) {
    const int dimension = x.op.gather->index_map[i];
    if (x.is_gather() && x.is_whole(dimension)) continue;
    const InstructionId start = b.reshape(index_element(b, indices, x.op.gather, i), {});
    starts[std::size_t(dimension)] = b.convert(start, type);
  }
  return starts;
}

/// Whether a window from `starts` is within the array: a pred[].
InstructionId is_within(GraphBuilder& b, const Indexing& x, const std::vector<InstructionId>& starts) {
  InstructionId all = b.constant(ElementType::pred, 1);
  for (const int d : x.op.gather->index_map) {
    const InstructionId start = starts[std::size_t(d)];
    const auto last = double(x.array().dimensions[std::size_t(d)] - x.sizes[std::size_t(d)]);
    all = b.logical_and(all, b.compare(start, b.full_like(start, 0), ComparisonDirection::ge));
    all = b.logical_and(all, b.compare(start, b.full_like(start, last), ComparisonDirection::le));
  }
  return all;
}

/// What a function of scalars makes of arrays, element by element; empty if it has other than elementwise operations.
std::vector<InstructionId> on_arrays(GraphBuilder& b, const Computation& function,
                                     const std::vector<InstructionId>& arguments) {
  const std::vector<std::int64_t> sizes = b.shape(arguments[0]).dimensions;
  const Instruction& root = function[function.root];
  std::vector<InstructionId> ids(function.instructions.size(), -1);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    Instruction op = function.instructions[i];
    if (op.opcode == Opcode::parameter) {
      ids[i] = arguments[std::size_t(op.index)];
    } else if (op.opcode == Opcode::constant && op.literal) {
      ids[i] = b.broadcast(b.constant(*op.literal), sizes);
    } else if (is_elementwise(op.opcode) && op.phase == AsyncPhase::none) {
      for (InstructionId& operand : op.operands) operand = ids[std::size_t(operand)];
      op.shape.dimensions = sizes;
      op.name.clear();
      ids[i] = b.add(std::move(op));
    } else if (op.opcode != Opcode::tuple || InstructionId(i) != function.root) {
      return {};
    }
  }
  if (root.opcode != Opcode::tuple) return {ids[std::size_t(function.root)]};
  std::vector<InstructionId> results;
  for (const InstructionId operand : root.operands) results.push_back(ids[std::size_t(operand)]);
  return results;
}

/// Where the one window begins, by element of its index vector, if that is known.
std::optional<std::vector<std::int64_t>> known_starts(const Indexing& x) {
  const std::optional<Literal> known = known_value(x.computation, x.indices_id(), max_known_indices);
  if (!known) return std::nullopt;
  std::vector<std::int64_t> starts;
  for (std::int64_t i = 0; i < known->shape.element_count(); ++i) {
    const std::int64_t start = eval::integer_of(known->shape.element_type, eval::element_of(*known, i));
    const bool is_far = known->shape.element_type == ElementType::u64 && start < 0;
    starts.push_back(is_far ? std::numeric_limits<std::int64_t>::max() : start);
  }
  return starts;
}

/// The window of a gather, clamped, if its start is known.
std::optional<std::vector<SliceDimension>> known_window(const Indexing& x) {
  const std::optional<std::vector<std::int64_t>> starts = known_starts(x);
  if (!starts) return std::nullopt;
  std::vector<SliceDimension> window;
  for (const std::int64_t size : x.sizes) window.push_back({0, size, 1});
  for (std::size_t i = 0; i < x.op.gather->index_map.size(); ++i) {
    const auto d = std::size_t(x.op.gather->index_map[i]);
    window[d].start = std::clamp<std::int64_t>((*starts)[i], 0, x.array().dimensions[d] - x.sizes[d]);
    window[d].limit = window[d].start + x.sizes[d];
  }
  return window;
}

Module slice_of_window(const Indexing& x) {
  GraphBuilder b("window");
  const std::vector<InstructionId> operands = parameters_for(b, x);
  const std::optional<std::vector<SliceDimension>> known = known_window(x);
  const InstructionId window =
      known ? b.slice(operands[0], *known) : b.dynamic_slice(operands[0], starts_of_window(b, x, operands[1]), x.sizes);
  const InstructionId root = b.convert(b.reshape(window, x.op.shape.dimensions), x.op.shape.element_type);
  return std::move(b).build(root);
}

/// Whether the window of a scatter is within the array, if its start is known.
std::optional<bool> known_to_fit(const Indexing& x) {
  const std::optional<std::vector<std::int64_t>> starts = known_starts(x);
  if (!starts) return std::nullopt;
  for (std::size_t i = 0; i < x.op.gather->index_map.size(); ++i) {
    const auto d = std::size_t(x.op.gather->index_map[i]);
    const std::int64_t at = (*starts)[i];
    if (at < 0 || at > x.array().dimensions[d] - x.sizes[d]) return false;
  }
  return true;
}

std::optional<Module> update_of_window(const Module& module, const Indexing& x) {
  GraphBuilder b("window");
  const std::vector<InstructionId> operands = parameters_for(b, x);
  const std::vector<InstructionId> starts = starts_of_window(b, x, operands[x.arrays]);
  const std::optional<bool> known = known_to_fit(x);
  if (known == false) {
    const std::vector<InstructionId> arrays(operands.begin(), operands.begin() + std::ptrdiff_t(x.arrays));
    const InstructionId root = x.op.shape.is_tuple() ? b.tuple(arrays) : arrays[0];
    return std::move(b).build(root);
  }
  std::vector<InstructionId> arguments;
  for (std::size_t k = 0; k < x.arrays; ++k) arguments.push_back(b.dynamic_slice(operands[k], starts, x.sizes));
  for (std::size_t k = 0; k < x.arrays; ++k) arguments.push_back(b.reshape(operands[x.arrays + 1 + k], x.sizes));
  std::vector<InstructionId> made = on_arrays(b, module.computations[std::size_t(x.op.called[0])], arguments);
  if (made.size() != x.arrays) return std::nullopt;
  for (std::size_t k = 0; k < x.arrays; ++k) {
    if (!known) made[k] = b.select(b.broadcast(is_within(b, x, starts), x.sizes), made[k], arguments[k]);
    made[k] = b.dynamic_update_slice(operands[k], made[k], starts);
  }
  const InstructionId root = x.op.shape.is_tuple() ? b.tuple(std::move(made)) : made[0];
  return std::move(b).build(root);
}

/// A gather or scatter of fewer indices, of windows of fewer dimensions, and with one dimension of windows.
struct Reduced {
  std::vector<std::size_t> elements;  ///< of the index vectors that stay
  std::vector<int> collapsed;         ///< dimensions of the array that windows drop too
  std::vector<std::int64_t> windows;  ///< sizes of the result or of the updates
  bool is_flat = false;               ///< whether several dimensions of indices become one
  GatherDimensions roles;
};

/// Whether windows are numbered by several dimensions that can be one: those of a result, or of updates, are next to
/// each other, and index vectors lie along the last dimension of the indices.
bool can_be_flat(const Indexing& x) {
  if (!x.op.gather->operand_batching.empty() || x.op.gather->index_vector < x.indices().rank() - 1) return false;
  std::vector<int> numbers;
  for (int i = 0; i < x.windows().rank(); ++i) {
    if (!is_among(x.op.gather->offset, i)) numbers.push_back(i);
  }
  return numbers.size() > 1 && numbers.back() - numbers.front() == int(numbers.size()) - 1;
}

std::optional<Reduced> reduced(const Indexing& x) {
  Reduced found;
  found.roles = x.op.gather;
  found.roles.index_map.clear();
  for (std::size_t i = 0; i < x.op.gather->index_map.size(); ++i) {
    const int d = x.op.gather->index_map[i];
    if (x.is_whole(d) && (x.is_gather() || is_known_zero(x, i))) continue;
    found.elements.push_back(i);
    found.roles.index_map.push_back(d);
    if (x.sizes[std::size_t(d)] == 1 && !is_among(x.op.gather->collapsed, d)) found.collapsed.push_back(d);
  }
  found.is_flat = can_be_flat(x);
  if (!found.is_flat && found.collapsed.empty() && found.elements.size() == x.op.gather->index_map.size()) {
    return std::nullopt;
  }
  if (found.elements.empty() && !x.is_gather()) return std::nullopt;
  std::vector<int> dropped;  // of the windows
  std::size_t next = 0;
  for (int d = 0; d < x.array().rank(); ++d) {
    if (is_among(x.op.gather->collapsed, d) || is_among(x.op.gather->operand_batching, d)) continue;
    if (is_among(found.collapsed, d)) dropped.push_back(x.op.gather->offset[next]);
    ++next;
  }
  found.roles.offset.clear();
  bool has_number = false;
  for (int i = 0; i < x.windows().rank(); ++i) {
    const bool is_number = !is_among(x.op.gather->offset, i);
    const std::int64_t size = x.windows().dimensions[std::size_t(i)];
    if (is_among(dropped, i)) continue;
    if (is_number && has_number && found.is_flat) {
      found.windows.back() *= size;
      continue;
    }
    has_number = has_number || is_number;
    if (!is_number) found.roles.offset.push_back(int(found.windows.size()));
    found.windows.push_back(size);
  }
  if (found.is_flat) found.roles.index_vector = 1;
  found.roles.collapsed.insert(found.roles.collapsed.end(), found.collapsed.begin(), found.collapsed.end());
  std::ranges::sort(found.roles.collapsed);
  return found;
}

InstructionId remaining_indices(GraphBuilder& b, InstructionId indices, const Indexing& x, const Reduced& less) {
  if (less.elements.size() < x.op.gather->index_map.size()) {
    std::vector<InstructionId> parts;
    for (const std::size_t i : less.elements) parts.push_back(index_element(b, indices, x.op.gather, i));
    indices = parts.size() == 1 ? parts[0] : b.concatenate(std::move(parts), x.op.gather->index_vector);
  }
  return less.is_flat ? b.reshape(indices, {x.count(), std::int64_t(less.elements.size())}) : indices;
}

/// The whole array, less its dimensions of one element that windows drop, for each index.
InstructionId repeated_array(GraphBuilder& b, InstructionId array, const Indexing& x) {
  std::vector<std::int64_t> sizes, dimensions(x.op.gather->offset.begin(), x.op.gather->offset.end());
  for (int d = 0; d < x.array().rank(); ++d) {
    if (!is_among(x.op.gather->collapsed, d)) sizes.push_back(x.array().dimensions[std::size_t(d)]);
  }
  return b.broadcast(b.reshape(array, std::move(sizes)), x.op.shape.dimensions, std::move(dimensions));
}

std::optional<Module> with_fewer_indices(const Module& module, const Indexing& x) {
  const std::optional<Reduced> less = reduced(x);
  if (!less) return std::nullopt;
  if (less->elements.empty() && !x.op.gather->operand_batching.empty()) return std::nullopt;
  GraphBuilder b("rows");
  const std::vector<InstructionId> operands = parameters_for(b, x);
  if (less->elements.empty()) {
    const InstructionId root = b.convert(repeated_array(b, operands[0], x), x.op.shape.element_type);
    return std::move(b).build(root);
  }
  Instruction op = x.op;
  op.operands = operands;
  op.name.clear();
  op.gather = less->roles;
  op.operands[x.arrays] = remaining_indices(b, operands[x.arrays], x, *less);
  if (x.is_gather()) {
    op.shape = make_shape(x.op.shape.element_type, less->windows);
    const InstructionId root = b.reshape(b.add(std::move(op)), x.op.shape.dimensions);
    return std::move(b).build(root);
  }
  for (std::size_t k = x.arrays + 1; k < op.operands.size(); ++k) {
    op.operands[k] = b.reshape(op.operands[k], less->windows);
  }
  op.called = {b.copy_computation(module, x.op.called[0])};
  const InstructionId root = b.add(std::move(op));
  return std::move(b).build(root);
}

}  // namespace

void simplify_gathers(Module& module) {
  replace_instructions(module, [&](const Computation& computation, InstructionId id) -> std::optional<Module> {
    const std::optional<Indexing> x = indexing_of(computation, computation[id]);
    if (!x) return std::nullopt;
    if (x->count() != 1) return with_fewer_indices(module, *x);
    return x->is_gather() ? slice_of_window(*x) : update_of_window(module, *x);
  });
}

}  // namespace podsim::hlo::expanders
