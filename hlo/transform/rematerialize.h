// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "hlo/graph.h"

/// Rematerialisation: recomputes a layer's forward values inside its backward part, so that they need not be kept in
/// between (Chen et al. 2016; GPipe 2019).
namespace podsim::hlo::transform {

/// The values of a layer that are kept for its backward part, in ascending order of recomputation cost.
enum class Rematerialisation : std::uint8_t {
  none,  ///< all values that the backward part reads
  ops,   ///< all that the compiler does not choose, op by op (sw/compiler/recompute.h)
  dots,  ///< results of dots and convolutions, and values that pass between layers
  /// As dots, but for results of dots with batch dimensions: JAX's dots_with_no_batch_dims_saveable.
  unbatched_dots,
  layer,  ///< values that pass between layers
};
std::string_view to_string(Rematerialisation policy);

/// Counts are per training step.
struct RematerialisedModule {
  Module module;
  std::int64_t instructions = 0;  ///< instructions that are recomputed
  double flops = 0;               ///< XLA's count of their FLOPs
};

/// Applies `dots`, `unbatched_dots` or `layer` to the entry of a global training step, before it is partitioned, laid
/// out and fused.
///
/// An instruction's layer is the part of its op_name up to the last component "layer<N>" or "block<N>"; its backward
/// part has op_names under "gradients/". A forward value of a layer that the policy does not keep and that the layer's
/// backward part reads is cloned, together with the values that it is computed from, back to values that are kept:
/// results that leave the layer, parameters, results of other layers, results of collectives, infeeds and random
/// numbers. Clones precede their first reader and are named "rematerialised/<op_name>". They read kept values through
/// opt-barriers together with the gradient at which the layer's backward part begins, so that no later pass merges a
/// clone with its original or moves clones before that gradient. Values that are computed from constants alone are
/// shared. The result computes the same bits.
RematerialisedModule rematerialise(const Module& module, Rematerialisation policy);

/// Returns the layer of an op_name, "" if it has none: "gradients/encoder/layer3/attention" -> "encoder/layer3".
std::string_view layer_of(std::string_view op_name);

/// The part of a training step that an instruction belongs to: the forward part of a layer, or the backward part
/// including recomputed instructions. Views into the op_name.
struct LayerPart {
  std::string_view layer;  ///< "" if the instruction is in no layer
  bool backward = false;
  bool operator==(const LayerPart&) const = default;
};
LayerPart layer_part(std::string_view op_name);

/// The outcome of one policy.
struct RematerialisationTrial {
  Rematerialisation policy = Rematerialisation::none;
  base::Bytes peak;  ///< device memory
  double flops = 0;  ///< recomputed
};

}  // namespace podsim::hlo::transform
