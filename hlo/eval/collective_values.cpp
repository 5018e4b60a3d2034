// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/collective_values.h"

#include <stdexcept>

#include "hlo/eval/dynamic_slice.h"
#include "hlo/eval/index_space.h"
#include "hlo/permuted_slices.h"

namespace podsim::hlo::eval {

namespace {

/// Shape of result k of an instruction with one array or a tuple of them.
const Shape& result_shape(const Instruction& instruction, std::size_t k) {
  return instruction.shape.is_tuple() ? instruction.shape.tuple_shapes[k] : instruction.shape;
}

Value together(const Instruction& instruction, std::vector<Literal> results) {
  if (!instruction.shape.is_tuple()) return Value(std::move(results[0]));
  return Value(Literal{instruction.shape, {}, std::move(results)});
}

Literal folded(const MemberOperands& operands, std::size_t k, ScalarFunction& combine) {
  Literal total = *operands[0][k];
  const ElementType type = total.shape.element_type;
  const std::int64_t count = total.shape.element_count();
  for (std::int64_t i = 0; i < count; ++i) {
    Element sum = element_of(total, i);
    for (std::size_t member = 1; member < operands.size(); ++member) {
      sum = combine(sum, element_of(*operands[member][k], i));
    }
    set_element(total, i, rounded(type, sum));
  }
  return total;
}

/// Part `i` of `parts` along a dimension.
Literal part_of(const Literal& whole, std::size_t along, std::size_t i, std::size_t parts) {
  Shape shape = whole.shape;
  std::int64_t& size = shape.dimensions[along];
  if (size % std::int64_t(parts) != 0) throw std::logic_error("the dimension does not split into equal parts");
  size /= std::int64_t(parts);
  const std::vector<std::int64_t> steps = row_major_strides(whole.shape.dimensions);
  return gather_affine(shape, whole, std::int64_t(i) * size * steps[along], steps);
}

Literal joined_parts(const Shape& shape, const std::vector<const Literal*>& parts, std::size_t along) {
  Literal result = make_zeros(shape);
  const std::vector<std::int64_t> steps = row_major_strides(shape.dimensions);
  std::int64_t offset = 0;
  for (const Literal* part : parts) offset += part->shape.dimensions[along];
  if (offset != shape.dimensions[along]) throw std::logic_error("the result's size is not the group's");
  offset = 0;
  for (const Literal* part : parts) {
    scatter_affine(result, *part, offset * steps[along], steps);
    offset += part->shape.dimensions[along];
  }
  return result;
}

/// The scalars of nested tuples in order.
void collect_scalars(const Value& value, const Shape& shape, std::vector<const Literal*>& scalars) {
  if (!shape.is_tuple()) return scalars.push_back(&value.array());
  for (std::size_t i = 0; i < shape.tuple_shapes.size(); ++i) {
    collect_scalars(value.element(i), shape.tuple_shapes[i], scalars);
  }
}

std::vector<const Literal*> scalars_of(const Value& offsets) {
  std::vector<const Literal*> scalars;
  collect_scalars(offsets, offsets.array().shape, scalars);
  return scalars;
}

}  // namespace

std::vector<Value> all_reduce_values(const Instruction& instruction, const MemberOperands& operands,
                                     ScalarFunction& combine) {
  std::vector<Literal> totals;
  for (std::size_t k = 0; k < operands[0].size(); ++k) totals.push_back(folded(operands, k, combine));
  return std::vector<Value>(operands.size(), together(instruction, std::move(totals)));
}

std::vector<Value> reduce_scatter_values(const Instruction& instruction, const MemberOperands& operands,
                                         ScalarFunction& combine) {
  const auto along = std::size_t(instruction.dimensions[0]);
  std::vector<Literal> totals;
  for (std::size_t k = 0; k < operands[0].size(); ++k) totals.push_back(folded(operands, k, combine));
  std::vector<Value> results;
  for (std::size_t member = 0; member < operands.size(); ++member) {
    std::vector<Literal> parts;
    for (std::size_t k = 0; k < totals.size(); ++k) {
      parts.push_back(part_of(totals[k], along, member, operands.size()));
      if (!parts.back().shape.compatible(result_shape(instruction, k))) {
        throw std::logic_error("the result's size is not the group's");
      }
    }
    results.push_back(together(instruction, std::move(parts)));
  }
  return results;
}

std::vector<Value> all_gather_values(const Instruction& instruction, const MemberOperands& operands) {
  std::vector<Literal> results;
  for (std::size_t k = 0; k < operands[0].size(); ++k) {
    std::vector<const Literal*> parts;
    for (const auto& member : operands) parts.push_back(member[k]);
    results.push_back(joined_parts(result_shape(instruction, k), parts, std::size_t(instruction.dimensions[0])));
  }
  return std::vector<Value>(operands.size(), together(instruction, std::move(results)));
}

std::vector<Value> all_to_all_values(const Instruction& instruction, const MemberOperands& operands) {
  const std::size_t members = operands.size();
  std::vector<Value> results;
  if (instruction.shape.is_tuple()) {
    if (operands[0].size() != members) throw std::logic_error("has another number of operands than its group members");
    for (std::size_t member = 0; member < members; ++member) {
      std::vector<Literal> received;
      for (std::size_t from = 0; from < members; ++from) received.push_back(*operands[from][member]);
      results.push_back(together(instruction, std::move(received)));
    }
    return results;
  }
  const auto along = std::size_t(instruction.dimensions[0]);
  for (std::size_t member = 0; member < members; ++member) {
    std::vector<Literal> received;
    for (std::size_t from = 0; from < members; ++from) {
      received.push_back(part_of(*operands[from][0], along, member, members));
    }
    std::vector<const Literal*> parts;
    for (const Literal& part : received) parts.push_back(&part);
    results.emplace_back(joined_parts(instruction.shape, parts, along));
  }
  return results;
}

Value permuted_in_place(const Instruction& instruction, const Value& input, const Value& output, const Value& from,
                        const Value& to) {
  const std::vector<const Literal*> begins = scalars_of(from), ends = scalars_of(to);
  std::vector<Literal> arrays;
  if (output.is_tuple()) {
    for (std::size_t k = 0; k < instruction.shape.tuple_shapes.size(); ++k) {
      arrays.push_back(output.element(k).array());
    }
  } else {
    arrays.push_back(output.array());
  }
  auto begin = begins.begin(), end = ends.begin();
  for (const PermutedSlice& slice : permuted_slices(instruction, instruction.shape)) {
    Literal& array = arrays.at(slice.array);
    const auto rank = std::ptrdiff_t(slice.sizes.size());
    const Literal& source = input.is_tuple() ? input.element(slice.array).array() : input.array();
    Instruction move;
    move.slice_sizes = slice.sizes;
    move.shape = make_shape(source.shape.element_type, slice.sizes);
    std::vector<const Literal*> operands{&source};
    operands.insert(operands.end(), begin, begin + rank);
    const Literal moved = evaluate_dynamic_slice(move, operands);
    move.shape = array.shape;
    operands = {&array, &moved};
    operands.insert(operands.end(), end, end + rank);
    array = evaluate_dynamic_update_slice(move, operands);
    begin += rank;
    end += rank;
  }
  return together(instruction, std::move(arrays));
}

std::vector<Value> broadcast_values(const Instruction& instruction, const MemberOperands& operands) {
  std::vector<Literal> first;
  for (const Literal* operand : operands[0]) first.push_back(*operand);
  return std::vector<Value>(operands.size(), together(instruction, std::move(first)));
}

}  // namespace podsim::hlo::eval
