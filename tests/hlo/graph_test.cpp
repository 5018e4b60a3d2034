// SPDX-License-Identifier: Apache-2.0
#include "hlo/graph.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "tests/hlo/literals.h"

namespace podsim::hlo {
namespace {

Module small_module() {
  build::GraphBuilder b("small");
  const InstructionId x = b.parameter(make_shape(ElementType::f32, {2, 3}), "x");
  const build::GraphBuilder::Scope scope(b, "head");
  return std::move(b).build(b.reduce_add(b.multiply(x, x), {1}));
}

TEST(Graph, PrintsHloLikeText) {
  EXPECT_EQ(to_string(small_module()), R"(HloModule small

%add_f32 (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %add.2 = f32[] add(%x, %y)
}

ENTRY %main (x: f32[2,3]) -> f32[2] {
  %x = f32[2,3] parameter(0)
  %multiply.1 = f32[2,3] multiply(%x, %x), metadata={op_name="head"}
  %constant.2 = f32[] constant(0), metadata={op_name="head"}
  ROOT %reduce.3 = f32[2] reduce(%multiply.1, %constant.2), dimensions={1}, to_apply=%add_f32, metadata={op_name="head"}
}
)");
}

TEST(Graph, UsersListEachReaderOnce) {
  const Module module = small_module();
  EXPECT_EQ(users_of(module.entry_computation()), (std::vector<std::vector<InstructionId>>{{1}, {3}, {3}, {}}));
}

TEST(Graph, VerifyAcceptsWhatTheBuilderMakes) { EXPECT_NO_THROW(build::verify(small_module())); }

TEST(Graph, VerifyNamesTheInstructionWhoseShapeDoesNotFollow) {
  Module module = small_module();
  module.computations[module.entry].instructions[3].shape.dimensions = {3};
  try {
    build::verify(module);
    FAIL();
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(error.what(), "main/reduce.3 = reduce: has shape f32[3], its operands give f32[2]");
  }
}

TEST(Graph, VerifyRejectsAnOperandThatDoesNotPrecede) {
  Module module = small_module();
  module.computations[module.entry].instructions[1].operands[0] = 3;
  EXPECT_THROW(build::verify(module), std::logic_error);
}

TEST(Graph, VerifyRejectsAComputationThatDoesNotPrecedeItsCaller) {
  Module module = small_module();
  module.computations[module.entry].instructions[3].called[0] = module.entry;
  EXPECT_THROW(build::verify(module), std::logic_error);
}

}  // namespace
}  // namespace podsim::hlo
