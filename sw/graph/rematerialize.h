// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "sw/graph/graph.h"

/// Rematerialisation: a layer's forward values are computed once more inside its backward part instead of being kept
/// from one to the other (Chen et al. 2016; GPipe 2019).
namespace podsim::sw {

/// What is kept of a layer for its backward part; by rising cost.
enum class Rematerialisation : std::uint8_t {
  none,   ///< everything that is read there
  dots,   ///< results of dots and convolutions, and what goes from layer to layer
  layer,  ///< what goes from layer to layer
};
std::string_view to_string(Rematerialisation policy);

/// Counted over a training step.
struct RematerialisedModule {
  Module module;
  std::int64_t instructions = 0;  ///< computed once more
  double flops = 0;               ///< XLA's count of them
};

/// Applies a policy to the entry of a global training step, before it is partitioned, laid out and fused.
///
/// An instruction's layer is the part of its op_name up to the last component "layer<N>" or "block<N>"; its backward
/// part is under "gradients/". A forward value of a layer that instructions of its backward part read, and that the
/// policy does not keep, is cloned together with what it is computed from, back to values that are kept: results that
/// leave the layer, parameters, what other layers made, results of collectives, infeeds and random numbers. Clones
/// stand right before their first reader, named "rematerialised/<op_name>", and read kept values through opt-barriers
/// together with the gradient that the layer's backward part begins with, so that no later pass takes a clone and its
/// original for one, or puts clones before that; what is made of constants alone is shared. The result computes the
/// same bits.
RematerialisedModule rematerialise(const Module& module, Rematerialisation policy);

/// The layer of an op_name, "" where it has none: "gradients/encoder/layer3/attention" -> "encoder/layer3".
std::string_view layer_of(std::string_view op_name);

/// Where in a training step an instruction belongs: a layer's forward part, or its backward part with what is computed
/// once more for it. Views into the op_name.
struct LayerPart {
  std::string_view layer;  ///< "": none
  bool backward = false;
  bool operator==(const LayerPart&) const = default;
};
LayerPart layer_part(std::string_view op_name);

/// One policy tried.
struct RematerialisationTrial {
  Rematerialisation policy = Rematerialisation::none;
  base::Bytes peak;  ///< of device memory
  double flops = 0;  ///< computed once more
};
struct RematerialisationChoice {
  RematerialisedModule chosen;
  std::vector<RematerialisationTrial> trials;  ///< in order; the last one is what was chosen
};

/// The cheapest policy under which `peak` of the module is within the capacity; the last one where none is.
/// `peak` compiles and accounts (memory_account.h).
RematerialisationChoice rematerialise_to_fit(const Module& module, base::Bytes capacity,
                                             const std::function<base::Bytes(const Module&)>& peak);

}  // namespace podsim::sw
