// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/graph.h"
#include "sw/hlo/module.h"

namespace podsim::sw::hlo {

/// The graph that a module's text means: computations with callees first, every attribute that graph.h holds.
///
/// Asynchronous pairs come in one form whatever the text's (`all-reduce-start`, `copy-start`, `fusion-start`,
/// `async-start` of a computation that holds one op): see AsyncPhase; `-update` is left out. A computation of several
/// ops that is started asynchronously is a call with a phase; a start to which an `-update` brings operands stands at
/// that. A dynamic dimension has its bound. An elided constant has
/// no literal. Trip counts are those stated in backend_config, else as trip_count.h finds them. Partitions and replicas
/// that the header does not count are as many as shardings and groups name, and groups of replicas that run over all
/// partitions (a channel id without use_global_device_ids) become groups of flat ids.
///
/// Shapes are as they are written: whether they follow from the operands is for check_shapes to say.
///
/// Throws base::InputError at the instruction whose attributes or literal the graph cannot hold.
sw::Module to_graph(const Module& module);

}  // namespace podsim::sw::hlo
