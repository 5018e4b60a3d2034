// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <vector>

#include "tests/hlo/literals.h"
#include "workloads/models/resnet50.h"

/// Networks of every kind of layer that ResNet-50 has, small enough to evaluate.
namespace podsim::workloads::testing {

/// Double precision throughout, gradients added up in double precision.
inline Precision double_precision() { return {hlo::ElementType::f64, hlo::ElementType::f64}; }

inline models::ResNetOptions tiny_resnet() {
  models::ResNetOptions options;
  options.batch = 3;
  options.image_size = 32;
  options.classes = 5;
  options.width = 2;
  options.blocks = {2, 1, 1, 1};
  options.precision = double_precision();
  options.feed_in = false;
  options.training.gradient_type = hlo::ElementType::f64;
  return options;
}

/// A training step whose momentum results are the gradients: no momentum, no decay.
inline Optimizer plain_gradient() {
  Optimizer optimizer;
  optimizer.kind = OptimizerKind::sgd_momentum;
  optimizer.momentum = 0;
  optimizer.weight_decay = 0;
  return optimizer;
}

/// Kernels as He et al. initialise them (uniform), gammas about 1, everything else small; momenta 0; labels a class.
inline std::vector<hlo::Literal> arguments_for(const hlo::Module& module, unsigned seed, double classes,
                                               double learning_rate = 0.1) {
  std::vector<hlo::Literal> arguments;
  const hlo::Computation& entry = module.entry_computation();
  for (hlo::InstructionId id : entry.parameters) {
    const hlo::Instruction& parameter = entry[id];
    double low = -1, high = 1;
    if (parameter.name.ends_with("kernel")) {
      const auto& sizes = parameter.shape.dimensions;
      high = std::sqrt(6.0 * double(sizes.back()) / double(parameter.shape.element_count()));
      low = -high;
    } else if (parameter.name.ends_with("gamma")) {
      low = 0.8, high = 1.2;
    } else if (parameter.name.ends_with("momentum")) {
      low = high = 0;
    } else if (parameter.name.ends_with("beta") || parameter.name.ends_with("bias")) {
      low = -0.1, high = 0.1;
    } else if (parameter.name == "learning_rate") {
      low = high = learning_rate;
    } else if (parameter.name == "labels") {
      low = 0, high = classes;
    }
    arguments.push_back(hlo::testing::random_literal(parameter.shape, seed++, low, high));
    if (parameter.name == "labels") {
      for (double& value : arguments.back().values) value = std::floor(value);
    }
  }
  return arguments;
}

}  // namespace podsim::workloads::testing
