// SPDX-License-Identifier: Apache-2.0
// Programs that JAX lowered, with the values that JAX computed: tests/sw/stablehlo/programs/generate.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "sw/hlo/printer.h"
#include "sw/ir/build/verify.h"
#include "sw/ir/transform/inline_calls.h"
#include "sw/spmd/mesh/annotation_mesh.h"
#include "sw/spmd/partition/partitioner.h"
#include "sw/spmd/propagate/propagation.h"
#include "tests/sw/ir/hlo_text.h"
#include "tests/sw/stablehlo/sample_program.h"

namespace podsim::sw::stablehlo {
namespace {

using testing::SampleProgram;

hlo::Module module_of(const SampleProgram& program) {
  hlo::ReadResult read = hlo::read(program.name, program.text, hlo::UnknownOpcodes::reject);
  for (const base::Diagnostic& diagnostic : read.diagnostics) {
    const bool is_warning = diagnostic.severity == base::Diagnostic::Severity::warning;
    if (!is_warning) throw std::runtime_error(base::format(diagnostic));
  }
  return std::move(read.modules.at(0));
}

std::vector<ir::Literal> arguments_of(const SampleProgram& program, const ir::Module& graph) {
  const ir::Computation& entry = graph.entry_computation();
  if (entry.parameters.size() != program.arguments.size()) throw std::runtime_error("another number of arguments");
  std::vector<ir::Literal> values;
  for (std::size_t i = 0; i < entry.parameters.size(); ++i) {
    values.push_back(ir::testing::literal_of(entry[entry.parameters[i]].shape, program.arguments[i]));
  }
  return values;
}

std::vector<ir::Literal> leaves(ir::Literal result) {
  if (!result.shape.is_tuple()) return {std::move(result)};
  return std::move(result.elements);
}

/// Rounding: a few units in the last place of the largest number, since sums have other orders.
double tolerance(ir::ElementType type) {
  if (type == ir::ElementType::bf16) return 1.0 / 128;
  if (type == ir::ElementType::f16) return 1.0 / 512;
  return ir::is_floating_point(type) ? 1e-5 : 0;
}

void expect_values(const std::vector<ir::Literal>& actual, const SampleProgram& program) {
  ASSERT_EQ(actual.size(), program.results.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    SCOPED_TRACE("result " + std::to_string(i));
    const ir::Literal wanted = ir::testing::literal_of(actual[i].shape, program.results[i]);
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
    const ir::Module graph = hlo::graph::to_graph(module_of(program));
    expect_values(leaves(ir::eval::evaluate(graph, arguments_of(program, graph))), program);
    ++checked;
  }
  return checked;
}

TEST(StableHloPrograms, AllAreReadAndTheirShapesFollow) {
  const std::vector<SampleProgram> programs = testing::sample_programs();
  EXPECT_GE(programs.size(), 70U);
  for (const SampleProgram& program : programs) {
    SCOPED_TRACE(program.name);
    const hlo::Module module = module_of(program);
    for (const base::Diagnostic& diagnostic : hlo::check_shapes(module, hlo::graph::to_graph(module))) {
      ADD_FAILURE() << base::format(diagnostic);
    }
  }
}

TEST(StableHloPrograms, ThePrintedHloTextIsTheSameGraph) {
  for (const SampleProgram& program : testing::sample_programs()) {
    SCOPED_TRACE(program.name);
    const hlo::Module module = module_of(program);
    const std::string graph = ir::to_string(hlo::graph::to_graph(module));
    const hlo::ReadResult printed = hlo::read("printed", hlo::print(module));
    ASSERT_TRUE(printed.ok());
    EXPECT_EQ(ir::to_string(hlo::graph::to_graph(printed.modules[0])), graph);
    const hlo::ReadResult again = hlo::read("graph", graph);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(ir::to_string(hlo::graph::to_graph(again.modules[0])), graph);
  }
}

TEST(StableHloPrograms, LayersHaveTheFrameworksValues) { EXPECT_EQ(check_values("layers"), 14); }
TEST(StableHloPrograms, ControlFlowHasTheFrameworksValues) { EXPECT_EQ(check_values("control"), 8); }
TEST(StableHloPrograms, IndexedOpsHaveTheFrameworksValues) { EXPECT_EQ(check_values("indexed"), 14); }
TEST(StableHloPrograms, ElementTypesHaveTheFrameworksValues) { EXPECT_EQ(check_values("types"), 15); }
TEST(StableHloPrograms, GradientsHaveTheFrameworksValues) { EXPECT_EQ(check_values("gradients"), 13); }

/// Partitions a program, and runs its eight partitions in lock step from the shards of the arguments to the whole
/// result.
void expect_values_on_eight_devices(const ir::Module& graph, const SampleProgram& program) {
  const spmd::mesh::Mesh mesh = spmd::mesh::annotation_mesh(graph);
  EXPECT_EQ(mesh.partitions(), 8);
  const spmd::propagate::ModuleShardings shardings = spmd::propagate::propagate(graph, mesh);
  const ir::Module local = spmd::partition::partition(graph, mesh, shardings, {});
  ir::build::verify(local);
  const auto& values = shardings.values[std::size_t(graph.entry)];
  const ir::Computation& entry = graph.entry_computation();
  const std::vector<ir::Literal> arguments = arguments_of(program, graph);
  std::vector<std::vector<ir::Literal>> shards(8);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto parts =
        spmd::partition::split_into_shards(mesh, arguments[i], values[std::size_t(entry.parameters[i])], 0);
    for (std::size_t p = 0; p < shards.size(); ++p) shards[p].push_back(parts[p]);
  }
  const std::vector<ir::Literal> results = ir::eval::evaluate_partitions(local, shards);
  expect_values(leaves(spmd::partition::join(mesh, entry[entry.root].shape, results, values[std::size_t(entry.root)])),
                program);
}

// As written, and with its calls inlined, as podsim run takes it.
TEST(StableHloPrograms, ShardedProgramsHaveTheFrameworksValuesOnAllDevices) {
  int checked = 0;
  for (const SampleProgram& program : testing::sample_programs("sharded")) {
    SCOPED_TRACE(program.name);
    if (program.name == "sharded/partly_manual") continue;
    const ir::Module graph = hlo::graph::to_graph(module_of(program));
    expect_values_on_eight_devices(graph, program);
    expect_values_on_eight_devices(ir::transform::inline_calls(graph), program);
    ++checked;
  }
  EXPECT_EQ(checked, 6);
}

// Not partitioned: every device has the whole arguments, and shards between the ends of a shard_map alone.
TEST(StableHloPrograms, ShardMapsHaveTheFrameworksValuesAsWritten) {
  int checked = 0;
  for (const SampleProgram& program : testing::sample_programs("sharded")) {
    if (program.results.empty()) continue;
    SCOPED_TRACE(program.name);
    const ir::Module graph = hlo::graph::to_graph(module_of(program));
    const std::vector<std::vector<ir::Literal>> arguments(std::size_t(graph.partitions), arguments_of(program, graph));
    for (const ir::Literal& result : ir::eval::evaluate_partitions(graph, arguments)) {
      expect_values(leaves(result), program);
    }
    ++checked;
  }
  EXPECT_EQ(checked, 7);
}

// A region that is manual along one of two axes is a sharding like any other to the reader; the partitioner says that
// it cannot take it.
TEST(StableHloPrograms, AManualAxisOutOfTwoIsReadAndNotPartitioned) {
  for (const SampleProgram& program : testing::sample_programs("sharded")) {
    if (program.name != "sharded/partly_manual") continue;
    const ir::Module graph = hlo::graph::to_graph(module_of(program));
    EXPECT_NE(ir::to_string(graph).find("{devices=[1,1,2,4]<=[8] last_tile_dims={manual, replicated}}"),
              std::string::npos);
    EXPECT_THROW(spmd::propagate::propagate(graph, spmd::mesh::annotation_mesh(graph)), base::InputError);
  }
}

}  // namespace
}  // namespace podsim::sw::stablehlo
