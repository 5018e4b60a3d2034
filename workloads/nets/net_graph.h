// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/decode_options.h"
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

/// One step of decoding (workloads/layers/decode_step.h) of a net of tokens, its first input, whose layers work token
/// by token or are causal attention, which has a cache (workloads/layers/key_value_cache.h). options.batch counts
/// hypotheses. Parameters: the tokens s32[batch, new_tokens], those of the cache, the trained tensors. The logits are
/// what the loss reads, or the result of the last layer; layers of logits see the last token alone, unless
/// decode.all_next. A mixture's experts serve all tokens of the step. Throws base::InputError at a layer that has no
/// such step. `decode` is resolved.
TrainingStep net_decode_step(const Net& net, const NetOptions& options, const DecodeOptions& decode);

}  // namespace podsim::workloads::nets
