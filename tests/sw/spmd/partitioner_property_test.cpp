// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "sw/graph/evaluator.h"
#include "sw/hlo/reader.h"
#include "sw/spmd/partitioner.h"
#include "tests/sw/spmd/arbitrary_shardings.h"
#include "tests/sw/spmd/random_program.h"

namespace podsim::sw {
namespace {

using testing::ProgramStep;
using testing::random_program;
using testing::RandomProgram;

rc::Gen<std::vector<ProgramStep>> arbitrary_steps() {
  const auto step = rc::gen::build<ProgramStep>(
      rc::gen::set(&ProgramStep::kind, rc::gen::inRange<std::uint8_t>(0, testing::op_kinds)),
      rc::gen::set(&ProgramStep::a, rc::gen::inRange<std::uint8_t>(0, 16)),
      rc::gen::set(&ProgramStep::b, rc::gen::inRange<std::uint8_t>(0, 16)),
      rc::gen::set(&ProgramStep::detail, rc::gen::inRange<std::uint32_t>(0, 1 << 24)),
      rc::gen::set(&ProgramStep::cut,
                   rc::gen::oneOf(rc::gen::just<std::uint32_t>(0), rc::gen::inRange<std::uint32_t>(0, 1 << 24))));
  return rc::gen::resize(14, rc::gen::container<std::vector<ProgramStep>>(rc::gen::resize(100, step)));
}

std::string to_string(const Mesh& mesh, const RandomProgram& program) {
  std::string text = sw::to_string(mesh) + "\n" + to_string(program.module);
  const Computation& entry = program.module.entry_computation();
  for (std::size_t i = 0; i < entry.instructions.size(); ++i) {
    text += entry.instructions[i].name + ":";
    for (const AxisSharding& sharding : program.shardings.values[std::size_t(program.module.entry)][i]) {
      text += " " + to_string(mesh, sharding);
    }
    text += "\n";
  }
  return text;
}

/// Element by element where `expected` says something.
void check_shard(const Literal& actual, const Literal& expected, double unspecified) {
  RC_ASSERT(actual.shape.dimensions == expected.shape.dimensions);
  for (std::size_t i = 0; i < expected.elements.size(); ++i) {
    check_shard(actual.elements.at(i), expected.elements[i], unspecified);
  }
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    if (expected.values[i] != unspecified) RC_ASSERT(actual.values[i] == expected.values[i]);
  }
}

/// More cases than rapidcheck tries by default, which are small.
template <typename Property>
void check_often(int cases, Property property) {
  rc::detail::TestParams parameters = rc::detail::configuration().testParams;
  parameters.maxSuccess = std::max(parameters.maxSuccess, cases);
  const rc::detail::TestResult result = rc::detail::checkTestable(property, rc::detail::TestMetadata{}, parameters);
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  EXPECT_TRUE(result.is<rc::detail::SuccessResult>()) << text.str();
}

void check_partition(const Mesh& mesh, const RandomProgram& program, const PartitionOptions& options) {
  RC_LOG() << to_string(mesh, program);
  const Module local = partition(program.module, mesh, program.shardings, options);
  RC_LOG() << to_string(local);
  verify(local);
  const hlo::ReadResult read = hlo::read("partitioned", to_string(local));
  for (const base::Diagnostic& diagnostic : read.diagnostics) RC_LOG() << diagnostic.message << "\n";
  RC_ASSERT(read.diagnostics.empty());
  const std::vector<Literal> arguments = testing::small_integers(program.module);
  const Literal whole = evaluate(program.module, arguments);
  const std::vector<ValueSharding>& shardings = program.shardings.values[std::size_t(program.module.entry)];
  const Computation& entry = program.module.entry_computation();
  std::vector<std::vector<Literal>> shards(std::size_t(mesh.partitions()));
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const ValueSharding& sharding = shardings[std::size_t(entry.parameters[k])];
    const std::vector<Literal> parts = cut(mesh, arguments[k], sharding, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t p = 0; p < parts.size(); ++p) shards[p].push_back(parts[p]);
  }
  constexpr double unspecified = 0x1p100;
  const std::vector<Literal> results = evaluate_partitions(local, shards);
  const std::vector<Literal> expected = cut(mesh, whole, shardings[std::size_t(entry.root)], unspecified);
  for (std::size_t p = 0; p < results.size(); ++p) check_shard(results[p], expected[p], unspecified);
}

PartitionOptions arbitrary_options() {
  PartitionOptions options;
  options.windowed_einsum = *rc::gen::arbitrary<bool>();
  return options;
}

/// Every value cut in some way of its own.
void computes_shards_of_any_cut() {
  const Mesh mesh = testing::arbitrary_mesh(16);
  const PartitionOptions options = arbitrary_options();
  check_partition(mesh, random_program(mesh, *arbitrary_steps()), options);
}

/// The results of steps annotated, and the others cut as follows from them.
void computes_shards_of_what_follows() {
  const Mesh mesh = testing::arbitrary_mesh(16);
  const PartitionOptions options = arbitrary_options();
  RandomProgram program = random_program(mesh, *arbitrary_steps());
  Computation& entry = program.module.computations[std::size_t(program.module.entry)];
  for (std::size_t i = 0; i < entry.instructions.size(); ++i) {
    if (program.cuts[std::size_t(program.module.entry)][i] % 3 != 1) continue;
    Instruction& instruction = entry.instructions[i];
    const ValueSharding& sharding = program.shardings.values[std::size_t(program.module.entry)][i];
    instruction.sharding = std::make_shared<const Sharding>(to_hlo(mesh, instruction.shape, sharding));
  }
  program.shardings = propagate(program.module, mesh);
  check_partition(mesh, program, options);
}

TEST(Partitioner, EveryPartitionComputesItsShardOfWhatTheWholeProgramComputes) {
  check_often(2000, computes_shards_of_any_cut);
}

TEST(Partitioner, SoItDoesWhereFewValuesAreAnnotated) { check_often(2000, computes_shards_of_what_follows); }

}  // namespace
}  // namespace podsim::sw
