// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/spmd/partition/partitioner.h"
#include "hlo/text/reader.h"
#include "tests/hlo/spmd/arbitrary_shardings.h"
#include "tests/hlo/spmd/random_program.h"

namespace podsim::hlo::eval {
namespace {

using spmd::testing::ProgramStep;
using spmd::testing::random_program;
using spmd::testing::RandomProgram;

rc::Gen<std::vector<spmd::testing::ProgramStep>> arbitrary_steps() {
  const auto step = rc::gen::build<spmd::testing::ProgramStep>(
      rc::gen::set(&spmd::testing::ProgramStep::kind, rc::gen::inRange<std::uint8_t>(0, spmd::testing::op_kinds)),
      rc::gen::set(&spmd::testing::ProgramStep::a, rc::gen::inRange<std::uint8_t>(0, 16)),
      rc::gen::set(&spmd::testing::ProgramStep::b, rc::gen::inRange<std::uint8_t>(0, 16)),
      rc::gen::set(&spmd::testing::ProgramStep::detail, rc::gen::inRange<std::uint32_t>(0, 1 << 24)),
      rc::gen::set(&spmd::testing::ProgramStep::split,
                   rc::gen::oneOf(rc::gen::just<std::uint32_t>(0), rc::gen::inRange<std::uint32_t>(0, 1 << 24))));
  return rc::gen::resize(14, rc::gen::container<std::vector<spmd::testing::ProgramStep>>(rc::gen::resize(100, step)));
}

std::string to_string(const spmd::mesh::Mesh& mesh, const spmd::testing::RandomProgram& program) {
  std::string text = spmd::mesh::to_string(mesh) + "\n" + to_string(program.module);
  const Computation& entry = program.module.entry_computation();
  for (std::size_t i = 0; i < entry.instructions.size(); ++i) {
    text += entry.instructions[i].name + ":";
    for (const spmd::mesh::AxisSharding& sharding : program.shardings.values[std::size_t(program.module.entry)][i]) {
      text += " " + spmd::mesh::to_string(mesh, sharding);
    }
    text += "\n";
  }
  return text;
}

/// Compares element by element, except where `expected` is unspecified.
void check_shard(const Literal& actual, const Literal& expected, double unspecified) {
  RC_ASSERT(actual.shape.dimensions == expected.shape.dimensions);
  for (std::size_t i = 0; i < expected.elements.size(); ++i) {
    check_shard(actual.elements.at(i), expected.elements[i], unspecified);
  }
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    if (expected.values[i] != unspecified) RC_ASSERT(actual.values[i] == expected.values[i]);
  }
}

/// More cases than rapidcheck's default, since these are small.
template <typename Property>
void check_often(int cases, Property property) {
  rc::detail::TestParams parameters = rc::detail::configuration().testParams;
  parameters.maxSuccess = std::max(parameters.maxSuccess, cases);
  const rc::detail::TestResult result = rc::detail::checkTestable(property, rc::detail::TestMetadata{}, parameters);
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  EXPECT_TRUE(result.is<rc::detail::SuccessResult>()) << text.str();
}

void check_partition(const spmd::mesh::Mesh& mesh, const spmd::testing::RandomProgram& program,
                     const spmd::partition::PartitionOptions& options) {
  RC_LOG() << to_string(mesh, program);
  const Module local = spmd::partition::partition(program.module, mesh, program.shardings, options);
  RC_LOG() << to_string(local);
  build::verify(local);
  const text::ReadResult read = text::read("partitioned", to_string(local));
  for (const base::Diagnostic& diagnostic : read.diagnostics) RC_LOG() << diagnostic.message << "\n";
  RC_ASSERT(read.diagnostics.empty());
  const std::vector<Literal> arguments = spmd::testing::small_integers(program.module);
  const Literal whole = evaluate(program.module, arguments);
  const std::vector<spmd::mesh::ValueSharding>& shardings = program.shardings.values[std::size_t(program.module.entry)];
  const Computation& entry = program.module.entry_computation();
  std::vector<std::vector<Literal>> shards(std::size_t(mesh.partitions()));
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const spmd::mesh::ValueSharding& sharding = shardings[std::size_t(entry.parameters[k])];
    const std::vector<Literal> parts =
        spmd::partition::split_into_shards(mesh, arguments[k], sharding, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t p = 0; p < parts.size(); ++p) shards[p].push_back(parts[p]);
  }
  constexpr double unspecified = 0x1p100;
  const std::vector<Literal> results = evaluate_partitions(local, shards);
  const std::vector<Literal> expected =
      spmd::partition::split_into_shards(mesh, whole, shardings[std::size_t(entry.root)], unspecified);
  for (std::size_t p = 0; p < results.size(); ++p) check_shard(results[p], expected[p], unspecified);
}

spmd::partition::PartitionOptions arbitrary_options() {
  spmd::partition::PartitionOptions options;
  options.windowed_einsum = *rc::gen::arbitrary<bool>();
  return options;
}

/// Every value has its own random sharding.
void computes_shards_of_any_cut() {
  const spmd::mesh::Mesh mesh = spmd::testing::arbitrary_mesh(16);
  const spmd::partition::PartitionOptions options = arbitrary_options();
  check_partition(mesh, spmd::testing::random_program(mesh, *arbitrary_steps()), options);
}

/// The results of steps are annotated, and the other shardings follow from them.
void computes_shards_of_what_follows() {
  const spmd::mesh::Mesh mesh = spmd::testing::arbitrary_mesh(16);
  const spmd::partition::PartitionOptions options = arbitrary_options();
  spmd::testing::RandomProgram program = spmd::testing::random_program(mesh, *arbitrary_steps());
  Computation& entry = program.module.computations[std::size_t(program.module.entry)];
  for (std::size_t i = 0; i < entry.instructions.size(); ++i) {
    if (program.split[std::size_t(program.module.entry)][i] % 3 != 1) continue;
    Instruction& instruction = entry.instructions[i];
    const spmd::mesh::ValueSharding& sharding = program.shardings.values[std::size_t(program.module.entry)][i];
    instruction.sharding = std::make_shared<const Sharding>(spmd::mesh::to_hlo(mesh, instruction.shape, sharding));
  }
  program.shardings = spmd::propagate::propagate(program.module, mesh);
  check_partition(mesh, program, options);
}

TEST(Partitioner, EveryPartitionComputesItsShardOfWhatTheWholeProgramComputes) {
  check_often(2000, computes_shards_of_any_cut);
}

TEST(Partitioner, SoItDoesWhereFewValuesAreAnnotated) { check_often(2000, computes_shards_of_what_follows); }

}  // namespace
}  // namespace podsim::hlo::eval
