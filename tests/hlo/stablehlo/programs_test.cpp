// SPDX-License-Identifier: Apache-2.0
// Programs that JAX lowered, with the values that JAX computed: tests/hlo/stablehlo/programs/generate.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "hlo/build/verify.h"
#include "hlo/spmd/mesh/annotation_mesh.h"
#include "hlo/spmd/partition/partitioner.h"
#include "hlo/spmd/propagate/propagation.h"
#include "hlo/text/printer.h"
#include "hlo/transform/inline_calls.h"
#include "tests/hlo/hlo_text.h"
#include "tests/hlo/stablehlo/sample_program.h"

namespace podsim::hlo::stablehlo {
namespace {

using testing::SampleProgram;

text::Module module_of(const SampleProgram& program) {
  text::ReadResult read = text::read(program.name, program.text, text::UnknownOpcodes::reject);
  for (const base::Diagnostic& diagnostic : read.diagnostics) {
    const bool is_warning = diagnostic.severity == base::Diagnostic::Severity::warning;
    if (!is_warning) throw std::runtime_error(base::format(diagnostic));
  }
  return std::move(read.modules.at(0));
}

std::vector<hlo::Literal> arguments_of(const SampleProgram& program, const hlo::Module& graph) {
  const hlo::Computation& entry = graph.entry_computation();
  if (entry.parameters.size() != program.arguments.size()) throw std::runtime_error("another number of arguments");
  std::vector<hlo::Literal> values;
  for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
    values.push_back(hlo::testing::literal_of(entry[entry.parameters[i]].shape, program.arguments[i]));
  }
  return values;
}

std::vector<hlo::Literal> leaves(hlo::Literal result) {
  if (!result.shape.is_tuple()) return {std::move(result)};
  return std::move(result.elements);
}

/// Rounding: a few units in the last place of the largest number, since sums have other orders.
double tolerance(hlo::ElementType type) {
  if (type == hlo::ElementType::bf16) return 1.0 / 128;
  if (type == hlo::ElementType::f16) return 1.0 / 512;
  return hlo::is_floating_point(type) || hlo::is_complex(type) ? 1e-5 : 0;
}

void expect_values(const std::vector<hlo::Literal>& actual, const SampleProgram& program) {
  ASSERT_EQ(actual.size(), program.results.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    SCOPED_TRACE("result " + std::to_string(i));
    const hlo::Literal wanted = hlo::testing::literal_of(actual[i].shape, program.results[i]);
    double largest = 1;
    for (const double value : wanted.values)
      largest = std::isfinite(value) ? std::max(largest, std::abs(value)) : largest;
    ASSERT_EQ(actual[i].integers, wanted.integers);
    for (std::size_t k = 0; k < wanted.values.size(); ++k) {
      if (std::isnan(wanted.values[k]) && std::isnan(actual[i].values[k])) continue;
      if (wanted.values[k] == actual[i].values[k]) continue;
      ASSERT_LE(std::abs(actual[i].values[k] - wanted.values[k]), largest * tolerance(wanted.shape.element_type))
          << "element " << k << ": " << actual[i].values[k] << ", not " << wanted.values[k];
    }
  }
}

/// Evaluates all programs of a folder that have values, and returns how many.
int check_values(const std::string& folder) {
  int checked = 0;
  for (const SampleProgram& program : testing::sample_programs(folder)) {
    if (program.results.empty()) continue;
    SCOPED_TRACE(program.name);
    const hlo::Module graph = text::graph::to_graph(module_of(program));
    expect_values(leaves(eval::evaluate(graph, arguments_of(program, graph))), program);
    ++checked;
  }
  return checked;
}

TEST(StableHloPrograms, AllAreReadAndTheirShapesFollow) {
  const std::vector<SampleProgram> programs = testing::sample_programs();
  EXPECT_GE(programs.size(), 70U);
  for (const SampleProgram& program : programs) {
    SCOPED_TRACE(program.name);
    const text::Module module = module_of(program);
    for (const base::Diagnostic& diagnostic : text::check_shapes(module, text::graph::to_graph(module))) {
      ADD_FAILURE() << base::format(diagnostic);
    }
  }
}

TEST(StableHloPrograms, ThePrintedHloTextIsTheSameGraph) {
  for (const SampleProgram& program : testing::sample_programs()) {
    SCOPED_TRACE(program.name);
    const text::Module module = module_of(program);
    const std::string graph = hlo::to_string(text::graph::to_graph(module));
    const text::ReadResult printed = text::read("printed", text::print(module));
    ASSERT_TRUE(printed.ok());
    EXPECT_EQ(hlo::to_string(text::graph::to_graph(printed.modules[0])), graph);
    const text::ReadResult again = text::read("graph", graph);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(hlo::to_string(text::graph::to_graph(again.modules[0])), graph);
  }
}

TEST(StableHloPrograms, LayersHaveTheFrameworksValues) { EXPECT_EQ(check_values("layers"), 14); }
TEST(StableHloPrograms, ControlFlowHasTheFrameworksValues) { EXPECT_EQ(check_values("control"), 8); }
TEST(StableHloPrograms, IndexedOpsHaveTheFrameworksValues) { EXPECT_EQ(check_values("indexed"), 14); }
TEST(StableHloPrograms, ElementTypesHaveTheFrameworksValues) { EXPECT_EQ(check_values("types"), 24); }
TEST(StableHloPrograms, GradientsHaveTheFrameworksValues) { EXPECT_EQ(check_values("gradients"), 13); }

/// Partitions a program, and runs its eight partitions in lock step from the shards of the arguments to the whole
/// result.
void expect_values_on_eight_devices(const hlo::Module& graph, const SampleProgram& program) {
  const spmd::mesh::Mesh mesh = spmd::mesh::annotation_mesh(graph);
  EXPECT_EQ(mesh.partitions(), 8);
  const spmd::propagate::ModuleShardings shardings = spmd::propagate::propagate(graph, mesh);
  const hlo::Module local = spmd::partition::partition(graph, mesh, shardings, {});
  build::verify(local);
  const auto& values = shardings.values[std::size_t(graph.entry)];
  const hlo::Computation& entry = graph.entry_computation();
  const std::vector<hlo::Literal> arguments = arguments_of(program, graph);
  std::vector<std::vector<hlo::Literal>> shards(8);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto parts =
        spmd::partition::split_into_shards(mesh, arguments[i], values[std::size_t(entry.parameters[i])], 0);
    for (std::size_t p = 0; p < shards.size(); ++p) shards[p].push_back(parts[p]);
  }
  const std::vector<hlo::Literal> results = eval::evaluate_partitions(local, shards);
  expect_values(leaves(spmd::partition::join(mesh, entry[entry.root].shape, results, values[std::size_t(entry.root)])),
                program);
}

