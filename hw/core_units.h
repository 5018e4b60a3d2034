// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/parts/cross_lane/cross_lane_unit.h"
#include "hw/parts/custom/custom_part.h"
#include "hw/parts/mxu/mxu_unit.h"
#include "hw/parts/scalar/scalar_unit.h"
#include "hw/parts/unit_list.h"
#include "hw/parts/vector/vector_unit.h"

namespace podsim::hw {

using Mxu = parts::mxu::Unit;
using Vector = parts::vector::Unit;
using CrossLane = parts::cross_lane::Unit;
using Scalar = parts::scalar::Unit;
/// The unit that the program has registered, if it has (parts/custom/custom_unit.h).
using Custom = parts::custom::Unit;

using MxuWork = Mxu::Work;
using VectorWork = Vector::Work;
using CrossLaneWork = CrossLane::Work;
using ScalarWork = Scalar::Work;
using CustomWork = Custom::Work;

/// The units of a core that work on the tiles of an op. A unit is added here; its section of the machine, the work of
/// phases, the port of the sequencer, its module, its bound and its statistics follow.
using CoreUnits = parts::UnitList<Mxu, Vector, CrossLane, Scalar, Custom>;

template <class Unit>
using CyclesOf = base::Cycles;
/// Cycles of each unit, summed over a core's units of its kind.
using UnitCycles = CoreUnits::Per<CyclesOf>;

inline void add(const UnitCycles& more, UnitCycles& sum) {
  CoreUnits::for_each([&](auto unit) {
    using Unit = typename decltype(unit)::type;
    sum.of<Unit>() += more.of<Unit>();
  });
}

}  // namespace podsim::hw
