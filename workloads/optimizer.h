// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "workloads/layers.h"

namespace podsim::workloads {

enum class OptimizerKind { sgd_momentum, lars, adam, lamb, adafactor, rmsprop };

/// Every kind with its name in the user interface.
const std::vector<std::pair<std::string, OptimizerKind>>& optimizer_kinds();

/// An optimiser and its constants. With tensor w, gradient g, learning rate r and step number t counted from 1; slot
/// variables have w's type, and weight decay applies to kernels only:
///   sgd_momentum:  d = g + weight_decay w;                      v' = momentum v + d;    w' = w - r v'
///   lars:          q = trust |w| / (|g| + weight_decay |w|);    v' = momentum v + r q d; w' = w - v'
///   adam:          m' = momentum m + (1 - momentum) g;          v' = decay v + (1 - decay) g^2;
///                  u = m' / (1 - momentum^t) / (sqrt(v' / (1 - decay^t)) + epsilon) + weight_decay w;  w' = w - r u
///   lamb:          u as adam;                                   w' = w - r |w| / |u| u
///   adafactor:     b = 1 - t^-0.8; R' and C' become b times themselves plus (1 - b) times the means of g^2 + 1e-30
///                  over w's last dimension and over the one before; u = g / sqrt(R' C' / mean of R');
///                  w' = w - r max(1e-3, rms(w)) u / max(1, rms(u))
///   rmsprop:       d = g + weight_decay w; s' = decay s + (1 - decay) d^2;
///                  v' = momentum v + r d / sqrt(s' + epsilon);  w' = w - v'
/// LARS (You, Gitman, Ginsburg 2017, as in MLPerf) scales kernels; q = 1 for batch norms and biases, and if a norm is
/// zero. LAMB (You et al. 2019) does the same with |w| / |u|. Adam is that of Kingma and Ba 2015 with weight decay
/// decoupled from the moments (Loshchilov and Hutter 2019). Adafactor (Shazeer and Stern 2018, algorithms 4 and 5,
/// without momentum) is factored over the last two dimensions; vectors and scalars have an unfactored second moment.
/// RMSProp (Tieleman and Hinton 2012) has momentum, and its epsilon within the root, as TensorFlow's has. With any
/// kind, an average_decay above 0 keeps a moving average of each tensor: a' = average_decay a + (1 - average_decay) w'.
struct Optimizer {
  OptimizerKind kind = OptimizerKind::lars;
  double momentum = 0.9;  ///< also the decay of the first moment
  double decay = 0.999;   ///< decay of the second moment
  double epsilon = 1e-6;  ///< for adam, lamb and rmsprop
  double weight_decay = 1e-4;
  double trust = 0.001;
  double clip_norm = 0;      ///< most norm of all gradients together (clipped()); 0: any
  double average_decay = 0;  ///< decay of the tensors' moving averages; 0: none are kept
};

/// A slot variable: a value that the optimiser keeps for a tensor.
struct Slot {
  std::string name;  ///< "momentum", "second_moment", "row_moment", "average", ...
  std::vector<std::int64_t> sizes;
};

/// The slot variables of a tensor of `sizes`, in the order in which update() takes them.
std::vector<Slot> slots(const Optimizer& optimizer, const std::vector<std::int64_t>& sizes);

/// True if update() reads the step number.
bool counts_steps(const Optimizer& optimizer);

/// Scalars of the loss's type that all updates of a step share.
struct StepScalars {
  hlo::InstructionId learning_rate = -1;
  hlo::InstructionId step = -1;  ///< value t, 1 in the first step; -1 if steps are not counted
};

struct Update {
  hlo::InstructionId value = -1;
  std::vector<hlo::InstructionId> slots;
};

/// The sum of the squares of all elements.
hlo::InstructionId sum_of_squares(hlo::build::GraphBuilder& builder, hlo::InstructionId x);

/// min(1, most / sqrt(squares)), a scalar; `most` is above 0.
hlo::InstructionId clipping_factor(hlo::build::GraphBuilder& builder, hlo::InstructionId squares, double most);

/// All gradients times min(1, most / |g|), where |g| is the norm of all their elements together (Pascanu, Mikolov,
/// Bengio 2013). `most` is above 0, and there is a gradient.
std::vector<hlo::InstructionId> clipped(hlo::build::GraphBuilder& builder,
                                        const std::vector<hlo::InstructionId>& gradients, double most);

/// Appends the update of one tensor. Gradient and slot variables have the tensor's type.
Update update(hlo::build::GraphBuilder& builder, const Optimizer& optimizer, const TrainedTensor& tensor,
              hlo::InstructionId gradient, std::span<const hlo::InstructionId> slots, const StepScalars& scalars);

}  // namespace podsim::workloads
