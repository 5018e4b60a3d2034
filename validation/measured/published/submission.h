// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "validation/measured/published/published_steps.h"

/// What Google's MLPerf submissions on TPUs configured, by their published code and scripts.
namespace podsim::validation::measured::published {

/// Settings of the workload, "model.gradient_type=f32", of a step whose source names a submission, "MLPERF v0.6
/// tpu-v3-32" (the number is that of cores):
///   - In which type gradients are summed over cores: f32 where the row itself says "f32 gradients", in versions 0.5
///   and 0.6 for ResNet-50, SSD, Mask R-CNN and
///     GNMT, for the Transformer from 128 cores on, and for BERT of version 0.7 on 32 cores.
///   - How many cores share the statistics of SSD's batch norms in version 0.6: 2, 8, 16 and 16 on 32, 128, 256 and 512
///     cores, and 8 or 16 groups of the cores that share an image on 1024 and 2048.
std::vector<std::string> submitted_settings(const PublishedStep& step);

}  // namespace podsim::validation::measured::published
