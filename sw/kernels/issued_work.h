// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "hw/machine.h"
#include "hw/tile_op.h"
#include "sw/kernels/kernel_builder.h"

namespace podsim::sw {

/// The work of the vector and cross-lane units in straight-line code, counted in the bundles that it becomes. A push to
/// the transcendental unit takes a slot of the vector ALUs too and counts as both.
hw::TilePhase issued_work(const hw::Machine& machine, const std::function<void(KernelBuilder&)>& code);

/// The same of what `code` writes `repeats` times, for one repeat: what it prepares before is not counted.
hw::TilePhase repeated_work(const hw::Machine& machine,
                            const std::function<void(KernelBuilder&, std::int64_t repeats)>& code);

/// `count` times the work; the work of both, in one phase.
hw::TilePhase times(std::int64_t count, const hw::TilePhase& phase);
hw::TilePhase sum(const hw::TilePhase& a, const hw::TilePhase& b);

/// A loop of `count` iterations of this work. Where it goes through the cross-lane unit, the vector work of the first
/// iteration is a phase of its own, as that unit has nothing to do before.
std::vector<hw::TilePhase> loop_phases(std::int64_t count, const hw::TilePhase& iteration);

}  // namespace podsim::sw
