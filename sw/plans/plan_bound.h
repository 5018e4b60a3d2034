// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/spmd/propagate/classed_program.h"
#include "noc/topology.h"
#include "sw/plans/sharding_plan.h"
#include "sw/target_machine.h"

namespace podsim::sw::plans {

/// A time that no step under a plan is shorter than, in seconds:
///
///   max(products, update) + sums of gradients, these left out if collectives overlap with other work
///
///   products   FLOPs over the peak of the matrix units, of as few parts of a product as the axes that divide one of
///   its
///              arrays can make; rows and columns of a matrix unit that a dimension does not fill are counted
///   update     what is kept, read and written once at the rate of the HBM
///   sums       of a gradient over the cores whose parts it is the sum of: a chip sends and receives a share of (n - 1)
///   / n
///              of it, n chips being in the group at least, over all its links at once, in 16 bits or less
///
/// A product may also be whole along an axis, if that is shorter. Left out is all else, so it holds for every placement
/// of the mesh, every order of ops and every fusion. It does not hold for updates of shards
/// (--weight-update-sharding), which keep less than the plan says.
double least_step_s(const ShardingPlan& plan, const hlo::spmd::propagate::ClassedProgram& program,
                    const TargetMachine& machine, const noc::Topology& slice, bool overlaps);

}  // namespace podsim::sw::plans
