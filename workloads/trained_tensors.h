// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workloads/layers.h"

namespace podsim::workloads {

/// Adds the tensors that a network trains as entry parameters. A tensor that is added as "w_in" under the builder's
/// scope "layer3/ffn" has the name and the op_name "layer3/ffn/w_in", and so has its conversion, so that its gradient
/// has the op_name "gradients/layer3/ffn/w_in". Sharding files rely on these names.
class TrainedTensors {
 public:
  TrainedTensors(hlo::build::GraphBuilder& builder, Precision precision) : builder_(builder), precision_(precision) {}

  /// A factor of products, converted to the type of the activations.
  hlo::InstructionId weight(std::string_view name, std::vector<std::int64_t> sizes);
  /// As above, in the type of the parameters: an embedding table, whose rows are converted after they are read.
  hlo::InstructionId table(std::string_view name, std::vector<std::int64_t> sizes);
  /// A scale or bias in the type of the parameters; it does not decay.
  hlo::InstructionId vector(std::string_view name, std::vector<std::int64_t> sizes);

  /// From here on, a tensor that is added under the scope `part` ("part1/layer3/w_in") is the one that was added
  /// without it ("layer3/w_in"): the network is written once more, for another part of the batch.
  void share_under(std::string part) { part_ = std::move(part) + "/"; }

  const std::vector<TrainedTensor>& all() const { return tensors_; }
  hlo::build::GraphBuilder& builder() { return builder_; }
  const Precision& precision() const { return precision_; }

 private:
  hlo::InstructionId add(std::string_view name, std::vector<std::int64_t> sizes, bool is_kernel);

  hlo::build::GraphBuilder& builder_;
  Precision precision_;
  std::vector<TrainedTensor> tensors_;
  std::string part_;  ///< scope of a part, with a slash; "" while tensors are new
};

}  // namespace podsim::workloads
