// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"
#include "hlo/text/module.h"

namespace podsim::hlo::text::graph {

/// Sets a graph's replicas and partitions: the numbers in the header of `module`. One that is missing or 1, which texts
/// may leave out, is as many as collectives and shardings name, at least 1. Then converts the groups of every
/// all-reduce, all-gather and reduce-scatter that has a channel id but not use_global_device_ids: such groups are of
/// replicas with all their partitions, and become groups of flat ids.
void number_devices(const Module& module, hlo::Module& graph);

}  // namespace podsim::hlo::text::graph
