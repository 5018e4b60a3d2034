// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sw/graph/graph.h"
#include "sw/graph/literal.h"

namespace podsim::sw {

/// rng-bit-generator: random bits and the state behind them. The state is a key and a counter of 64 bits each
/// (ThreeFry), or a key and a counter of 128 bits whose upper half may be left out (Philox, and what is left to the
/// platform). Counters and bits are laid out as XLA does: ThreeFry's two words are the even and odd elements of the
/// first dimension of even size (the largest where none is), Philox's four words follow each other; 64-bit elements
/// have the earlier word below.
Literal evaluate_rng_bit_generator(const Instruction& instruction, const Literal& state);

/// rng: uniform of [a, b) or normal of mean a and standard deviation b, drawn by Philox with `seed` as its key;
/// `stream` tells instructions apart.
Literal evaluate_rng(const Instruction& instruction, const Literal& a, const Literal& b, std::uint64_t seed,
                     std::uint64_t stream);

}  // namespace podsim::sw
