// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "validation/measured/point.h"
#include "validation/measured/silicon.h"

namespace podsim::validation::measured {

/// Published rates of inference on TPU v3, in images per second of a core: inference.csv. The batch is that of a core,
/// or "best": the rate is the best of those at 64, 128 and 256 images. Networks whose name begins with "resnet50",
/// "mixer_b16" or "bit_resnet50" are modelled, the last two with activations of the type in `dtype`, up to the loss.
/// Their batch and type of activations are not published, so they have no weight in fits. Images are in the HBM: the
/// host is not part of the time.
std::vector<PointClass> inference_points(const std::string& file, std::string_view text, Silicon& silicon);

}  // namespace podsim::validation::measured
