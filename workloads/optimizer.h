// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "workloads/layers.h"

namespace podsim::workloads {

enum class OptimizerKind { sgd_momentum, lars, adam, lamb, adafactor };

/// Every kind under the name that users give it.
const std::vector<std::pair<std::string, OptimizerKind>>& optimizer_kinds();

/// With w the tensor, g its gradient, r the learning rate, t the number of the step from 1 on; slot variables of w's
/// type; weight decay for kernels only.
///   sgd_momentum:  d = g + weight_decay w;                      v' = momentum v + d;    w' = w - r v'
///   lars:          q = trust |w| / (|g| + weight_decay |w|);    v' = momentum v + r q d; w' = w - v'
///   adam:          m' = momentum m + (1 - momentum) g;          v' = decay v + (1 - decay) g^2;
///                  u = m' / (1 - momentum^t) / (sqrt(v' / (1 - decay^t)) + epsilon) + weight_decay w;  w' = w - r u
///   lamb:          u as adam;                                   w' = w - r |w| / |u| u
///   adafactor:     b = 1 - t^-0.8; R' and C' become b times themselves plus (1 - b) times the means of g^2 + 1e-30
///                  over w's last dimension and over the one before; u = g / sqrt(R' C' / mean of R');
///                  w' = w - r max(1e-3, rms(w)) u / max(1, rms(u))
/// LARS (You, Gitman, Ginsburg 2017, as MLPerf runs it) scales kernels; for batch norm and bias q = 1, as it is where a
/// norm is zero; LAMB (You et al. 2019) likewise with |w| / |u|. Adam is that of Kingma and Ba 2015 with the decay
/// apart from the moments (Loshchilov and Hutter 2019). Adafactor (Shazeer and Stern 2018, algorithms 4 and 5, without
/// momentum, factored over the last two dimensions) keeps all of v for vectors and scalars.
struct Optimizer {
  OptimizerKind kind = OptimizerKind::lars;
  double momentum = 0.9;  ///< also the decay of the first moment
  double decay = 0.999;   ///< of the second moment
  double epsilon = 1e-6;  ///< of adam and lamb
  double weight_decay = 1e-4;
  double trust = 0.001;
};

/// A variable that the optimiser keeps for a tensor.
struct Slot {
  std::string name;  ///< "momentum", "second_moment", "row_moment", ...
  std::vector<std::int64_t> sizes;
};

/// Of a tensor of `sizes`, in the order in which update() takes them.
std::vector<Slot> slots(const Optimizer& optimizer, const std::vector<std::int64_t>& sizes);

/// Whether update() reads the number of the step.
bool counts_steps(const Optimizer& optimizer);

/// Scalars of the loss's type that all updates of a step share.
struct StepScalars {
  sw::InstructionId learning_rate = -1;
  sw::InstructionId step = -1;  ///< t, 1 in the first step; -1 where it is not counted
};

struct Update {
  sw::InstructionId value = -1;
  std::vector<sw::InstructionId> slots;
};

/// Appends the update of one tensor; gradient and slots are of the tensor's type.
Update update(sw::GraphBuilder& builder, const Optimizer& optimizer, const TrainedTensor& tensor,
              sw::InstructionId gradient, std::span<const sw::InstructionId> slots, const StepScalars& scalars);

}  // namespace podsim::workloads
