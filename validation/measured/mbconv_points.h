// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "validation/measured/point.h"
#include "validation/measured/silicon.h"

namespace podsim::validation::measured {

/// The mobile networks of Accel-NASBench, images per second of one core: mbconv_inference.csv. A batch is 128 images on
/// v3 and 64 on v2. A step is the time of the core (workloads/models/mbconv.h) and that of the host, which traces the
/// network anew in every step and waits for the core: host.traced_step and host.traced_op. The third class is the ratio
/// of v3's rate to v2's.
std::vector<PointClass> mbconv_points(const std::string& file, std::string_view text, Silicon& silicon);

}  // namespace podsim::validation::measured
