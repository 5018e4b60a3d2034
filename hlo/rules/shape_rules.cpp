// SPDX-License-Identifier: Apache-2.0
#include "hlo/rules/shape_rules.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/text/counted.h"

namespace podsim::hlo::rules {

void require(bool holds, const char* rule) {
  if (!holds) throw std::logic_error(rule);
}

void require_count(OperandShapes operands, std::size_t count) {
  if (operands.size() != count) {
    throw std::logic_error(
        fmt::format("takes {}, has {}", base::text::counted(std::int64_t(count), "operand"), operands.size()));
  }
}

void require_at_least(OperandShapes operands, std::size_t count) {
  if (operands.size() < count) {
    throw std::logic_error(
        fmt::format("takes at least {}, has {}", base::text::counted(std::int64_t(count), "operand"), operands.size()));
  }
}

void require_compatible(const Shape& a, const Shape& b) {
  if (!a.compatible(b)) throw std::logic_error(fmt::format("shapes {} and {} differ", to_string(a), to_string(b)));
}

bool similar(ElementType a, ElementType b) { return a == b || (is_floating_point(a) && is_floating_point(b)); }

bool similar(const Shape& a, const Shape& b) {
  return similar(a.element_type, b.element_type) && a.dimensions == b.dimensions &&
         std::ranges::equal(a.tuple_shapes, b.tuple_shapes,
                            [](const Shape& x, const Shape& y) { return similar(x, y); });
}

void require_similar(const Shape& a, const Shape& b) {
  if (!similar(a, b)) throw std::logic_error(fmt::format("shapes {} and {} differ", to_string(a), to_string(b)));
}

void require_array(const Shape& shape) {
  if (byte_width(shape.element_type) == 0) {
    throw std::logic_error(fmt::format("needs an array, has {}", to_string(shape)));
  }
}

void require_scalar(const Shape& shape) {
  if (shape.rank() != 0 || byte_width(shape.element_type) == 0) {
    throw std::logic_error(fmt::format("needs a scalar, has {}", to_string(shape)));
  }
}

const Computation& called_computation(const Instruction& instruction, std::size_t i, Computations computations) {
  require(i < instruction.called.size(), "lacks a called computation");
  const ComputationId id = instruction.called[i];
  require(id >= 0 && id < int(computations.size()), "calls a computation that does not exist or does not precede");
  return computations[std::size_t(id)];
}

void require_parameters(const Computation& computation, OperandShapes operands) {
  if (computation.parameters.size() != operands.size()) {
    throw std::logic_error(fmt::format("calls {} of {} parameters with {} operands", computation.name,
                                       computation.parameters.size(), operands.size()));
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    require_similar(*operands[i], computation[computation.parameters[i]].shape);
  }
}

Shape one_or_tuple(std::vector<Shape> shapes) {
  return shapes.size() == 1 ? std::move(shapes[0]) : make_tuple_shape(std::move(shapes));
}

Shape operands_together(OperandShapes operands) {
  std::vector<Shape> shapes;
  for (const Shape* operand : operands) shapes.push_back(*operand);
  return one_or_tuple(std::move(shapes));
}

}  // namespace podsim::hlo::rules
