// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/nets/net.h"

namespace podsim::workloads::nets {

struct NetOptions {
  std::int64_t batch = 1;  ///< samples of the program: of one core or of the whole machine
  std::int64_t replicas = 1;
  bool fed = true;  ///< the inputs of a program of one core come from the infeed; if false, they are its parameters
  /// Without dropout, and with a shift per channel in place of a batch norm, whose scale is folded into the kernel.
  bool inference = false;
};

/// The training step of a net. Tensors are named by their layers: "layer3/attention/w_q". Throws base::InputError at
/// the layer or input whose shapes do not fit, that names what there is not, or whose result nothing reads.
TrainingStep net_training_step(const Net& net, const NetOptions& options);

}  // namespace podsim::workloads::nets
