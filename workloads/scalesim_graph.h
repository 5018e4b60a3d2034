// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/graph.h"
#include "workloads/scalesim_topology.h"

namespace podsim::workloads {

/// A layer by itself, operands and result in bf16: a convolution of an image [1, height, width, channels] with
/// [filter height, filter width, channels, filters], or a dot of [m, k] with [k, n]. Where the last window hangs over
/// the edge of the image, zeros stand there, so that the layer has the multiply-accumulates of the file.
sw::Module scalesim_layer_module(const ScaleSimLayer& layer);

}  // namespace podsim::workloads
