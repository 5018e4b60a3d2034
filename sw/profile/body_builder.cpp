// SPDX-License-Identifier: Apache-2.0
#include "sw/profile/body_builder.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace podsim::sw::profile {

std::vector<std::int64_t> matched_dimensions(const ir::Shape& part, const ir::Shape& whole) {
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

namespace {

ir::Shape without_single_elements(const ir::Shape& shape) {
  ir::Shape kept = ir::make_shape(shape.element_type, {});
  std::ranges::copy_if(shape.dimensions, std::back_inserter(kept.dimensions), [](std::int64_t n) { return n != 1; });
  return kept;
}

}  // namespace

bool is_sum_of(const ir::Shape& part, const ir::Shape& whole) {
  const ir::Shape kept = without_single_elements(part);
  return matched_dimensions(kept, whole).size() == kept.dimensions.size();
}

ir::InstructionId BodyBuilder::parameter(const ir::Shape& shape) {
  ir::Instruction parameter;
  parameter.opcode = ir::Opcode::parameter;
  parameter.shape = shape;
  parameter.index = std::int64_t(body_.parameters.size());
  const ir::InstructionId id = add(std::move(parameter));
  body_.parameters.push_back(id);
  return id;
}

ir::InstructionId BodyBuilder::add(ir::Instruction instruction) {
  const auto id = ir::InstructionId(body_.instructions.size());
  instruction.name = "i" + std::to_string(id);
  body_.instructions.push_back(std::move(instruction));
  return id;
}

ir::InstructionId BodyBuilder::elementwise(ir::InstructionId value, const ir::Shape& shape, std::int64_t count,
                                           const std::vector<ir::InstructionId>& others) {
  for (std::int64_t i = 0; i < count; ++i) {
    ir::Instruction sum;
    sum.opcode = ir::Opcode::add;
    sum.shape = shape;
    sum.operands = {value, std::size_t(i) < others.size() ? others[std::size_t(i)] : value};
    value = add(std::move(sum));
  }
  return value;
}

ir::InstructionId BodyBuilder::slice(ir::InstructionId value, base::Bytes bytes) {
  ir::Instruction slice;
  slice.opcode = ir::Opcode::slice;
  slice.operands = {value};
  slice.shape = shape(value);
  const std::int64_t whole = std::max<std::int64_t>(1, ir::padded_bytes(slice.shape).value());
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

ir::InstructionId BodyBuilder::broadcast(ir::InstructionId value, const ir::Shape& whole, Layout layout) {
  const ir::Shape part = shape(value);
  if (part.element_count() >= whole.element_count()) return value;
  ir::Instruction broadcast;
  broadcast.opcode = ir::Opcode::broadcast;
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

ir::InstructionId BodyBuilder::reduce(ir::InstructionId value, const ir::Shape& result) {
  ir::Instruction reduce;
  reduce.opcode = ir::Opcode::reduce;
  reduce.operands = {value};
  reduce.shape = result;
  const std::vector<std::int64_t> kept = matched_dimensions(without_single_elements(result), shape(value));
  for (std::int64_t d = 0; d < shape(value).rank(); ++d) {
    if (std::ranges::find(kept, d) == kept.end()) reduce.dimensions.push_back(d);
  }
  reduce.called = {combiner()};
  return add(std::move(reduce));
}

ir::ComputationId BodyBuilder::combiner() {
  if (called_.empty()) {
    BodyBuilder sum;
    const ir::InstructionId a = sum.parameter(ir::make_shape(ir::ElementType::f32, {}));
    const ir::InstructionId b = sum.parameter(ir::make_shape(ir::ElementType::f32, {}));
    sum.body_.root = sum.elementwise(a, ir::make_shape(ir::ElementType::f32, {}), 1, {b});
    sum.body_.name = "sum";
    called_.push_back(std::move(sum.body_));
  }
  return 0;
}

ir::Module BodyBuilder::fusion(const std::vector<ir::InstructionId>& results) && {
  body_.name = "body";
  body_.root = results.front();
  if (results.size() > 1) {
    ir::Instruction tuple;
    tuple.opcode = ir::Opcode::tuple;
    tuple.operands = results;
    std::vector<ir::Shape> shapes;
    for (ir::InstructionId id : results) shapes.push_back(shape(id));
    tuple.shape = ir::make_tuple_shape(std::move(shapes));
    body_.root = add(std::move(tuple));
  }
  BodyBuilder entry;
  ir::Instruction fusion;
  fusion.opcode = ir::Opcode::fusion;
  fusion.shape = shape(body_.root);
  for (ir::InstructionId id : body_.parameters) fusion.operands.push_back(entry.parameter(shape(id)));
  fusion.called = {ir::ComputationId(called_.size())};
  entry.body_.root = entry.add(std::move(fusion));
  entry.body_.name = "entry";
  ir::Module module;
  module.computations = std::move(called_);
  module.computations.push_back(std::move(body_));
  module.computations.push_back(std::move(entry.body_));
  module.entry = ir::ComputationId(module.computations.size()) - 1;
  return module;
}

ir::Module BodyBuilder::bare() && {
  body_.name = "entry";
  body_.root = ir::InstructionId(body_.instructions.size()) - 1;
  ir::Module module;
  module.computations = std::move(called_);
  module.computations.push_back(std::move(body_));
  module.entry = ir::ComputationId(module.computations.size()) - 1;
  return module;
}

}  // namespace podsim::sw::profile
