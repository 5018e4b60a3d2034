// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "noc/folded_topology.h"

namespace podsim::sw::runtime {

/// Level of detail of cores. tile: every op on every core as a pipeline of tiles, executed by the SystemC modules of
/// the core's units. replay: each distinct op once, and its duration wherever it recurs. automatic ("auto"): tile on
/// chosen chips, replay on the others. chip: as auto for the first chip, with the DMAs of its ops through the parts of
/// the chip: granules, on-chip switch and banks instead of streams.
enum class Detail { automatic, tile, replay, chip };

std::string to_string(Detail detail);
/// Throws InputError with the nearest name for an unknown name.
Detail parse_detail(std::string_view name);

/// By simulated chip: whether it is at tile detail. At automatic and chip those are that match one of the patterns
/// (base/text/glob.h) of names such as "chip(0,0)", of which a folded one is simulated by its representative; without
/// patterns, the first chip.
std::vector<bool> real_chips(Detail detail, const std::vector<std::string>& patterns,
                             const noc::FoldedTopology& topology);

}  // namespace podsim::sw::runtime
