// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workloads/layers.h"

namespace podsim::workloads {

/// The tensors that a network trains, as entry parameters. One that is added under the builder's scope "layer3/ffn" as
/// "w_in" has the name and the op_name "layer3/ffn/w_in", and what converts it has that op_name too, so that its
/// gradient is found as "gradients/layer3/ffn/w_in".
class TrainedTensors {
 public:
  TrainedTensors(sw::GraphBuilder& builder, Precision precision) : builder_(builder), precision_(precision) {}

  /// What inputs are multiplied with, in the type of the activations.
  sw::InstructionId weight(std::string_view name, std::vector<std::int64_t> sizes);
  /// Likewise in the type of the parameters: an embedding table, whose rows are converted when they have been read.
  sw::InstructionId table(std::string_view name, std::vector<std::int64_t> sizes);
  /// A scale or bias, in the type of the parameters; does not decay.
  sw::InstructionId vector(std::string_view name, std::vector<std::int64_t> sizes);

  const std::vector<TrainedTensor>& all() const { return tensors_; }
  sw::GraphBuilder& builder() { return builder_; }
  const Precision& precision() const { return precision_; }

 private:
  sw::InstructionId add(std::string_view name, std::vector<std::int64_t> sizes, bool is_kernel);

  sw::GraphBuilder& builder_;
  Precision precision_;
  std::vector<TrainedTensor> tensors_;
};

}  // namespace podsim::workloads
