// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/graph.h"
#include "sw/hlo/module.h"

namespace podsim::sw::hlo {

/// Sets a graph's replicas and partitions: what the header of `module` counts, else as many as collectives and
/// shardings name, at least 1. Then an all-reduce, all-gather or reduce-scatter with a channel id whose groups are of
/// replicas, each with all its partitions, gets groups of flat ids instead.
void number_devices(const Module& module, sw::Module& graph);

}  // namespace podsim::sw::hlo
