// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/reader.h"

#include <gtest/gtest.h>

#include <string>

#include "hlo/text/attribute_value.h"
#include "hlo/text/graph/statistics.h"
#include "hlo/text/printer.h"

namespace podsim::hlo::text {
namespace {

ReadResult read_sound(const std::string& text) {
  ReadResult result = read("m.hlo", text);
  for (const base::Diagnostic& diagnostic : result.diagnostics) ADD_FAILURE() << base::format(diagnostic);
  return result;
}

Module read_module(const std::string& text) {
  ReadResult result = read_sound(text);
  return result.modules.empty() ? Module() : std::move(result.modules[0]);
}

constexpr const char* new_dialect = R"(HloModule step, is_scheduled=true, num_partitions=4

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}

ENTRY %main (x: bf16[8,128]) -> (bf16[8,128], f32[8,4]) {
  %x = bf16[8,128]{1,0:T(8,128)(2,1)S(1)} parameter(0), sharding={devices=[4,1]<=[4]}
  %w = bf16[128,4]{1,0} constant({...})
  %dot.1 = f32[8,4]{1,0} convolution(%x, %w), dim_labels=bf_io->bf, metadata={op_name="a/b" source_line=3}
  %sum = f32[8,4]{1,0} all-reduce(%dot.1), channel_id=1, replica_groups=[2,2]<=[2,2]T(1,0), to_apply=%add
  ROOT %out = (bf16[8,128]{1,0:T(8,128)(2,1)S(1)}, f32[8,4]{1,0}) tuple(%x, %sum)
}
)";

constexpr const char* old_dialect = R"(HloModule step, is_scheduled=true, num_partitions=4

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(f32[] a, f32[] b)
}

ENTRY main {
  x = bf16[8, 128]{1,0:T(8,128)(2,1)S(1)} parameter(0), sharding={devices=[4,1]<=[4]}
  w = bf16[128,4]{1,0} constant({...})
  dot.1 = f32[8,4]{1,0} convolution(bf16[8,128]{1,0:T(8,128)(2,1)S(1)} %x, bf16[128,4]{1,0} w),
      dim_labels=bf_io->bf, metadata={op_name="a/b" source_line=3} // the product
  sum = f32[8,4]{1,0} all-reduce(f32[8,4]{1,0} dot.1), channel_id=1, replica_groups=[2,2]<=[2,2]T(1,0), to_apply=add
  ROOT out = (bf16[8,128]{1,0:T(8,128)(2,1)S(1)}, /*index=1*/f32[8,4]{1,0}) tuple(x, sum)
}
)";

TEST(HloPrinter, LeavesCanonicalTextAsItIs) { EXPECT_EQ(print(read_module(new_dialect)), new_dialect); }

TEST(HloPrinter, PrintsOldAndNewDialectAlike) { EXPECT_EQ(print(read_module(old_dialect)), new_dialect); }

TEST(HloReader, FindsOperandsCallsAndLayouts) {
  const Module module = read_module(new_dialect);
  ASSERT_EQ(module.computations.size(), 2U);
  EXPECT_EQ(module.entry, 1);
  EXPECT_TRUE(is_scheduled(module));
  const auto main = module.instructions_of(module.computations[1]);
  ASSERT_EQ(main.size(), 5U);
  EXPECT_EQ(module.instructions[std::size_t(module.operands(main[2])[1])].name, "w");
  EXPECT_EQ(module.called(main[3])[0], 0);
  EXPECT_EQ(module.computations[1].root, 7);
  const Shape& shape = module.shapes[main[0].shape];
  EXPECT_EQ(shape.layout.minor_to_major, (Integers{1, 0}));
  EXPECT_EQ(shape.layout.tiles, (std::vector<Integers>{{8, 128}, {2, 1}}));
  EXPECT_EQ(shape.layout.memory_space, 1);
}

TEST(HloReader, SplitsModulesAtHeadersAndSeparators) {
  const std::string computation = "ENTRY e {\n  ROOT c = f32[] constant(1)\n}\n";
  EXPECT_EQ(read_sound("HloModule a\n" + computation + "HloModule b\n" + computation).modules.size(), 2U);
  const ReadResult headless = read_sound(computation + "\n// -----\n\n" + computation + "// -----------\n");
  ASSERT_EQ(headless.modules.size(), 2U);
  EXPECT_EQ(headless.modules[1].name, "e");
}

TEST(HloReader, TakesTheLastComputationAsEntryWhereNoneIsMarked) {
  EXPECT_EQ(read_module("a {\n  c = f32[] constant(1)\n}\nb {\n  c = f32[] constant(1)\n}\n").entry, 1);
}

