// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"
#include "hlo/text/module.h"

namespace podsim::hlo::text::graph {

/// Converts a module's text to a graph: computations with callees first, and all attributes that hlo/graph.h
/// represents.
///
/// All forms of asynchronous pairs (`all-reduce-start`, `copy-start`, `fusion-start`, `async-start` of a computation
/// with one op) become one form, see AsyncPhase; `-update` is dropped. A computation of several ops that is started
/// asynchronously is a call with a phase. If an `-update` brings further operands, the start is at its position. A
/// dynamic dimension has the size of its bound. An elided constant has no literal. Trip counts are those in
/// backend_config, else those that hlo/transform/trip_count.h derives. Partitions and replicas missing in the header
/// are as many as shardings and groups name, and groups of replicas with all their partitions (a channel id without
/// use_global_device_ids) become groups of flat ids.
///
/// Shapes are copied as written; check_shapes tests whether they follow from the operands.
///
/// Throws base::InputError at an instruction whose attributes or literal the graph cannot represent, and at a call that
/// makes calls nested more than 256 deep or, written out, a computation of more than 2^22 instructions.
hlo::Module to_graph(const Module& module);

}  // namespace podsim::hlo::text::graph
