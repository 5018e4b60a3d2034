// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/graph.h"
#include "hlo/spmd/mesh/sharding_file.h"
#include "hlo/spmd/partition/partitioner.h"
#include "hlo/spmd/propagate/propagation.h"
#include "hlo/text/graph/to_graph.h"
#include "hlo/text/printer.h"
#include "hlo/text/reader.h"
#include "hlo/transform/flops.h"
#include "hlo/transform/gradient.h"

/// Programs of XLA as a library, without any hardware, in one header: read, build, check, print, evaluate, count,
/// differentiate, partition.
namespace podsim::hlo::api {

/// The graph of the last module of a text: HLO text, a protobuf of HLO, or StableHLO as MLIR text. `file` is its name
/// in messages. Throws base::InputError with the locations of all errors, also if there is no module.
hlo::Module read_graph(const std::string& file, std::string text);

}  // namespace podsim::hlo::api
