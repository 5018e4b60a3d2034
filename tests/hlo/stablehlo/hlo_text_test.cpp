// SPDX-License-Identifier: Apache-2.0
#include "hlo/stablehlo/hlo_text.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hlo/device_groups.h"
#include "hlo/text/graph/to_graph.h"
#include "hlo/text/reader.h"
#include "hlo/text/shape_check.h"
#include "tests/hlo/stablehlo/sample_program.h"

namespace podsim::hlo::stablehlo {
namespace {

/// The text of a function @main of one argument %x: tensor<4x2xf32> with this body.
std::string main_with(const std::string& body, const std::string& before = "", const std::string& attributes = "") {
  return "module @m {\n" + before + "func.func public @main(%x: tensor<4x2xf32>" + attributes +
         ") -> tensor<4x2xf32> {\n" + body + "\nreturn %x : tensor<4x2xf32>\n}\n}\n";
}

/// The diagnostics of a text, those of the shapes among them.
std::vector<base::Diagnostic> diagnostics_of(const std::string& text) {
  text::ReadResult read = text::read("m.mlir", text, text::UnknownOpcodes::reject);
  if (!read.ok() || read.modules.empty()) return read.diagnostics;
  try {
    const hlo::Module graph = text::graph::to_graph(read.modules[0]);
    for (base::Diagnostic& found : text::check_shapes(read.modules[0], graph)) read.diagnostics.push_back(found);
  } catch (const base::InputError& error) {
    for (const base::Diagnostic& found : error.diagnostics()) read.diagnostics.push_back(found);
  }
  return read.diagnostics;
}

std::string graph_text(const std::string& text) {
  const text::ReadResult read = text::read("m.mlir", text);
  for (const base::Diagnostic& diagnostic : read.diagnostics) ADD_FAILURE() << base::format(diagnostic);
  return read.modules.empty() ? "" : hlo::to_string(text::graph::to_graph(read.modules[0]));
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct Defect {
  std::string text;
  int line, column;
  std::string message;
};

TEST(StableHloText, WhatIsWrongIsNamedWithItsPlace) {
  const std::string mesh = "sdy.mesh @mesh = <[\"x\"=2]>\n";
  const std::vector<Defect> defects = {
      {main_with("%0 = stablehlo.ad %x, %x : tensor<4x2xf32>"), 3, 6, "the operation stablehlo.ad has no translation"},
      {main_with("%0 = stablehlo.add %x, %y : tensor<4x2xf32>"), 3, 24, "there is no value %y"},
      {main_with("%0 = stablehlo.add %x, %x#1 : tensor<4x2xf32>"), 3, 24, "there is no value %x#1"},
      {main_with("%0 = stablehlo.abs %x : tensor<4x2xf31>"), 3, 36, "HLO has no element type 'f31'"},
      {main_with("%0 = stablehlo.abs %x : tensor<?x2xf32>"), 3, 32, "this size is known only at run time"},
      {main_with("%0 = stablehlo.abs %x : tensor<?x2xf32, #stablehlo.bounds<4, ?>>"), 3, 32,
       "a bounded dynamic size is not simulated"},
      {main_with("%0 = stablehlo.abs %x : tensor<4x2x!quant.any<i8:f32>>"), 3, 37,
       "a foreign element type is not simulated"},
      {main_with("%0 = stablehlo.abs %x : tensor<4x2x!quant.uniform<i8:f32, -2.0>>"), 3, 37,
       "this quantised type is not of a known form"},
      {main_with("%0 = stablehlo.abs %x : tensor<4x2x!quant.uniform<i8:f32:1, {2.0}>>"), 3, 37,
       "there are 1 scales, which dimension 1 has not"},
      {main_with("%0 = stablehlo.abs %x : tensor<4x2x!quant.uniform<i8:f32, 2.0>>"), 3, 20, "this is f32[4,2]"},
      {main_with("%0 = stablehlo.transpose %x, dims = [0] : (tensor<4x2xf32>) -> tensor<2x4xf32>"), 3, 6, "transpose"},
      {main_with("%0 = stablehlo.add %x, %c : tensor<4x2xf32>", "", ", %c: tensor<4x3xf32>"), 3, 6,
       "add is elementwise, but operand 'c' is [4,3] and the result [4,2]"},
      {main_with("%0 = call @f(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>"), 3, 6, "there is no function @f"},
      {main_with("%0 = call @main(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>"), 3, 6,
       "@main calls itself, here or by way of others"},
      {main_with("%0 = sdy.sharding_constraint %x <@mesh, [{\"x\"}, {}]> : tensor<4x2xf32>"), 3, 33,
       "there is no sdy.mesh @mesh"},
      {main_with("%0 = sdy.sharding_constraint %x <@mesh, [{\"z\"}, {}]> : tensor<4x2xf32>", mesh), 4, 33,
       "the mesh has no axis \"z\""},
      {main_with("%0 = sdy.sharding_constraint %x <@mesh, [{\"x\"}, {\"x\"}]> : tensor<4x2xf32>", mesh), 4, 33,
       "axis \"x\" is used twice"},
      {main_with("%0 = stablehlo.constant dense<[1, 2> : tensor<2xf32>"), 3, 31, "this '[' is not closed"},
      {main_with("%0 = stablehlo.constant dense<[1, 2, 3]> : tensor<2xf32>"), 3, 6, "3 values, the shape says 2"},
      {main_with("%0 = stablehlo.constant dense<\"0x00\"> : tensor<2xf32>"), 3, 25, "1 bytes of values"},
      {main_with("%0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1], precision = [HIGHEST, HIGH\nEST] : "
                 "(tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>"),
       3, 6, "expected a name of letters, digits and underscores"},
      {"module @m {\n  memref.global @x : memref<2xf32>\n}\n", 2, 3, "'memref.global' is not read in a module"},
      {"module @m {\n}\n", 1, 9, "the module has no public function"},
      {"module @m {\n  func.func public @main() -> tensor<f32> {\n", 2, 43, "the text ends where"},
  };
  for (const Defect& defect : defects) {
    SCOPED_TRACE(defect.text);
    const std::vector<base::Diagnostic> found = diagnostics_of(defect.text);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0].location.file, "m.mlir");
    EXPECT_TRUE(contains(found[0].message, defect.message)) << found[0].message;
    EXPECT_EQ(found[0].location.line, defect.line) << base::format(found[0]);
    EXPECT_EQ(found[0].location.column, defect.column) << base::format(found[0]);
  }
}

TEST(StableHloText, AMisspeltOperationHasASuggestion) {
  const auto found = diagnostics_of(main_with("%0 = stablehlo.mutliply %x, %x : tensor<4x2xf32>"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].hint, "did you mean 'stablehlo.multiply'?");
}

TEST(StableHloText, BytecodeIsNamedWithHowToConvertIt) {
  const auto found = diagnostics_of(std::string("ML\xefR\x0dStableHLO\0", 15));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(contains(found[0].message, "MLIR bytecode"));
  EXPECT_TRUE(contains(found[0].hint, "as_text()"));
}

TEST(StableHloText, TheGenericFormOfAnOperationIsThatOfItsPrettyForm) {
  const std::vector<std::pair<std::string, std::string>> forms = {
      {"stablehlo.add %x, %x : tensor<4x2xf32>",
       R"("stablehlo.add"(%x, %x) : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>)"},
      {"stablehlo.transpose %x, dims = [1, 0] : (tensor<4x2xf32>) -> tensor<2x4xf32>",
       R"("stablehlo.transpose"(%x) <{permutation = array<i64: 1, 0>}> : (tensor<4x2xf32>) -> tensor<2x4xf32>)"},
      {"stablehlo.slice %x [1:3, 0:2:2] : (tensor<4x2xf32>) -> tensor<2x1xf32>",
       R"("stablehlo.slice"(%x) {start_indices = array<i64: 1, 0>, limit_indices = dense<[3, 2]> : tensor<2xi64>, )"
       R"(strides = array<i64: 1, 2>} : (tensor<4x2xf32>) -> tensor<2x1xf32>)"},
      {"stablehlo.compare LT, %x, %x, TOTALORDER : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xi1>",
       R"("stablehlo.compare"(%x, %x) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = )"
       R"(#stablehlo<comparison_type TOTALORDER>}> : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xi1>)"},
      {"stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [HIGHEST, "
       "DEFAULT] : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4xf32>",
       R"("stablehlo.dot_general"(%x, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], )"
       R"(rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, )"
       R"(precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>]}> : )"
       R"((tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4xf32>)"},
      {"stablehlo.reduce_precision %x, format = e5m10 : tensor<4x2xf32>",
       R"("stablehlo.reduce_precision"(%x) <{exponent_bits = 5 : i32, mantissa_bits = 10 : i32}> : )"
       R"((tensor<4x2xf32>) -> tensor<4x2xf32>)"},
  };
  for (const auto& [pretty, generic] : forms) {
    SCOPED_TRACE(pretty);
    EXPECT_EQ(graph_text(main_with("%0 = " + pretty)), graph_text(main_with("%0 = " + generic)));
  }
}

// A mesh of 2 x 4: device i is at (i / 4, i % 4). Tiles count in the order of the dimensions' axes, so splitting over y
// first lists the devices of the transposed grid.
TEST(StableHloText, ShardyShardingsAreThoseOfHlo) {
  const std::string mesh =
      "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\nsdy.mesh @listed = <[\"a\"=2], device_ids=[1, 0]>\n"
      "sdy.mesh @one = <[], device_ids=[5]>\n";
  const std::vector<std::pair<std::string, std::string>> shardings = {
      {R"(<@mesh, [{"x"}, {}]>)", "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"},
      {R"(<@mesh, [{"x"}, {"y"}]>)", "{devices=[2,4]<=[8]}"},
      {R"(<@mesh, [{"y"}, {"x"}]>)", "{devices=[4,2]<=[2,4]T(1,0)}"},
      {R"(<@mesh, [{"x", "y"}, {}]>)", "{devices=[8,1]<=[8]}"},
      {R"(<@mesh, [{"y":(1)2}, {"x"}]>)", "{devices=[2,2,2]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}"},
      {R"(<@mesh, [{}, {"y":(2)2}]>)", "{devices=[1,2,4]<=[2,2,2]T(2,0,1) last_tile_dim_replicate}"},
      {R"(<@mesh, [{}, {}]>)", "{replicated}"},
      {R"(<@listed, [{"a"}, {}]>)", "{devices=[2,1]1,0}"},
      {R"(<mesh<["b"=4]>, [{}, {"b"}]>)", "{devices=[1,4]<=[4]}"},
      {R"(<@one, []>)", "{maximal device=5}"},
  };
  for (const auto& [shardy, hlo] : shardings) {
    SCOPED_TRACE(shardy);
    const HloText made = hlo_text("m", main_with("", mesh, " {sdy.sharding = #sdy.sharding" + shardy + "}"));
    EXPECT_TRUE(contains(made.text, "parameter(0), sharding=" + hlo + "\n")) << made.text;
  }
}

// Device 4 x + y is at (x, y); the first half of y is {0, 1}, of which each member joins that of the second half.
TEST(StableHloText, GroupsAlongAxesAreThoseOfTheirDevices) {
  using Groups = std::vector<std::vector<std::int64_t>>;
  const auto groups = [](const std::string& mesh, const std::string& axes) {
    const std::string text = main_with(
        "%0 = \"stablehlo.all_reduce\"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
        "replica_groups = #stablehlo.replica_group_mesh_axes<mesh = " +
            mesh + ", axes = [" + axes +
            "]>, use_global_device_ids}> ({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\n%s = stablehlo.add %a, %b : "
            "tensor<f32>\nstablehlo.return %s : tensor<f32>\n}) : (tensor<4x2xf32>) -> tensor<4x2xf32>",
        "sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n");
    const hlo::Module graph = text::graph::to_graph(text::read("m.mlir", text).modules.at(0));
    for (const hlo::Instruction& instruction : graph.entry_computation().instructions) {
      if (instruction.opcode == hlo::Opcode::all_reduce) return hlo::device_groups(instruction, 1, 8);
    }
    return Groups{};
  };
  EXPECT_EQ(groups("@mesh", "#stablehlo.axis_ref<name = \"x\">"), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(groups("#stablehlo.mesh<axes = [<name = \"x\", size = 2>, <name = \"y\", size = 4>]>",
                   "#stablehlo.axis_ref<name = \"y\", sub_axis_info = (1)2>"),
            (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
}

TEST(StableHloText, WhatIsNotUsedIsAWarningWithItsPlace) {
  const std::string mesh = "sdy.mesh @mesh = <[\"x\"=2]>\n";
  const auto found = diagnostics_of(
      main_with("%0 = sdy.propagation_barrier %x allowed_direction=NONE : tensor<4x2xf32>", mesh,
                " {mhlo.memory_kind = \"pinned_host\", sdy.sharding = #sdy.sharding<@mesh, [{\"x\", ?}p1, {}]>}"));
  ASSERT_EQ(found.size(), 4U);
  for (const base::Diagnostic& each : found) {
    EXPECT_EQ(each.severity, base::Diagnostic::Severity::warning);
    EXPECT_GT(each.location.line, 0);
  }
  EXPECT_EQ(found[0].message, "priorities of shardings are not used");
  EXPECT_EQ(found[2].message, "the attribute 'mhlo.memory_kind' is not used");
  EXPECT_EQ(found[3].message, "sdy.propagation_barrier is not used");
  EXPECT_EQ(found[3].location.line, 4);
}

TEST(StableHloText, DonatedArgumentsAndLocationsAreKept) {
  const std::string text =
      "#loc1 = loc(\"net.py\":7:3)\n#loc2 = loc(\"jit(f)/abs\"(#loc1))\nmodule @m {\n"
      "func.func public @main(%a: tensor<2xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<2xf32> "
      "{jax.buffer_donor = true}) -> tensor<2xf32> {\n%0 = stablehlo.abs %a : tensor<2xf32> "
      "loc(#loc2)\nreturn %0 : tensor<2xf32>\n}\n}\n";
  const text::ReadResult read = text::read("m.mlir", text);
  ASSERT_TRUE(read.ok());
  const hlo::Module graph = text::graph::to_graph(read.modules[0]);
  ASSERT_EQ(graph.donations.size(), 1U);
  EXPECT_EQ(graph.buffer_donors, "{ (1, {}) }");
  const hlo::Computation& entry = graph.entry_computation();
  EXPECT_EQ(entry[entry.root].op_name, "jit(f)/abs");
  EXPECT_EQ(entry[entry.root].source, "source_file=\"net.py\" source_line=7");
}

// The elements 1, -2 as bytes of f32, i32, bf16 and i1, least first.
TEST(StableHloText, RawBytesAreTheNumbersOfTheirType) {
  const std::vector<std::array<std::string, 3>> constants = {
      {"0x0000803F000000C0", "2xf32", "{1, -2}"},
      {"0x01000000FEFFFFFF", "2xi32", "{1, -2}"},
      {"0x803F00C0", "2xbf16", "{1, -2}"},
      {"0x05", "3xi1", "{true, false, true}"},
      {"0x0000803F", "4xf32", "1"},
      {"0x0000803F000000C0", "1xcomplex<f32>", "(1, -2)"},
  };
  for (const auto& [bytes, type, literal] : constants) {
    SCOPED_TRACE(type);
    const HloText made =
        hlo_text("m", main_with("%0 = stablehlo.constant dense<\"" + bytes + "\"> : tensor<" + type + ">"));
    EXPECT_TRUE(contains(made.text, literal)) << made.text;
  }
}

// A line break within an operation moves the following operations by a line.
TEST(StableHloText, LinesAfterABrokenOneAreStillKnown) {
  const auto faults = [](const std::string& space) {
    return diagnostics_of(
        main_with("%0 = stablehlo.slice %x [0:4" + space +
                  ":1, 0:2] : (tensor<4x2xf32>) -> tensor<4x2xf32>\n"
                  "%1 = stablehlo.transpose %x, dims = [0, 1] : (tensor<4x2xf32>) -> tensor<2x4xf32>"));
  };
  const std::vector<base::Diagnostic> plain = faults(" "), broken = faults("\n");
  ASSERT_EQ(plain.size(), 1U);
  ASSERT_EQ(broken.size(), 1U);
  EXPECT_EQ(plain[0].location.line, 4);
  EXPECT_EQ(broken[0].location.line, 5);
}

// Any text with one byte changed is read, or its faults are named; nothing else happens.
TEST(StableHloText, DamagedProgramsAreReadOrNamed) {
  unsigned state = 1;
  const auto next = [&state] { return state = state * 1664525 + 1013904223; };
  int refused = 0;
  for (const auto& program : testing::sample_programs()) {
    if (program.text.size() > 20'000) continue;
    for (int i = 0; i < 20; ++i) {
      std::string text = program.text.substr(0, program.text.find("\n// argument"));
      text[(next() >> 8) % text.size()] = "%#<>{}()[]\"0x1:,-@ a"[(next() >> 8) % 20];
      refused += diagnostics_of(text).empty() ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace podsim::hlo::stablehlo
