// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/mbconv.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "hlo/build/verify.h"
#include "workloads/models/registry.h"

namespace podsim::workloads::models {
namespace {

MbconvOptions efficientnet_b0() {
  MbconvOptions options;
  options.batch = 1;
  options.stages = parse_mbconv_stages(efficientnet_b0_stages);
  return options;
}

// 5,288,548 numbers are trained in EfficientNet-B0: 5.3 million in the paper.
TEST(Mbconv, HasTheParametersOfEfficientNetB0) { EXPECT_EQ(mbconv_inference(efficientnet_b0()).parameters, 5'288'548); }

// The paper counts 0.39e9 multiplications and additions for an image.
TEST(Mbconv, TakesTheFlopsOfEfficientNetB0) {
  EXPECT_NEAR(mbconv_flops(efficientnet_b0()) / 2e9, 0.39, 0.005);
  MbconvOptions four = efficientnet_b0();
  four.batch = 4;
  EXPECT_EQ(mbconv_flops(four), 4 * mbconv_flops(efficientnet_b0()));
}

// The gradients of a block without expansion and squeeze-and-excite need the results of both convolutions, of the ReLU
// between them and of the block.
TEST(Mbconv, LeavesTheLogitsAloneOrWithWhatGradientsNeed) {
  MbconvOptions options = efficientnet_b0();
  options.image_size = 32;
  const auto results = [&] {
    const MbconvProgram program = mbconv_inference(options);
    hlo::build::verify(program.module);
    const hlo::Computation& entry = program.module.entry_computation();
    return entry[entry.root].operands.size();
  };
  EXPECT_EQ(results(), 1U);
  options.keeps_for_gradients = true;
  options.stages = parse_mbconv_stages("e1k3l1 e1k3l1 e1k3l1 e1k3l1 e1k3l1 e1k3l1 e1k3l1");
  const std::size_t short_network = results();
  options.stages.front().layers = 2;
  EXPECT_EQ(results() - short_network, 4U);
}

TEST(Mbconv, StagesAreAKeyOfTheWorkload) {
  WorkloadOptions options;
  options.batch_per_core = 2;
  options.replicas = 4;
  options.model["model.stages"] = "e1k3l1 e1k3l1 e1k3l1 e1k3l1 e1k3l1 e1k3l1 e1k5l1s";
  const Workload workload = build_workload("mbconv", options);
  EXPECT_EQ(workload.samples, 8);
  MbconvOptions network;
  network.batch = 8;
  network.stages = parse_mbconv_stages(options.model["model.stages"]);
  EXPECT_EQ(workload.model_flops, mbconv_flops(network));
  options.model["model.stages"] = "e1k3l1";
  EXPECT_THROW(build_workload("mbconv", options), base::InputError);
}

}  // namespace
}  // namespace podsim::workloads::models
