// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "workloads/layers.h"
#include "workloads/models/recommenders/dlrm.h"

namespace podsim::workloads::models::recommenders {

/// The parts of DLRM other than its tables, as XLA instructions: both perceptrons, the products of rows, the loss.
/// Tensors are "bottom0/kernel", "bottom0/bias", ..., "top0/kernel", ....
class DlrmNetwork {
 public:
  DlrmNetwork(hlo::build::GraphBuilder& builder, const DlrmOptions& options)
      : b_(builder), options_(options), layers_(builder, {options.type, options.type}) {}

  /// [batch, features] -> [batch, width]
  hlo::InstructionId bottom(hlo::InstructionId dense);
  /// x is the result of the bottom perceptron, `rows` [batch, vectors, width] has it and the rows of the tables. Their
  /// products with each other, zeros on and above the diagonal, and x go through the top perceptron: [batch].
  hlo::InstructionId top(hlo::InstructionId x, hlo::InstructionId rows);
  /// Sum over the samples of max(z, 0) - z y + log(1 + exp(-|z|)), divided by `samples`.
  hlo::InstructionId cross_entropy(hlo::InstructionId z, hlo::InstructionId y, std::int64_t samples);

  const std::vector<TrainedTensor>& trained() const { return layers_.trained(); }

 private:
  hlo::InstructionId perceptron(std::string_view name, hlo::InstructionId x, const std::vector<std::int64_t>& units,
                                bool bends_last);

  hlo::build::GraphBuilder& b_;
  const DlrmOptions& options_;
  Layers layers_;
};

}  // namespace podsim::workloads::models::recommenders
