// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "tests/workloads/by_name.h"
#include "workloads/training_step.h"

namespace podsim::workloads::testing {

/// Expects that a step with plain_gradient() (tiny.h) finds the slopes of a loss: for the first three elements of every
/// tensor, by central differences.
inline void expect_slopes(const TrainingStep& step, const std::vector<hlo::Literal>& arguments,
                          const std::function<double(const std::map<std::string, hlo::Literal>&)>& loss) {
  hlo::build::verify(step.module);
  const hlo::Literal result = hlo::eval::evaluate(step.module, arguments);
  auto tensors = by_name(step.module, arguments);
  const hlo::Computation& entry = step.module.entry_computation();
  const std::size_t trained = (result.elements.size() - 1) / 2;
  const double h = 1e-5;
  for (std::size_t i = 0; i < trained; ++i) {
    const std::string& name = entry[entry.parameters[step.donations[i].parameter]].name;
    const hlo::Literal& slope = result.elements[trained + i];
    for (std::size_t k = 0; k < std::min<std::size_t>(3, slope.values.size()); ++k) {
      double& value = tensors[name].values[k];
      const double middle = value;
      value = middle + h;
      const double above = loss(tensors);
      value = middle - h;
      const double below = loss(tensors);
      value = middle;
      const double expected = (above - below) / (2 * h);
      EXPECT_NEAR(slope.values[k], expected, 1e-8 + 1e-5 * std::abs(expected)) << name << "[" << k << "]";
    }
  }
}

}  // namespace podsim::workloads::testing
