// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workloads/layers.h"

namespace podsim::workloads {

/// Adds the tensors that a network trains as entry parameters. A tensor that is added as "w_in" under the builder's
/// scope "layer3/ffn" has the name and the op_name "layer3/ffn/w_in", and so has its conversion, so that its gradient
/// has the op_name "gradients/layer3/ffn/w_in". Sharding files rely on these names.
class TrainedTensors {
 public:
  TrainedTensors(sw::ir::build::GraphBuilder& builder, Precision precision)
      : builder_(builder), precision_(precision) {}

  /// A factor of products, converted to the type of the activations.
  sw::ir::InstructionId weight(std::string_view name, std::vector<std::int64_t> sizes);
  /// As above, in the type of the parameters: an embedding table, whose rows are converted after they are read.
  sw::ir::InstructionId table(std::string_view name, std::vector<std::int64_t> sizes);
  /// A scale or bias in the type of the parameters; it does not decay.
  sw::ir::InstructionId vector(std::string_view name, std::vector<std::int64_t> sizes);

  const std::vector<TrainedTensor>& all() const { return tensors_; }
  sw::ir::build::GraphBuilder& builder() { return builder_; }
  const Precision& precision() const { return precision_; }

 private:
  sw::ir::InstructionId add(std::string_view name, std::vector<std::int64_t> sizes, bool is_kernel);

  sw::ir::build::GraphBuilder& builder_;
  Precision precision_;
  std::vector<TrainedTensor> tensors_;
};

}  // namespace podsim::workloads
