// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "workloads/layers.h"
#include "workloads/models/recommenders/dlrm.h"

namespace podsim::workloads::models::recommenders {

/// The parts of DLRM beside its tables, as XLA instructions: both perceptrons, the products of rows, the loss. Tensors
/// are "bottom0/kernel", "bottom0/bias", ..., "top0/kernel", ....
class DlrmNetwork {
 public:
  DlrmNetwork(sw::ir::build::GraphBuilder& builder, const DlrmOptions& options)
      : b_(builder), options_(options), layers_(builder, {options.type, options.type}) {}

  /// [batch, features] -> [batch, width]
  sw::ir::InstructionId bottom(sw::ir::InstructionId dense);
  /// x is the result of the bottom perceptron, `rows` [batch, vectors, width] has it and the rows of the tables. Their
  /// products with each other, zeros on and above the diagonal, and x go through the top perceptron: [batch].
  sw::ir::InstructionId top(sw::ir::InstructionId x, sw::ir::InstructionId rows);
  /// Sum over the samples of max(z, 0) - z y + log(1 + exp(-|z|)), divided by `samples`.
  sw::ir::InstructionId cross_entropy(sw::ir::InstructionId z, sw::ir::InstructionId y, std::int64_t samples);

  const std::vector<TrainedTensor>& trained() const { return layers_.trained(); }

 private:
  sw::ir::InstructionId perceptron(std::string_view name, sw::ir::InstructionId x,
                                   const std::vector<std::int64_t>& units, bool bends_last);

  sw::ir::build::GraphBuilder& b_;
  const DlrmOptions& options_;
  Layers layers_;
};

}  // namespace podsim::workloads::models::recommenders
