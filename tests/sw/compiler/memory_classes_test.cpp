// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/memory_classes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sw/compiler/memory_account.h"
#include "tests/hlo/text/graph_of.h"

namespace podsim::sw::compiler {
namespace {

/// y = w2 (w1 x), a loss, the gradients of both weights with a momentum each, all of 1024 x 1024 elements, 4 MiB.
hlo::Module two_products() {
  return hlo::text::testing::graph_of(R"(
HloModule step, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, may-alias), {2}: (2, {}, may-alias) }
add { a = f32[] parameter(0)
 b = f32[] parameter(1)
 ROOT c = f32[] add(a, b) }
ENTRY e {
  w1 = f32[1024,1024] parameter(0)
  w2 = f32[1024,1024] parameter(1)
  momentum = f32[1024,1024] parameter(2)
  x = f32[1024,1024] parameter(3)
  hidden = f32[1024,1024] dot(w1, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  y = f32[1024,1024] dot(w2, hidden), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  zero = f32[] constant(0)
  loss = f32[] reduce(y, zero), dimensions={0,1}, to_apply=add
  dy = f32[1024,1024] negate(y)
  d2 = f32[1024,1024] dot(dy, hidden), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  back = f32[1024,1024] dot(w2, dy), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  d1 = f32[1024,1024] dot(back, x), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  next = f32[1024,1024] add(momentum, d1)
  new1 = f32[1024,1024] add(w1, next)
  new2 = f32[1024,1024] add(w2, d2)
  ROOT t = (f32[1024,1024], f32[1024,1024], f32[1024,1024], f32[]) tuple(new1, new2, next, loss)
})");
}

hlo::InstructionId position_of(const hlo::Module& module, const std::string& name) {
  const auto& instructions = module.entry_computation().instructions;
  return hlo::InstructionId(std::ranges::find(instructions, name, &hlo::Instruction::name) - instructions.begin());
}

MemoryClasses classes_at(const hlo::Module& module, const std::string& name) {
  using enum hlo::transform::ArgumentKind;
  const std::vector<hlo::transform::ArgumentKind> kinds{parameter, parameter, slot, input};
  return memory_classes(module, module.donations, kinds, position_of(module, name));
}

constexpr std::int64_t mib = 1 << 20;

// At `y` its operand and its result are live; at `d1` the gradient of w2 too.
TEST(MemoryClasses, SortArraysByTheirUse) {
  const hlo::Module module = two_products();
  const MemoryClasses forward = classes_at(module, "y");
  EXPECT_EQ(forward.weights, base::Bytes(8 * mib));
  EXPECT_EQ(forward.slots, base::Bytes(4 * mib));
  EXPECT_EQ(forward.inputs, base::Bytes(4 * mib));
  EXPECT_EQ(forward.activations, base::Bytes(8 * mib));
  EXPECT_EQ(forward.gradients, base::Bytes(0));
  EXPECT_EQ(forward.padding, base::Bytes(0));
}

TEST(MemoryClasses, AddUpToWhatIsLive) {
  const hlo::Module module = two_products();
  const MemoryAccount account = account_memory(module, module.donations);
  for (std::size_t i = 0; i < account.schedule.size(); ++i) {
    const MemoryClasses of = memory_classes(module, module.donations, {}, hlo::InstructionId(i));
    EXPECT_EQ(of.weights + of.slots + of.inputs + of.activations + of.gradients + of.temporaries,
              account.schedule[i].live)
        << account.schedule[i].name;
  }
}

}  // namespace
}  // namespace podsim::sw::compiler
