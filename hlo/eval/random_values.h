// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "hlo/graph.h"
#include "hlo/literal.h"

namespace podsim::hlo::eval {

/// Evaluates rng-bit-generator: returns random bits and the next state. The state is a key and a counter of 64 bits
/// each (ThreeFry), or a key and a counter of 128 bits whose upper half may be missing (Philox, also used for the
/// platform's default algorithm). Counters and bits are laid out as in XLA: ThreeFry's two words are the even and odd
/// elements of the first dimension of even size (of the largest dimension if there is none), and Philox's four words
/// are adjacent. In 64-bit elements the earlier word is the lower half.
Literal evaluate_rng_bit_generator(const Instruction& instruction, const Literal& state);

/// Evaluates rng: uniform in [a, b) or normal with mean a and standard deviation b, drawn by Philox with `seed` as its
/// key. `stream` distinguishes instructions.
Literal evaluate_rng(const Instruction& instruction, const Literal& a, const Literal& b, std::uint64_t seed,
                     std::uint64_t stream);

}  // namespace podsim::hlo::eval
