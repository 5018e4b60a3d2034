// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "workloads/training_step.h"
#include "workloads/workload.h"

namespace podsim::workloads::models {

/// A fully connected network as in ParaDnn (Wang et al. 2019): hidden layers of equal width with ReLU, then a dense
/// layer and softmax. Activations are in bf16, weights and gradients in f32.
struct PerceptronOptions {
  std::int64_t batch = 1024;  ///< samples of a core
  std::int64_t layers = 8;    ///< hidden ones
  std::int64_t nodes = 2048;  ///< of a hidden layer
  std::int64_t inputs = 2000;
  std::int64_t outputs = 1000;  ///< classes
  Precision precision;
  TrainingOptions training{.optimizer = {.kind = OptimizerKind::sgd_momentum, .weight_decay = 0},
                           .gradient_type = hlo::ElementType::f32};
};

/// One training step of one core, with an all-reduce for every tensor. Parameters: "inputs" [batch, inputs], "labels"
/// s32[batch]; then "layer0/kernel", "layer0/bias" and so on, "logits/kernel", "logits/bias". The loss is the mean
/// cross-entropy.
TrainingStep perceptron_training_step(const PerceptronOptions& options);

/// FLOPs of the products of a step of one core: 6 for every weight and sample, 4 in the first layer, whose inputs have
/// no gradient.
double perceptron_flops(const PerceptronOptions& options);

/// "perceptron"
WorkloadEntry perceptron_entry();

}  // namespace podsim::workloads::models
