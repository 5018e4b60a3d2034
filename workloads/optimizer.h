// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/layers.h"

namespace podsim::workloads {

enum class OptimizerKind { sgd_momentum, lars };

/// With w the tensor, g its gradient, v its momentum, r the learning rate; weight decay for kernels only.
///   sgd_momentum:  d = g + weight_decay w;                      v' = momentum v + d;    w' = w - r v'
///   lars:          t = trust |w| / (|g| + weight_decay |w|);    v' = momentum v + r t d; w' = w - v'
/// LARS (You, Gitman, Ginsburg 2017, as MLPerf runs it) scales kernels; for batch norm and bias t = 1, as it is where a
/// norm is zero.
struct Optimizer {
  OptimizerKind kind = OptimizerKind::lars;
  double momentum = 0.9;
  double weight_decay = 1e-4;
  double trust = 0.001;
};

struct Update {
  sw::InstructionId value = -1;
  sw::InstructionId momentum = -1;
};

/// Appends the update of one tensor; learning_rate is a scalar of the tensor's type.
Update update(sw::GraphBuilder& builder, const Optimizer& optimizer, const TrainedTensor& tensor,
              sw::InstructionId gradient, sw::InstructionId momentum, sw::InstructionId learning_rate);

}  // namespace podsim::workloads
