// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"
#include "workloads/scalesim/scalesim_topology.h"

namespace podsim::workloads::scalesim {

/// A module with a single layer, operands and result in bf16: a convolution of an image [1, height, width, channels]
/// with [filter height, filter width, channels, filters], or a dot of [m, k] with [k, n]. If the last window reaches
/// beyond the edge of the image, the image is padded with zeros, so that the layer has the multiply-accumulates of the
/// file.
hlo::Module scalesim_layer_module(const ScaleSimLayer& layer);

}  // namespace podsim::workloads::scalesim
