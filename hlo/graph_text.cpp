// SPDX-License-Identifier: Apache-2.0
// Part of hlo/graph.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hlo/attribute_text.h"
#include "hlo/graph.h"
#include "hlo/literal_printer.h"

namespace podsim::hlo {

namespace {

/// The shape without layouts, as in a computation's signature.
Shape bare(const Shape& shape) {
  Shape result = make_shape(shape.element_type, shape.dimensions);
  for (const Shape& element : shape.tuple_shapes) result.tuple_shapes.push_back(bare(element));
  return result;
}

std::string arguments(const Instruction& instruction, const Computation& computation) {
  if (instruction.opcode == Opcode::parameter) return fmt::format("{}", instruction.index);
  if (instruction.opcode == Opcode::constant) return instruction.literal ? to_string(*instruction.literal) : "{...}";
  std::vector<std::string> parts;
  for (const InstructionId operand : instruction.operands) parts.push_back("%" + computation[operand].name);
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string opcode_text(const Instruction& instruction) {
  const std::string name =
      instruction.opcode == Opcode::unknown ? instruction.target : std::string(to_string(instruction.opcode));
  if (instruction.phase == AsyncPhase::none) return name;
  return name + (instruction.phase == AsyncPhase::start ? "-start" : "-done");
}

std::string signature(const Computation& computation) {
  std::vector<std::string> parameters;
  for (const InstructionId id : computation.parameters) {
    parameters.push_back(computation[id].name + ": " + to_string(bare(computation[id].shape)));
  }
  return fmt::format("({}) -> {}", fmt::join(parameters, ", "), to_string(bare(computation[computation.root].shape)));
}

std::string alias(const Module& module, const Donation& donation) {
  const Computation& entry = module.entry_computation();
  const bool of_tuple = entry[entry.root].shape.is_tuple();
  const bool is_tuple = entry[entry.parameters.at(std::size_t(donation.parameter))].shape.is_tuple();
  return fmt::format("{{{}}}: ({}, {{{}}}, may-alias)", of_tuple ? std::to_string(donation.output) : "",
                     donation.parameter, is_tuple ? std::to_string(donation.element) : "");
}

std::string header(const Module& module) {
  std::string text = "HloModule " + module.name;
  if (module.scheduled) text += ", is_scheduled=true";
  if (module.replicas != 1) text += fmt::format(", replica_count={}", module.replicas);
  if (module.partitions != 1) text += fmt::format(", num_partitions={}", module.partitions);
  std::vector<std::string> aliases;
  for (const Donation& donation : module.donations) aliases.push_back(alias(module, donation));
  if (!aliases.empty()) text += fmt::format(", input_output_alias={{ {} }}", fmt::join(aliases, ", "));
  if (!module.buffer_donors.empty()) text += ", buffer_donor=" + module.buffer_donors;
  return text + "\n";
}

}  // namespace

std::string to_string(const Module& module) {
  std::string text = header(module);
  for (ComputationId id = 0; id < int(module.computations.size()); ++id) {
    const Computation& computation = module.computations[std::size_t(id)];
    text +=
        fmt::format("\n{}%{} {} {{\n", id == module.entry ? "ENTRY " : "", computation.name, signature(computation));
    for (InstructionId i = 0; i < int(computation.instructions.size()); ++i) {
      const Instruction& instruction = computation[i];
      text += fmt::format("  {}%{} = {} {}({})", i == computation.root ? "ROOT " : "", instruction.name,
                          to_string(instruction.shape), opcode_text(instruction), arguments(instruction, computation));
      for (const std::string& attribute : attribute_texts(instruction, module)) text += ", " + attribute;
      text += "\n";
    }
    text += "}\n";
  }
  return text;
}

}  // namespace podsim::hlo
