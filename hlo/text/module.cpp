// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/module.h"

#include <algorithm>

namespace podsim::hlo::text {
namespace {

template <typename T>
std::size_t held(const std::vector<T>& values) {
  return values.capacity() * sizeof(T);
}

}  // namespace

const std::string_view* find_value(std::span<const Attribute> attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &Attribute::name);
  return found == attributes.end() ? nullptr : &found->value;
}

std::vector<ComputationIndex> callees_first(const Module& module) {
  struct Frame {
    ComputationIndex computation;
    std::uint32_t instruction = 0, call = 0;
  };
  std::vector<ComputationIndex> order;
  std::vector<bool> seen(module.computations.size());
  std::vector<Frame> stack;
  const auto enter = [&](ComputationIndex computation) {
    if (seen[std::size_t(computation)]) return;
    seen[std::size_t(computation)] = true;
    stack.push_back({computation});
  };
  for (std::size_t start = 0; start < module.computations.size(); ++start) {
    enter(ComputationIndex(start));
    while (!stack.empty()) {
      Frame& frame = stack.back();
      const auto instructions = module.instructions_of(module.computations[std::size_t(frame.computation)]);
      if (frame.instruction == instructions.size()) {
        order.push_back(frame.computation);
        stack.pop_back();
      } else if (frame.call == instructions[frame.instruction].called.count) {
        ++frame.instruction;
        frame.call = 0;
      } else {
        enter(module.called(instructions[frame.instruction])[frame.call++]);
      }
    }
  }
  return order;
}

bool is_global(const Module& module) {
  const std::string_view* attributes = find_value(module.attributes, "frontend_attributes");
  return attributes != nullptr && attributes->find("podsim.global=\"1\"") != std::string_view::npos;
}

bool is_scheduled(const Module& module) {
  const std::string_view* value = find_value(module.attributes, "is_scheduled");
  return value != nullptr && *value == "true";
}

std::size_t memory_bytes(const Module& module) {
  std::size_t bytes = held(module.instructions) + held(module.operand_list) + held(module.attribute_list) +
                      held(module.called_list) + held(module.computations) + module.shapes.memory_bytes();
  for (const Computation& computation : module.computations) {
    bytes += held(computation.parameters) + held(computation.attributes);
  }
  for (const SourceTable& table : module.tables) bytes += held(table.entries);
  return bytes;
}

}  // namespace podsim::hlo::text
