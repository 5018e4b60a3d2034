// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "hw/machine.h"
#include "hw/tile_op.h"
#include "sw/codegen/builder/kernel_builder.h"

namespace podsim::sw::codegen::builder {

/// Counts the work of the vector and cross-lane units in straight-line code, in the bundles that it is scheduled to. A
/// push to the transcendental unit also takes a vector slot and counts as both.
hw::TilePhase issued_work(const hw::Machine& machine, const std::function<void(KernelBuilder&)>& code);

/// Counts the work of one repeat of `code`, which writes its work `repeats` times. Preparations that `code` writes once
/// are not counted.
hw::TilePhase repeated_work(const hw::Machine& machine,
                            const std::function<void(KernelBuilder&, std::int64_t repeats)>& code);

/// Multiples and sums of work, as one phase.
hw::TilePhase times(std::int64_t count, const hw::TilePhase& phase);
hw::TilePhase sum(const hw::TilePhase& a, const hw::TilePhase& b);

/// Phases of a loop of `count` iterations of this work. If the work uses the cross-lane unit, the vector work of the
/// first iteration is a separate phase, since the cross-lane unit is idle during it.
std::vector<hw::TilePhase> loop_phases(std::int64_t count, const hw::TilePhase& iteration);

}  // namespace podsim::sw::codegen::builder
