// SPDX-License-Identifier: Apache-2.0
#include "sw/graph/graph.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sw/graph/literal.h"
#include "sw/graph/shape_inference.h"

namespace podsim::sw {

namespace {

void verify(const Instruction& instruction, InstructionId id, const Computation& computation,
            std::span<const Computation> preceding) {
  std::vector<const Shape*> operands;
  for (InstructionId operand : instruction.operands) {
    if (operand < 0 || operand >= id) throw std::logic_error("an operand does not precede its user");
    operands.push_back(&computation[operand].shape);
  }
  const Shape shape = infer_shape(instruction, operands, preceding);
  if (!shape.compatible(instruction.shape)) {
    throw std::logic_error(
        fmt::format("has shape {}, its operands give {}", to_string(instruction.shape), to_string(shape)));
  }
  if (instruction.opcode == Opcode::constant && instruction.literal && !instruction.literal->shape.compatible(shape)) {
    throw std::logic_error("constant with a value of another shape");
  }
}

void verify_parameters(const Computation& computation) {
  for (std::size_t i = 0; i < computation.parameters.size(); ++i) {
    const InstructionId id = computation.parameters[i];
    if (id < 0 || id >= int(computation.instructions.size()) || computation[id].opcode != Opcode::parameter ||
        computation[id].index != std::int64_t(i)) {
      throw std::logic_error(fmt::format("{}: parameter {} is not listed in order", computation.name, i));
    }
  }
  const auto declared = std::ranges::count(computation.instructions, Opcode::parameter, &Instruction::opcode);
  if (declared != std::int64_t(computation.parameters.size())) {
    throw std::logic_error(computation.name + ": a parameter is missing from the list of parameters");
  }
}

void verify(const Computation& computation, std::span<const Computation> preceding) {
  std::unordered_set<std::string_view> names;
  const int count = int(computation.instructions.size());
  for (InstructionId id = 0; id < count; ++id) {
    const Instruction& instruction = computation[id];
    try {
      if (!names.insert(instruction.name).second) throw std::logic_error("name is not unique");
      verify(instruction, id, computation, preceding);
    } catch (const std::logic_error& error) {
      throw std::logic_error(fmt::format("{}/{} = {}: {}", computation.name, instruction.name,
                                         to_string(instruction.opcode), error.what()));
    }
  }
  if (computation.root < 0 || computation.root >= count) throw std::logic_error(computation.name + ": no root");
  verify_parameters(computation);
}

std::string window_text(const std::vector<WindowDimension>& window) {
  const auto list = [&](auto&& field) {
    std::vector<std::string> parts;
    for (const WindowDimension& dimension : window) parts.push_back(field(dimension));
    return fmt::format("{}", fmt::join(parts, "x"));
  };
  const auto any = [&](auto&& differs) { return std::ranges::any_of(window, differs); };
  std::string text = "window={size=" + list([](const auto& d) { return fmt::format("{}", d.size); });
  if (any([](const auto& d) { return d.stride != 1; })) {
    text += " stride=" + list([](const auto& d) { return fmt::format("{}", d.stride); });
  }
  if (any([](const auto& d) { return d.padding_low != 0 || d.padding_high != 0; })) {
    text += " pad=" + list([](const auto& d) { return fmt::format("{}_{}", d.padding_low, d.padding_high); });
  }
  if (any([](const auto& d) { return d.base_dilation != 1; })) {
    text += " lhs_dilate=" + list([](const auto& d) { return fmt::format("{}", d.base_dilation); });
  }
  if (any([](const auto& d) { return d.window_dilation != 1; })) {
    text += " rhs_dilate=" + list([](const auto& d) { return fmt::format("{}", d.window_dilation); });
  }
  if (any([](const auto& d) { return d.window_reversal; })) {
    text += " rhs_reversal=" + list([](const auto& d) { return fmt::format("{}", int(d.window_reversal)); });
  }
  return text + "}";
}

std::string labels(int first, char first_label, int second, char second_label, const std::vector<int>& spatial) {
  std::string text(spatial.size() + 2, '?');
  text[first] = first_label;
  text[second] = second_label;
  for (std::size_t i = 0; i < spatial.size(); ++i) text[spatial[i]] = char('0' + i);
  return text;
}

std::string labels_text(const ConvolutionDimensions& roles) {
  return "dim_labels=" + labels(roles.input_batch, 'b', roles.input_feature, 'f', roles.input_spatial) + "_" +
         labels(roles.kernel_input_feature, 'i', roles.kernel_output_feature, 'o', roles.kernel_spatial) + "->" +
         labels(roles.output_batch, 'b', roles.output_feature, 'f', roles.output_spatial);
}

std::string padding_text(const std::vector<PadDimension>& padding) {
  std::vector<std::string> parts;
  for (const PadDimension& pad : padding) {
    parts.push_back(fmt::format("{}_{}", pad.low, pad.high) + (pad.interior ? fmt::format("_{}", pad.interior) : ""));
  }
  return fmt::format("padding={}", fmt::join(parts, "x"));
}

std::string slice_text(const std::vector<SliceDimension>& slice) {
  std::vector<std::string> parts;
  for (const SliceDimension& dimension : slice) {
    parts.push_back(fmt::format("[{}:{}:{}]", dimension.start, dimension.limit, dimension.stride));
  }
  return fmt::format("slice={{{}}}", fmt::join(parts, ", "));
}

std::string dot_text(const DotDimensions& dot) {
  std::string text;
  if (!dot.lhs_batch.empty()) {
    text = fmt::format("lhs_batch_dims={{{}}}, rhs_batch_dims={{{}}}, ", fmt::join(dot.lhs_batch, ","),
                       fmt::join(dot.rhs_batch, ","));
  }
  return text + fmt::format("lhs_contracting_dims={{{}}}, rhs_contracting_dims={{{}}}",
                            fmt::join(dot.lhs_contracting, ","), fmt::join(dot.rhs_contracting, ","));
}

std::string_view to_string(ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::eq:
      return "EQ";
    case ComparisonDirection::ne:
      return "NE";
    case ComparisonDirection::lt:
      return "LT";
    case ComparisonDirection::le:
      return "LE";
    case ComparisonDirection::gt:
      return "GT";
    case ComparisonDirection::ge:
      return "GE";
  }
  assert(false);
  return "";
}

std::string_view to_string(FusionKind kind) {
  switch (kind) {
    case FusionKind::loop:
      return "kLoop";
    case FusionKind::input:
      return "kInput";
    case FusionKind::output:
      return "kOutput";
    case FusionKind::custom:
      return "kCustom";
  }
  assert(false);
  return "";
}

std::string called_text(const Instruction& instruction, const Module& module) {
  const auto name = [&](std::size_t i) { return module.computations[instruction.called[i]].name; };
  if (instruction.opcode == Opcode::fusion) {
    return fmt::format("kind={}, calls=%{}", to_string(instruction.fusion_kind), name(0));
  }
  if (instruction.opcode == Opcode::select_and_scatter) return fmt::format("select=%{}, scatter=%{}", name(0), name(1));
  return "to_apply=%" + name(0);
}

std::vector<std::string> attributes(const Instruction& instruction, const Module& module) {
  std::vector<std::string> parts;
  if (instruction.opcode == Opcode::get_tuple_element) parts.push_back(fmt::format("index={}", instruction.index));
  if (instruction.opcode == Opcode::iota) parts.push_back(fmt::format("iota_dimension={}", instruction.index));
  if (!instruction.dimensions.empty() || instruction.opcode == Opcode::broadcast) {
    parts.push_back(fmt::format("dimensions={{{}}}", fmt::join(instruction.dimensions, ",")));
  }
  if (!instruction.window.empty()) parts.push_back(window_text(instruction.window));
  if (instruction.opcode == Opcode::convolution) parts.push_back(labels_text(instruction.convolution));
  if (instruction.opcode == Opcode::dot) parts.push_back(dot_text(instruction.dot));
  if (!instruction.padding.empty()) parts.push_back(padding_text(instruction.padding));
  if (!instruction.slice.empty()) parts.push_back(slice_text(instruction.slice));
  if (instruction.opcode == Opcode::compare) {
    parts.push_back(fmt::format("direction={}", to_string(instruction.comparison)));
  }
  if (!instruction.called.empty()) parts.push_back(called_text(instruction, module));
  if (!instruction.op_name.empty()) parts.push_back(fmt::format("metadata={{op_name=\"{}\"}}", instruction.op_name));
  return parts;
}

std::string arguments(const Instruction& instruction, const Computation& computation) {
  if (instruction.opcode == Opcode::parameter) return fmt::format("{}", instruction.index);
  if (instruction.opcode == Opcode::constant) {
    if (!instruction.literal) return "{...}";
    const std::vector<double>& values = instruction.literal->values;
    return values.size() > 16 ? "..." : fmt::format("{}", fmt::join(values, ", "));
  }
  std::vector<std::string> parts;
  for (InstructionId operand : instruction.operands) parts.push_back("%" + computation[operand].name);
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::vector<std::vector<InstructionId>> users_of(const Computation& computation) {
  std::vector<std::vector<InstructionId>> users(computation.instructions.size());
  for (InstructionId id = 0; id < int(computation.instructions.size()); ++id) {
    for (InstructionId operand : computation[id].operands) {
      if (users[operand].empty() || users[operand].back() != id) users[operand].push_back(id);
    }
  }
  return users;
}

std::vector<bool> executed_computations(const Module& module) {
  std::vector<bool> executed(module.computations.size(), false);
  executed[module.entry] = true;
  for (ComputationId id = module.entry; id >= 0; --id) {
    if (!executed[id]) continue;
    for (const Instruction& instruction : module.computations[id].instructions) {
      const Opcode opcode = instruction.opcode;
      const bool executes = opcode == Opcode::while_loop || opcode == Opcode::conditional || opcode == Opcode::call ||
                            opcode == Opcode::async_start;
      for (ComputationId called : instruction.called) executed[called] = executed[called] || executes;
    }
  }
  return executed;
}

void verify(const Module& module) {
  const int count = int(module.computations.size());
  if (module.entry < 0 || module.entry >= count) throw std::logic_error(module.name + ": no entry computation");
  for (ComputationId id = 0; id < count; ++id) {
    verify(module.computations[id], std::span(module.computations).first(id));
  }
}

std::string to_string(const Module& module) {
  std::string text = fmt::format("HloModule {}\n", module.name);
  for (ComputationId id = 0; id < int(module.computations.size()); ++id) {
    const Computation& computation = module.computations[id];
    text += fmt::format("\n{}%{} {{\n", id == module.entry ? "ENTRY " : "", computation.name);
    for (InstructionId i = 0; i < int(computation.instructions.size()); ++i) {
      const Instruction& instruction = computation[i];
      text +=
          fmt::format("  {}%{} = {} {}({})", i == computation.root ? "ROOT " : "", instruction.name,
                      to_string(instruction.shape), to_string(instruction.opcode), arguments(instruction, computation));
      for (const std::string& attribute : attributes(instruction, module)) text += ", " + attribute;
      text += "\n";
    }
    text += "}\n";
  }
  return text;
}

}  // namespace podsim::sw
