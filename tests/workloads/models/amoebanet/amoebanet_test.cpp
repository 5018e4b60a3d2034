// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/amoebanet/amoebanet.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hlo/build/verify.h"

namespace podsim::workloads::models::amoebanet {
namespace {

AmoebaNetOptions of_size(std::int64_t cells, std::int64_t filters, bool auxiliary) {
  AmoebaNetOptions options;
  options.batch = 1;
  options.cells = cells;
  options.reduction_size = filters;
  options.auxiliary = auxiliary;
  return options;
}

/// Trained numbers.
double weights_of(const AmoebaNetOptions& options) {
  const TrainingStep step = amoebanet_training_step(options);
  double count = 0;
  for (const TrainedTensor& tensor : step.forward->tensors) {
    count += double(step.forward->graph.shape(tensor.value).element_count());
  }
  return count;
}

// The models of 18 to 72 cells in table 1 of Huang et al. 2019 have 82 million to 1.8 billion parameters.
TEST(AmoebaNet, HasItsPublishedParameters) {
  struct Published {
    std::int64_t cells, filters;
    double parameters, rounding;
  };
  for (const Published& row : {Published{18, 208, 82e6, 0.5e6}, Published{18, 416, 318e6, 0.5e6},
                               Published{36, 544, 1.05e9, 5e6}, Published{72, 512, 1.8e9, 50e6}}) {
    EXPECT_NEAR(weights_of(of_size(row.cells, row.filters, true)), row.parameters, row.rounding) << row.filters;
  }
}

// A normal cell behind two others reads 4 F + 4 F channels, which two convolutions bring to F. It has three more of
// 1 x 1, and twice 1 x 1, 1 x 7, 7 x 1 and 1 x 1 with F / 4 channels between them. From 9 cells to 12, each of three
// sizes of images has one more, with F, 2 F and 4 F filters.
TEST(AmoebaNet, ANormalCellHasTheProductsOfItsTable) {
  const auto macs_of = [](std::int64_t cells) {
    const hlo::Module module = amoebanet_forward(of_size(cells, 64, false));
    EXPECT_NO_THROW(hlo::build::verify(module));
    const hlo::Computation& entry = module.entry_computation();
    double macs = 0;
    for (const hlo::Instruction& instruction : entry.instructions) {
      if (instruction.opcode != hlo::Opcode::convolution && instruction.opcode != hlo::Opcode::dot) continue;
      const hlo::Shape& kernel = entry[instruction.operands[1]].shape;
      macs += double(instruction.shape.element_count() * kernel.element_count() / kernel.dimensions.back());
    }
    return macs;
  };
  const double narrow = 2 * 0.25 + 2 * 7 * 0.25 * 0.25;  // per position and F^2
  const double of_cell = 4 + 4 + 3 + 2 * narrow;
  EXPECT_NEAR(macs_of(12) - macs_of(9), of_cell * 64 * 64 * (28 * 28 + 4 * 14 * 14 + 16 * 7 * 7), 1);
}

// 224 -> 111 -> 56 -> 28 -> 14 -> 7; results of 4 F channels, 3 F of reduction cells.
TEST(AmoebaNet, HasTheMapsOfItsCells) {
  AmoebaNetOptions options;
  options.batch = 2;
  const hlo::Module module = amoebanet_forward(options);
  const auto map_of = [&](const std::string& name) {
    const auto& instructions = module.entry_computation().instructions;
    return std::ranges::find(instructions, name, &hlo::Instruction::op_name)->shape.dimensions;
  };
  using Sizes = std::vector<std::int64_t>;
  EXPECT_EQ(map_of("reduction0/joined"), (Sizes{2, 56, 56, 192}));
  EXPECT_EQ(map_of("reduction1/joined"), (Sizes{2, 28, 28, 384}));
  EXPECT_EQ(map_of("cell1/joined"), (Sizes{2, 28, 28, 1024}));
  EXPECT_EQ(map_of("reduction2/joined"), (Sizes{2, 14, 14, 1536}));
  EXPECT_EQ(map_of("cell3/joined"), (Sizes{2, 14, 14, 2048}));
  EXPECT_EQ(map_of("reduction3/joined"), (Sizes{2, 7, 7, 3072}));
  EXPECT_EQ(map_of("cell5/joined"), (Sizes{2, 7, 7, 4096}));
}

}  // namespace
}  // namespace podsim::workloads::models::amoebanet
