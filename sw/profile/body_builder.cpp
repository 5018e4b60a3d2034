// SPDX-License-Identifier: Apache-2.0
#include "sw/profile/body_builder.h"

#include <algorithm>
#include <utility>

namespace podsim::sw {

std::vector<std::int64_t> matched_dimensions(const Shape& part, const Shape& whole) {
  std::vector<std::int64_t> matched;
  std::vector<bool> taken(whole.dimensions.size(), false);
  int from = 0;
  for (std::int64_t size : part.dimensions) {
    auto fits = [&](int d) { return !taken[std::size_t(d)] && whole.dimensions[std::size_t(d)] == size; };
    int found = -1;
    for (int i = 0; i < whole.rank() && found < 0; ++i) {
      if (const int d = (from + i) % whole.rank(); fits(d)) found = d;
    }
    if (found < 0) return {};
    taken[std::size_t(found)] = true;
    from = found + 1;
    matched.push_back(found);
  }
  return matched;
}

InstructionId BodyBuilder::parameter(const Shape& shape) {
  Instruction parameter;
  parameter.opcode = Opcode::parameter;
  parameter.shape = shape;
  parameter.index = std::int64_t(body_.parameters.size());
  const InstructionId id = add(std::move(parameter));
  body_.parameters.push_back(id);
  return id;
}

InstructionId BodyBuilder::add(Instruction instruction) {
  const auto id = InstructionId(body_.instructions.size());
  instruction.name = "i" + std::to_string(id);
  body_.instructions.push_back(std::move(instruction));
  return id;
}

InstructionId BodyBuilder::elementwise(InstructionId value, const Shape& shape, std::int64_t count,
                                       const std::vector<InstructionId>& others) {
  for (std::int64_t i = 0; i < count; ++i) {
    Instruction sum;
    sum.opcode = Opcode::add;
    sum.shape = shape;
    sum.operands = {value, std::size_t(i) < others.size() ? others[std::size_t(i)] : value};
    value = add(std::move(sum));
  }
  return value;
}

InstructionId BodyBuilder::slice(InstructionId value, base::Bytes bytes) {
  Instruction slice;
  slice.opcode = Opcode::slice;
  slice.operands = {value};
  slice.shape = shape(value);
  const std::int64_t whole = std::max<std::int64_t>(1, padded_bytes(slice.shape).value());
  double share = std::min(1.0, double(bytes.value()) / double(whole));
  for (int i = slice.shape.rank() - 1; i >= 0 && share < 1; --i) {
    std::int64_t& size = slice.shape.dimensions[std::size_t(slice.shape.minor_dimension(i))];
    const std::int64_t kept = std::max<std::int64_t>(1, std::int64_t(double(size) * share + 0.5));
    share *= double(size) / double(kept);
    size = kept;
  }
  for (std::int64_t size : slice.shape.dimensions) slice.slice.push_back({0, size, 1});
  return add(std::move(slice));
}

InstructionId BodyBuilder::broadcast(InstructionId value, const Shape& whole, Layout layout) {
  const Shape part = shape(value);
  if (part.element_count() >= whole.element_count()) return value;
  Instruction broadcast;
  broadcast.opcode = Opcode::broadcast;
  broadcast.operands = {value};
  broadcast.shape = whole;
  broadcast.shape.element_type = part.element_type;
  broadcast.shape.tile.clear();
  broadcast.dimensions = matched_dimensions(part, whole);
  if (broadcast.dimensions.size() != part.dimensions.size()) return value;
  if (layout == Layout::free && part.rank() > 0) {
    const auto lanes = int(broadcast.dimensions[std::size_t(part.minor_dimension(0))]);
    broadcast.shape.minor_to_major = {lanes};
    for (int d = whole.rank() - 1; d >= 0; --d) {
      if (d != lanes) broadcast.shape.minor_to_major.push_back(d);
    }
  }
  return add(std::move(broadcast));
}

InstructionId BodyBuilder::reduce(InstructionId value, const Shape& result) {
  Instruction reduce;
  reduce.opcode = Opcode::reduce;
  reduce.operands = {value};
  reduce.shape = result;
  const std::vector<std::int64_t> kept = matched_dimensions(result, shape(value));
  for (std::int64_t d = 0; d < shape(value).rank(); ++d) {
    if (std::ranges::find(kept, d) == kept.end()) reduce.dimensions.push_back(d);
  }
  reduce.called = {combiner()};
  return add(std::move(reduce));
}

ComputationId BodyBuilder::combiner() {
  if (called_.empty()) {
    BodyBuilder sum;
    const InstructionId a = sum.parameter(make_shape(ElementType::f32, {}));
    const InstructionId b = sum.parameter(make_shape(ElementType::f32, {}));
    sum.body_.root = sum.elementwise(a, make_shape(ElementType::f32, {}), 1, {b});
    sum.body_.name = "sum";
    called_.push_back(std::move(sum.body_));
  }
  return 0;
}

Module BodyBuilder::fusion(const std::vector<InstructionId>& results) && {
  body_.name = "body";
  body_.root = results.front();
  if (results.size() > 1) {
    Instruction tuple;
    tuple.opcode = Opcode::tuple;
    tuple.operands = results;
    std::vector<Shape> shapes;
    for (InstructionId id : results) shapes.push_back(shape(id));
    tuple.shape = make_tuple_shape(std::move(shapes));
    body_.root = add(std::move(tuple));
  }
  BodyBuilder entry;
  Instruction fusion;
  fusion.opcode = Opcode::fusion;
  fusion.shape = shape(body_.root);
  for (InstructionId id : body_.parameters) fusion.operands.push_back(entry.parameter(shape(id)));
  fusion.called = {ComputationId(called_.size())};
  entry.body_.root = entry.add(std::move(fusion));
  entry.body_.name = "entry";
  Module module;
  module.computations = std::move(called_);
  module.computations.push_back(std::move(body_));
  module.computations.push_back(std::move(entry.body_));
  module.entry = ComputationId(module.computations.size()) - 1;
  return module;
}

Module BodyBuilder::bare() && {
  body_.name = "entry";
  body_.root = InstructionId(body_.instructions.size()) - 1;
  Module module;
  module.computations = std::move(called_);
  module.computations.push_back(std::move(body_));
  module.entry = ComputationId(module.computations.size()) - 1;
  return module;
}

}  // namespace podsim::sw
