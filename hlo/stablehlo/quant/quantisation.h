// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace podsim::hlo::stablehlo::quant {

/// A quantised element type: an integer q stands for (q - zero point) times scale.
struct Quantisation {
  std::string storage;              ///< as MLIR writes it, "i8"
  std::string expressed;            ///< "f32"
  int axis = -1;                    ///< dimension along which scales differ; -1: one scale for all elements
  std::vector<std::string> scales;  ///< as written, one or one for each index along the axis
  std::vector<std::int64_t> zero_points;
  std::optional<std::int64_t> least, most;  ///< integers in use, if not all of the storage type
};

/// Reads what is between the angle brackets of !quant.uniform<...>: "i8:f32, 0.1:3", "i8<-127:127>:f32:1, {0.1:3,
/// 0.2}". std::nullopt if it is not of this form, if bounds or a zero point are no integers of the storage type, which
/// has at most 32 bits, or if a scale is not a positive number.
std::optional<Quantisation> read_quantisation(std::string_view text);

}  // namespace podsim::hlo::stablehlo::quant
