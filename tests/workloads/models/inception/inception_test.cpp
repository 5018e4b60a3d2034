// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/inception/inception.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hlo/build/verify.h"

namespace podsim::workloads::models::inception {
namespace {

std::int64_t trained_elements(const TrainingStep& step) {
  const hlo::Computation& entry = step.module.entry_computation();
  std::int64_t count = 0;
  for (const hlo::InstructionId id : entry.parameters) {
    const std::string& name = entry[id].name;
    const bool is_tensor =
        name.ends_with("kernel") || name.ends_with("gamma") || name.ends_with("beta") || name.ends_with("bias");
    if (is_tensor) count += entry[id].shape.element_count();
  }
  return count;
}

// Numbers of parameters of torchvision's inception_v3 with and without its auxiliary classifier.
TEST(Inception, HasItsPublishedParameters) {
  InceptionOptions options;
  options.batch = 1;
  EXPECT_EQ(trained_elements(inception_training_step(options)), 27'161'264);
  options.auxiliary = false;
  EXPECT_EQ(trained_elements(inception_training_step(options)), 23'834'568);
}

// 5.7e9 multiply-accumulates an image (torchvision: 5.71), counted with taps on padding.
TEST(Inception, TakesItsPublishedMultiplyAccumulates) {
  InceptionOptions options;
  options.batch = 1;
  const hlo::Module module = inception_forward(options);
  EXPECT_NO_THROW(hlo::build::verify(module));
  const hlo::Computation& entry = module.entry_computation();
  double macs = 0;
  for (const hlo::Instruction& instruction : entry.instructions) {
    if (instruction.opcode != hlo::Opcode::convolution && instruction.opcode != hlo::Opcode::dot) continue;
    const hlo::Shape& kernel = entry[instruction.operands[1]].shape;
    macs += double(instruction.shape.element_count() * kernel.element_count() / kernel.dimensions.back());
  }
  EXPECT_NEAR(macs, 5.71e9, 0.01e9);
}

// The maps of the paper's table: 35 x 35 x 288 before the first reduction, 17 x 17 x 768, 8 x 8 x 2048.
TEST(Inception, HasTheMapsOfThePaper) {
  InceptionOptions options;
  options.batch = 2;
  const hlo::Module module = inception_forward(options);
  const auto map_of = [&](const std::string& name) {
    const auto& instructions = module.entry_computation().instructions;
    return std::ranges::find(instructions, name, &hlo::Instruction::op_name)->shape.dimensions;
  };
  using Sizes = std::vector<std::int64_t>;
  EXPECT_EQ(map_of("mixed_5d/joined"), (Sizes{2, 35, 35, 288}));
  EXPECT_EQ(map_of("mixed_6a/joined"), (Sizes{2, 17, 17, 768}));
  EXPECT_EQ(map_of("mixed_6e/joined"), (Sizes{2, 17, 17, 768}));
  EXPECT_EQ(map_of("mixed_7a/joined"), (Sizes{2, 8, 8, 1280}));
  EXPECT_EQ(map_of("mixed_7c/joined"), (Sizes{2, 8, 8, 2048}));
}

}  // namespace
}  // namespace podsim::workloads::models::inception
