// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/roi_align.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/literals.h"

namespace podsim::workloads::layers {
namespace {

using hlo::ElementType;
using hlo::InstructionId;
using hlo::Literal;

/// A map's value between four elements, as in the paper; outside the map it is that of the border.
double bilinear(const Literal& map, std::int64_t image, double y, double x, std::int64_t channel) {
  const std::int64_t rows = map.shape.dimensions[1], columns = map.shape.dimensions[2];
  const std::int64_t channels = map.shape.dimensions[3];
  y = std::clamp(y - 0.5, 0.0, double(rows - 1));
  x = std::clamp(x - 0.5, 0.0, double(columns - 1));
  const auto at = [&](std::int64_t r, std::int64_t c) {
    r = std::min(r, rows - 1), c = std::min(c, columns - 1);
    return map.values[std::size_t(((image * rows + r) * columns + c) * channels + channel)];
  };
  const auto r = std::int64_t(y), c = std::int64_t(x);
  const double down = y - double(r), right = x - double(c);
  return (1 - down) * ((1 - right) * at(r, c) + right * at(r, c + 1)) +
         down * ((1 - right) * at(r + 1, c) + right * at(r + 1, c + 1));
}

TEST(RoiAlign, BinsAreMeansOfBilinearSamples) {
  constexpr std::int64_t batch = 2, boxes = 3, rows = 6, columns = 5, channels = 2, bins = 3, samples = 2;
  hlo::build::GraphBuilder b("test");
  const InstructionId map = b.parameter(hlo::make_shape(ElementType::f64, {batch, rows, columns, channels}), "map");
  const auto ends = [&](const char* name) {
    return b.parameter(hlo::make_shape(ElementType::f64, {batch, boxes}), name);
  };
  const InstructionId top = ends("top"), bottom = ends("bottom"), left = ends("left"), right = ends("right");
  const InstructionId result = aligned(b, map, interpolation_weights(b, top, bottom, bins, samples, rows),
                                       interpolation_weights(b, left, right, bins, samples, columns));
  const hlo::Module module = std::move(b).build(result);
  hlo::build::verify(module);
  std::vector<Literal> arguments;
  const hlo::Computation& entry = module.entry_computation();
  for (unsigned i = 0; i < 5; ++i) {
    // Some boxes reach beyond the map.
    const double low = i == 0 ? -1 : i % 2 == 1 ? -1 : 3, high = i == 0 ? 1 : i % 2 == 1 ? 3 : 8;
    arguments.push_back(hlo::testing::random_literal(entry[entry.parameters[i]].shape, i + 1, low, high));
  }
  const Literal found = hlo::eval::evaluate(module, arguments);
  std::size_t place = 0;
  for (std::int64_t image = 0; image < batch; ++image) {
    for (std::int64_t box = 0; box < boxes; ++box) {
      const auto end = [&](std::size_t i) { return arguments[i].values[std::size_t(image * boxes + box)]; };
      const double height = (end(2) - end(1)) / bins, width = (end(4) - end(3)) / bins;
      for (std::int64_t bin = 0; bin < bins * bins; ++bin) {
        for (std::int64_t channel = 0; channel < channels; ++channel) {
          double sum = 0;
          for (std::int64_t sample = 0; sample < samples * samples; ++sample) {
            const double y = end(1) + height * (double(bin / bins) + (double(sample / samples) + 0.5) / samples);
            const double x = end(3) + width * (double(bin % bins) + (double(sample % samples) + 0.5) / samples);
            sum += bilinear(arguments[0], image, y, x, channel);
          }
          EXPECT_NEAR(found.values[place++], sum / (samples * samples), 1e-12);
        }
      }
    }
  }
}

}  // namespace
}  // namespace podsim::workloads::layers
