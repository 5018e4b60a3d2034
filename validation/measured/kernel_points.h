// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "validation/measured/point.h"
#include "validation/measured/silicon.h"

namespace podsim::validation::measured {

/// Single kernels in f32 on one core of TPU v3, in cycles: kernels.csv. Kernels are gemm MxNxK, conv2d with sizes as in
/// "N64 H28 W28 Cin128 Cout128 K3 stride1 pad1", layernorm and softmax of ROWSxCOLUMNS.
std::vector<PointClass> kernel_points(const std::string& file, std::string_view text, Silicon& silicon);

/// Attention of heads in f32, softmax(q k') v, on one core: rows of kind "kernel" of v3_points.csv, whose configuration
/// is "attention HEADS x POSITIONS x FEATURES; ..." and whose value is cycles at 940 MHz.
std::vector<PointClass> attention_points(const std::string& file, std::string_view text, Silicon& silicon);

}  // namespace podsim::validation::measured
