// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

/// Random bits as a function of a counter and a key, after J. K. Salmon et al., "Parallel random numbers: as easy as 1,
/// 2, 3", SC 2011.
namespace podsim::hlo::eval::whole {

/// ThreeFry-2x32 with 20 rounds.
std::array<std::uint32_t, 2> three_fry(std::array<std::uint32_t, 2> counter, std::array<std::uint32_t, 2> key);

/// Philox-4x32 with 10 rounds.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

}  // namespace podsim::hlo::eval::whole