TEST(HloReader, ReadsOperandsAndComputationsWrittenInPlace) {
  const Module module = read_module(
      "ENTRY e {\n  r = f32[8] reshape(f32[2,4] parameter(0))\n  i = f32[] constant(0)\n"
      "  ROOT s = f32[] reduce(r, i), dimensions={0}, to_apply={\n    a = f32[] parameter(0)\n"
      "    b = f32[] parameter(1)\n    ROOT c = f32[] add(a, b)\n  }\n}\n");
  ASSERT_EQ(module.computations.size(), 2U);
  EXPECT_EQ(module.computations[0].parameters.size(), 1U);
  EXPECT_EQ(module.called(module.instructions[3])[0], 1);
  EXPECT_EQ(callees_first(module), (std::vector<ComputationIndex>{1, 0}));
  const std::string printed = print(module);
  EXPECT_EQ(print(read_module(printed)), printed);
}

TEST(HloReader, InfersTheShapeOfATupleElement) {
  const Module module =
      read_module("ENTRY e {\n  p = (f32[8], s32[]) parameter(0)\n  ROOT g = get-tuple-element(p), index=1\n}\n");
  EXPECT_EQ(module.shapes.text(module.instructions[1].shape), "s32[]");
}

TEST(HloReader, KeepsWhatItDoesNotKnow) {
  const Module module = read_module(
      "ENTRY e {\n  ROOT c = f32[] constant(1), new_thing={a=[1,{2}] b=\"}\"}, mode = FAST\n}, "
      "execution_thread=\"x\"\n");
  EXPECT_NE(print(module).find("new_thing={a=[1,{2}] b=\"}\"}, mode=FAST\n}, execution_thread=\"x\"\n"),
            std::string::npos)
      << print(module);
}

TEST(HloReader, SplitsAsynchronousOpcodes) {
  EXPECT_EQ(hlo::find_opcode("fusion-start").opcode, hlo::Opcode::fusion);
  EXPECT_EQ(hlo::find_opcode("fusion-start").phase, hlo::AsyncPhase::start);
  EXPECT_EQ(hlo::find_opcode("copy-start").opcode, hlo::Opcode::copy_start);
  EXPECT_EQ(hlo::find_opcode("custom-call-update").phase, hlo::AsyncPhase::update);
  EXPECT_EQ(hlo::find_opcode("frobnicate-start").opcode, hlo::Opcode::unknown);
}

TEST(HloReader, NamesEveryOpcodeOnceAndFindsIt) {
  ASSERT_EQ(hlo::opcode_table().size(), 133U);
  for (std::size_t i = 0; i < hlo::opcode_table().size(); ++i) {
    EXPECT_EQ(hlo::find_opcode(hlo::opcode_table()[i].name).opcode, hlo::Opcode(i)) << hlo::opcode_table()[i].name;
  }
  EXPECT_EQ(hlo::row(hlo::Opcode::while_loop).name, "while");
  EXPECT_EQ(hlo::row(hlo::Opcode::logical_xor).name, "xor");
  EXPECT_EQ(hlo::row(hlo::Opcode::abs).name, "abs");
  EXPECT_EQ(hlo::row(hlo::Opcode::get_tuple_element).name, "get-tuple-element");
  EXPECT_EQ(hlo::row(hlo::Opcode::select_and_scatter).name, "select-and-scatter");
}

TEST(HloStatistics, CountCollectivesWithTheirGroupsAndBytes) {
  const graph::Statistics counts = graph::statistics(read_module(new_dialect));
  EXPECT_EQ(counts.computations, 2);
  EXPECT_EQ(counts.instructions, 8);
  EXPECT_EQ(counts.partitions, 4);
  EXPECT_EQ(counts.parameter_bytes, 8 * 128 * 2);
  ASSERT_EQ(counts.collectives.size(), 1U);
  EXPECT_EQ(counts.collectives[0].groups, "2 of 2 devices");
  EXPECT_EQ(counts.collectives[0].element_type, "f32");
  EXPECT_EQ(counts.collectives[0].bytes, 8 * 4 * 4);
}

TEST(HloStatistics, InferTheNumberOfPartitionsFromTheGroups) {
  const graph::Statistics counts =
      graph::statistics(read_module("ENTRY e {\n  p = f32[8] parameter(0)\n"
                                    "  ROOT c = f32[8] collective-permute(p), source_target_pairs={{0,1},{1,7}}\n}\n"));
  EXPECT_EQ(counts.partitions, 8);
  EXPECT_EQ(counts.collectives.at(0).groups, "2 pairs");
}

}  // namespace
}  // namespace podsim::hlo::text
