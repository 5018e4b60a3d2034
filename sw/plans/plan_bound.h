// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/spmd/propagate/classed_program.h"
#include "sw/plans/sharding_plan.h"
#include "sw/target_machine.h"

namespace podsim::sw::plans {

/// A time that no step under a plan is shorter than, in seconds: the longer of
///
///   products   their FLOPs over the peak of the matrix units, each in as many parts as the axes make that divide one
///   of
///              its arrays; of a dot whose dimensions are 64 or more, with what they leave empty in a matrix unit.
///              Branches of conditionals are left out
///   update     what ops elementwise rewrite of what is kept (KeptArrays::rewritten), read and written once at the rate
///   of
///              the HBM; left out if updates are sharded (--weight-update-sharding), which keeps less than the plan
///              says
///
/// Collectives are left out, so it holds for every placement of the mesh, every overlap, order of ops and fusion.
double least_step_s(const ShardingPlan& plan, const hlo::spmd::propagate::ClassedProgram& program,
                    const TargetMachine& machine, bool sharded_updates);

}  // namespace podsim::sw::plans