// As written, and with its calls inlined, as podsim run takes it.
TEST(StableHloPrograms, ShardedProgramsHaveTheFrameworksValuesOnAllDevices) {
  int checked = 0;
  std::vector<SampleProgram> programs = testing::sample_programs("sharded");
  std::ranges::move(testing::sample_programs("partly_manual"), std::back_inserter(programs));
  for (const SampleProgram& program : programs) {
    SCOPED_TRACE(program.name);
    const hlo::Module graph = text::graph::to_graph(module_of(program));
    expect_values_on_eight_devices(graph, program);
    expect_values_on_eight_devices(transform::inline_calls(graph), program);
    ++checked;
  }
  EXPECT_EQ(checked, 15);
}

// Not partitioned: every device has the whole arguments, and shards between the ends of a shard_map alone.
TEST(StableHloPrograms, ShardMapsHaveTheFrameworksValuesAsWritten) {
  int checked = 0;
  for (const SampleProgram& program : testing::sample_programs("sharded")) {
    if (program.results.empty()) continue;
    SCOPED_TRACE(program.name);
    const hlo::Module graph = text::graph::to_graph(module_of(program));
    const std::vector<std::vector<hlo::Literal>> arguments(std::size_t(graph.partitions), arguments_of(program, graph));
    for (const hlo::Literal& result : eval::evaluate_partitions(graph, arguments)) {
      expect_values(leaves(result), program);
    }
    ++checked;
  }
  EXPECT_EQ(checked, 7);
}

// A shard_map over x = 2 whose second factor is divided along y = 4: each partition multiplies its 4 rows by 2 columns,
// and the sum over x joins the partitions at the same position of y.
TEST(StableHloPrograms, InsideAManualAxisValuesAreDividedAlongTheOther) {
  for (const SampleProgram& program : testing::sample_programs("partly_manual")) {
    if (program.name != "partly_manual/tensor_parallel") continue;
    const hlo::Module graph = text::graph::to_graph(module_of(program));
    const spmd::mesh::Mesh mesh = spmd::mesh::annotation_mesh(graph);
    const std::string local =
        hlo::to_string(spmd::partition::partition(graph, mesh, spmd::propagate::propagate(graph, mesh), {}));
    EXPECT_NE(local.find("f32[4,2] dot("), std::string::npos) << local;
    EXPECT_NE(local.find("replica_groups={{0,4},{1,5},{2,6},{3,7}}"), std::string::npos) << local;
    EXPECT_EQ(local.find("all-gather"), std::string::npos) << local;
  }
}

}  // namespace
}  // namespace podsim::hlo::stablehlo
