// SPDX-License-Identifier: Apache-2.0
#include "tests/hlo/spmd/random_program.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "tests/hlo/spmd/program_writer.h"

namespace podsim::hlo::spmd::testing {

std::ostream& operator<<(std::ostream& out, const ProgramStep& step) {
  return out << fmt::format("{{{}, {}, {}, {}, {}}}", step.kind, step.a, step.b, step.detail, step.split);
}

mesh::AxisSharding sharding_of(const mesh::Mesh& mesh, int rank, std::uint32_t split) {
  mesh::AxisSharding sharding = mesh::replicated(rank);
  if (split == 0) return sharding;
  Digits digits(split);
  mesh::SubAxes rest = mesh.all();
  while (!rest.empty()) {
    const auto next = rest.begin() + digits.next(std::int64_t(rest.size()));
    const auto place = std::size_t(digits.next(rank + 1));
    if (place < std::size_t(rank)) sharding.dimensions[place].push_back(*next);
    rest.erase(next);
  }
  return sharding;
}

RandomProgram random_program(const mesh::Mesh& mesh, const std::vector<ProgramStep>& steps) {
  build::GraphBuilder builder("random");
  ProgramWriter writer(builder);
  if (steps.empty()) writer.write({});
  for (const ProgramStep& step : steps) writer.write(step);
  std::vector<bool> is_read(std::size_t(builder.size()), false);
  for (hlo::InstructionId id = 0; id < builder.size(); ++id) {
    for (const hlo::InstructionId operand : builder[id].operands) is_read[std::size_t(operand)] = true;
  }
  std::vector<hlo::InstructionId> sinks;
  for (const hlo::InstructionId id : writer.values()) {
    if (!is_read[std::size_t(id)] && std::ranges::find(sinks, id) == sinks.end()) sinks.push_back(id);
  }
  if (sinks.empty()) sinks.push_back(writer.values().back());
  // Shardings are kept by name, since ids change when unused values are dropped.
  std::map<std::string, std::uint32_t> by_name;
  std::vector<std::uint32_t> split = writer.split();
  split.resize(std::size_t(builder.size()), 0);
  for (hlo::InstructionId id = 0; id < builder.size(); ++id) by_name[builder[id].name] = split[std::size_t(id)];
  RandomProgram program;
  const hlo::InstructionId root = builder.tuple(sinks);
  by_name[builder[root].name] = steps.empty() ? 0 : steps.back().split / 7;
  program.module = std::move(builder).build(root);
  for (std::size_t c = 0; c < program.module.computations.size(); ++c) {
    const hlo::Computation& computation = program.module.computations[c];
    std::vector<mesh::ValueSharding>& values = program.shardings.values.emplace_back();
    std::vector<std::uint32_t>& numbers = program.split.emplace_back();
    for (std::size_t i = 0; i < computation.instructions.size(); ++i) {
      const hlo::Instruction& instruction = computation.instructions[i];
      const auto found = by_name.find(instruction.name);
      const bool is_entry = int(c) == program.module.entry;
      Digits digits(std::uint64_t(c) * 1000 + i);
      std::uint32_t number = is_entry && found != by_name.end() ? found->second : 0;
      if (!is_entry) number = std::uint32_t(digits.next(1 << 20));
      mesh::ValueSharding sharding;
      for (const hlo::Shape* leaf : mesh::leaf_shapes(instruction.shape)) {
        sharding.push_back(sharding_of(mesh, leaf->rank(), number));
        if (number != 0) ++number;
      }
      values.push_back(std::move(sharding));
      numbers.push_back(number);
    }
  }
  return program;
}

std::vector<hlo::Literal> small_integers(const hlo::Module& module) {
  std::vector<hlo::Literal> arguments;
  Digits digits(1);
  const hlo::Computation& entry = module.entry_computation();
  for (const hlo::InstructionId id : entry.parameters) {
    hlo::Literal literal = hlo::make_zeros(entry[id].shape);
    for (double& value : literal.values) value = double(digits.next(7) - 3);
    arguments.push_back(std::move(literal));
  }
  return arguments;
}

}  // namespace podsim::hlo::spmd::testing
