// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "workloads/layers/feed_forward.h"

namespace podsim::workloads::layers {

/// A mixture of feed-forward blocks (experts), of which every token passes through two, after GShard (Lepikhin et al.
/// 2020). An expert has a fixed number of slots for tokens.
struct MixtureOptions {
  std::int64_t experts = 0;    ///< E; 0 for no mixtures
  std::int64_t interval = 2;   ///< the last of every `interval` layers has a mixture
  std::int64_t group = 0;      ///< tokens that compete for the slots of an expert; 0: a sequence
  double capacity_factor = 2;  ///< slots over tokens: a group of S tokens has ceil(factor S / E) in every expert
  /// If not 1, the slots of an expert are factor S / E without its fraction, rounded up to a multiple of this, and at
  /// least that: 4 in Lingvo's layers of GShard, so that groups of few tokens to an expert have more slots than tokens.
  std::int64_t slot_multiple = 1;
  double auxiliary_weight = 0.01;  ///< weight of the loss that balances the experts
};

/// C, the number of slots that a group of tokens has in every expert; at least 1.
std::int64_t expert_capacity(const MixtureOptions& options, std::int64_t group);

struct MixtureResult {
  hlo::InstructionId value = -1;  ///< in the shape of the input
  hlo::InstructionId auxiliary =
      -1;                        ///< scalar: mean over groups of E times the sum over experts of the share of
                                 ///< tokens whose first choice it is times its mean gate; 1 if tokens spread evenly
  hlo::InstructionId held = -1;  ///< the maximum that the gates' softmax subtracts, for Loss::held
};

/// x [batch, length, M] -> [batch, length, M], in G groups of S tokens. Gates are the softmax of x w_gating, in the
/// type of the parameters. A token goes to the two experts with the highest gates, weighted by their shares of the two,
/// as long as there are slots: all first choices precede all second ones, each in the order of the tokens. A choice
/// without a slot adds nothing. GShard's random skipping of second choices is left out.
///
/// Trains w_gating [M, E], w_in [E, M, H], w_out [E, H, M] and, if the activation is gated, w_up [E, M, H]. Values by
/// op_name: "gates" [G, S, E]; "combine" [G, E, C, S], the weight of a token in a slot; "dispatch", 1 where that is not
/// zero; "dispatched" [G, E, C, M]; "hidden" [E, G, C, H]; "expert_out" [E, G, C, M]; "combined" [G, S, M].
MixtureResult mixture_of_experts(TrainedTensors& tensors, hlo::InstructionId x, const FeedForwardOptions& expert,
                                 const MixtureOptions& options);

}  // namespace podsim::workloads::layers
