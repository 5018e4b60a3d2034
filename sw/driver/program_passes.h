// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/driver/compilation.h"

/// The passes of every program that are not functions of the compiler's own: its part, its memory, its order.
namespace podsim::sw::driver {

/// Finds out what the arguments of a step are, and replaces it by its forward part if that is to be compiled: up to its
/// predictions for inference, or up to its loss if they are not known. A forward pass is that already. InputError if
/// nothing tells the forward part from the rest.
void take_part(Compilation& compilation);
/// Makes weights of what the program computes from weights alone (hlo/weights/folded_weights.h). InputError as for
/// type_weights().
void fold_weights(Compilation& compilation);
/// Gives the network's parameters the type that is asked for (hlo/weights/typed_weights.h). InputError if the program
/// is scheduled, or nothing tells its parameters from its inputs.
void type_weights(Compilation& compilation);
/// Replaces factorisations by programs, but for custom calls that have a price.
void expand_factorisations(Compilation& compilation);
/// Runs ops once more whose results would not fit into memory until they are read.
void recompute(Compilation& compilation);
/// Splits collectives into start and done, with other work between them.
void overlap(Compilation& compilation);
/// Keeps values in VMEM, if the machine sets a part of it aside.
void place_values(Compilation& compilation);
/// Adds up the memory, the state and the batch of a core.
void account(Compilation& compilation);
/// Throws OutOfMemory if the step needs more memory than a core has.
void require_memory(const Compilation& compilation);
/// Makes the program of ops and collectives.
void lower(Compilation& compilation);

}  // namespace podsim::sw::driver
