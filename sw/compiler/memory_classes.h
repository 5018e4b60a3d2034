// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "hlo/graph.h"
#include "hlo/transform/forward_part.h"

namespace podsim::sw::compiler {

/// What the live memory of a core is for while an instruction runs; padding is in every other figure.
struct MemoryClasses {
  base::Bytes weights;      ///< trained parameters; all arguments if nothing tells them apart
  base::Bytes slots;        ///< of the optimiser
  base::Bytes caches;       ///< cached tokens of a decoder
  base::Bytes inputs;       ///< other arguments: the batch
  base::Bytes activations;  ///< computed in the forward part
  base::Bytes gradients;    ///< computed behind it, with the sizes of a trained parameter
  base::Bytes temporaries;  ///< all others
  base::Bytes padding;      ///< beyond the elements of all these
};

/// The classes of the arrays that are live (memory_account.h) at an instruction of the entry. `kinds` has one for each
/// entry parameter, std::nullopt if they are not known. The forward part is what the results that replace no parameter
/// need (hlo/transform/forward_part.h); of a program that trains nothing it is all.
MemoryClasses memory_classes(const hlo::Module& module, std::span<const hlo::Donation> donations,
                             const std::optional<std::vector<hlo::transform::ArgumentKind>>& kinds,
                             hlo::InstructionId position);

/// "weights 1.3 GB, slots 2.7 GB, activations 9.1 GB; 0.2 GB of them padding": what is not 0.
std::string to_string(const MemoryClasses& classes);

}  // namespace podsim::sw::compiler
