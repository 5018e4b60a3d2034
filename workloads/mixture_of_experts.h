// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "workloads/feed_forward.h"

namespace podsim::workloads {

/// A feed-forward block of which every token passes two out of many, after GShard (Lepikhin et al. 2020).
struct MixtureOptions {
  std::int64_t experts = 0;        ///< E; 0: none
  std::int64_t interval = 2;       ///< every so many layers has one, the last of them
  std::int64_t group = 0;          ///< tokens that compete for the places of an expert; 0: a sequence
  double capacity_factor = 2;      ///< places over tokens: a group of S tokens has ceil(factor S / E) in every expert
  double auxiliary_weight = 0.01;  ///< of the loss that evens out the experts
};

/// Places that a group of tokens has in every expert, C.
std::int64_t expert_capacity(const MixtureOptions& options, std::int64_t group);

struct MixtureResult {
  sw::InstructionId value = -1;      ///< in the shape of the input
  sw::InstructionId auxiliary = -1;  ///< scalar: mean over groups of E times the sum over experts of the share of
                                     ///< tokens that chose it first times its mean gate; 1 where tokens spread evenly
  sw::InstructionId held = -1;       ///< the maximum that the gates' softmax subtracts, for Loss::held
};

/// x [batch, length, M] -> [batch, length, M], in G groups of S tokens. Gates are the softmax of x w_gating, in the
/// type of the parameters; a token goes to the two experts with the highest gates, weighted by their share of the two,
/// as long as there are places: first choices come first, then second ones, each in the order of the tokens. What finds
/// no place adds nothing. GShard's random skipping of second choices is left out.
///
/// Trains w_gating [M, E], w_in [E, M, H] and w_out [E, H, M], w_up [E, M, H] where the activation is gated. Values by
/// op_name: "gates" [G, S, E], "combine" [G, E, C, S], the weight of a token in a place, "dispatch", where it is not
/// zero, "dispatched" [G, E, C, M], "hidden" [E, G, C, H], "expert_out" [E, G, C, M], "combined" [G, S, M].
MixtureResult mixture_of_experts(TrainedTensors& tensors, sw::InstructionId x, const FeedForwardOptions& expert,
                                 const MixtureOptions& options);

}  // namespace podsim::workloads
