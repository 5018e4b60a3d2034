// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/body_builder.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace podsim::validation::profile {

std::vector<std::int64_t> matched_dimensions(const hlo::Shape& part, const hlo::Shape& whole) {
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

hlo::Shape without_single_elements(const hlo::Shape& shape) {
  hlo::Shape kept = hlo::make_shape(shape.element_type, {});
  std::ranges::copy_if(shape.dimensions, std::back_inserter(kept.dimensions), [](std::int64_t n) { return n != 1; });
  return kept;
}

}  // namespace

bool is_sum_of(const hlo::Shape& part, const hlo::Shape& whole) {
  const hlo::Shape kept = without_single_elements(part);
  return matched_dimensions(kept, whole).size() == kept.dimensions.size();
}

hlo::InstructionId BodyBuilder::parameter(const hlo::Shape& shape) {
  hlo::Instruction parameter;
  parameter.opcode = hlo::Opcode::parameter;
  parameter.shape = shape;
  parameter.index = std::int64_t(body_.parameters.size());
  const hlo::InstructionId id = add(std::move(parameter));
  body_.parameters.push_back(id);
  return id;
}

hlo::InstructionId BodyBuilder::add(hlo::Instruction instruction) {
  const auto id = hlo::InstructionId(body_.instructions.size());
  instruction.name = "i" + std::to_string(id);
  body_.instructions.push_back(std::move(instruction));
  return id;
}

hlo::InstructionId BodyBuilder::elementwise(hlo::InstructionId value, const hlo::Shape& shape, std::int64_t count,
                                            const std::vector<hlo::InstructionId>& others) {
  for (std::int64_t i = 0; i < count; ++i) {
    hlo::Instruction sum;
    sum.opcode = hlo::Opcode::add;
    sum.shape = shape;
    sum.operands = {value, std::size_t(i) < others.size() ? others[std::size_t(i)] : value};
    value = add(std::move(sum));
  }
  return value;
}

hlo::InstructionId BodyBuilder::slice(hlo::InstructionId value, base::Bytes bytes) {
  hlo::Instruction slice;
  slice.opcode = hlo::Opcode::slice;
  slice.operands = {value};
  slice.shape = shape(value);
  const std::int64_t whole = std::max<std::int64_t>(1, hlo::padded_bytes(slice.shape).value());
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

hlo::InstructionId BodyBuilder::broadcast(hlo::InstructionId value, const hlo::Shape& whole, Layout layout) {
  const hlo::Shape part = shape(value);
  if (part.element_count() >= whole.element_count()) return value;
  hlo::Instruction broadcast;
  broadcast.opcode = hlo::Opcode::broadcast;
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

hlo::InstructionId BodyBuilder::reduce(hlo::InstructionId value, const hlo::Shape& result) {
  hlo::Instruction reduce;
  reduce.opcode = hlo::Opcode::reduce;
  reduce.operands = {value};
  reduce.shape = result;
  const std::vector<std::int64_t> kept = matched_dimensions(without_single_elements(result), shape(value));
  for (std::int64_t d = 0; d < shape(value).rank(); ++d) {
    if (std::ranges::find(kept, d) == kept.end()) reduce.dimensions.push_back(d);
  }
  reduce.called = {combiner()};
  return add(std::move(reduce));
}

hlo::ComputationId BodyBuilder::combiner() {
  if (called_.empty()) {
    BodyBuilder sum;
    const hlo::InstructionId a = sum.parameter(hlo::make_shape(hlo::ElementType::f32, {}));
    const hlo::InstructionId b = sum.parameter(hlo::make_shape(hlo::ElementType::f32, {}));
    sum.body_.root = sum.elementwise(a, hlo::make_shape(hlo::ElementType::f32, {}), 1, {b});
    sum.body_.name = "sum";
    called_.push_back(std::move(sum.body_));
  }
  return 0;
}

hlo::Module BodyBuilder::fusion(const std::vector<hlo::InstructionId>& results) && {
  body_.name = "body";
  body_.root = results.front();
  if (results.size() > 1) {
    hlo::Instruction tuple;
    tuple.opcode = hlo::Opcode::tuple;
    tuple.operands = results;
    std::vector<hlo::Shape> shapes;
    for (hlo::InstructionId id : results) shapes.push_back(shape(id));
    tuple.shape = hlo::make_tuple_shape(std::move(shapes));
    body_.root = add(std::move(tuple));
  }
  BodyBuilder entry;
  hlo::Instruction fusion;
  fusion.opcode = hlo::Opcode::fusion;
  fusion.shape = shape(body_.root);
  for (hlo::InstructionId id : body_.parameters) fusion.operands.push_back(entry.parameter(shape(id)));
  fusion.called = {hlo::ComputationId(called_.size())};
  entry.body_.root = entry.add(std::move(fusion));
  entry.body_.name = "entry";
  hlo::Module module;
  module.computations = std::move(called_);
  module.computations.push_back(std::move(body_));
  module.computations.push_back(std::move(entry.body_));
  module.entry = hlo::ComputationId(module.computations.size()) - 1;
  return module;
}

hlo::Module BodyBuilder::bare() && {
  body_.name = "entry";
  body_.root = hlo::InstructionId(body_.instructions.size()) - 1;
  hlo::Module module;
  module.computations = std::move(called_);
  module.computations.push_back(std::move(body_));
  module.entry = hlo::ComputationId(module.computations.size()) - 1;
  return module;
}

}  // namespace podsim::validation::profile
