// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/boxes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/literals.h"

namespace podsim::workloads::layers {
namespace {

using hlo::ElementType;
using hlo::InstructionId;
using hlo::Literal;
using hlo::build::GraphBuilder;

using Box = std::array<double, 4>;  // top, left, bottom, right

std::vector<Box> random_boxes(unsigned seed, std::size_t count, double size) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> place(0, size), length(1, size / 3);
  std::vector<Box> boxes(count);
  for (Box& box : boxes) {
    box[0] = place(generator), box[1] = place(generator);
    box[2] = box[0] + length(generator), box[3] = box[1] + length(generator);
  }
  return boxes;
}

Literal literal_of(const std::vector<std::vector<Box>>& images) {
  std::vector<double> values;
  for (const std::vector<Box>& boxes : images) {
    for (const Box& box : boxes) values.insert(values.end(), box.begin(), box.end());
  }
  return hlo::testing::make_literal(ElementType::f64, {std::int64_t(images.size()), std::int64_t(images[0].size()), 4},
                                    values);
}

/// Intersection over union.
double overlap_of(const Box& a, const Box& b) {
  const double height = std::min(a[2], b[2]) - std::max(a[0], b[0]);
  const double width = std::min(a[3], b[3]) - std::max(a[1], b[1]);
  if (height <= 0 || width <= 0) return 0;
  const auto area = [](const Box& box) { return (box[2] - box[0]) * (box[3] - box[1]); };
  return height * width / (area(a) + area(b) - height * width);
}

Literal evaluated(const std::vector<Literal>& arguments,
                  const std::function<InstructionId(GraphBuilder&, const std::vector<InstructionId>&)>& write) {
  GraphBuilder b("test");
  std::vector<InstructionId> parameters;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    parameters.push_back(b.parameter(arguments[i].shape, "x" + std::to_string(i)));
  }
  const InstructionId root = write(b, parameters);
  const hlo::Module module = std::move(b).build(root);
  hlo::build::verify(module);
  return hlo::eval::evaluate(module, arguments);
}

TEST(Boxes, OverlapsAreIntersectionsOverUnions) {
  const std::vector<Box> first = random_boxes(1, 7, 30), second = random_boxes(2, 5, 30);
  const Literal found = evaluated({literal_of({first}), literal_of({second})}, [](GraphBuilder& b, const auto& x) {
    return overlaps(b, boxes_of(b, x[0]), boxes_of(b, x[1]));
  });
  for (std::size_t i = 0; i < first.size(); ++i) {
    for (std::size_t j = 0; j < second.size(); ++j) {
      EXPECT_NEAR(found.values[i * second.size() + j], overlap_of(first[i], second[j]), 1e-12);
    }
  }
}

// A target's shifts from a box lead from the box to the target.
TEST(Boxes, ShiftsLeadToTheTarget) {
  const std::vector<Box> from = random_boxes(3, 9, 40), to = random_boxes(4, 9, 40);
  const Literal found = evaluated({literal_of({from}), literal_of({to})}, [](GraphBuilder& b, const auto& x) {
    const Boxes boxes = boxes_of(b, x[0]);
    return coordinates_of(b, shifted_boxes(b, boxes, shifts_between(b, boxes, boxes_of(b, x[1]), 1, 1), 100, 100));
  });
  for (std::size_t i = 0; i < to.size(); ++i) {
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(found.values[4 * i + k], to[i][k], 1e-9);
  }
  const Literal clipped = evaluated({literal_of({from}), literal_of({to})}, [](GraphBuilder& b, const auto& x) {
    const Boxes boxes = boxes_of(b, x[0]);
    return coordinates_of(b, shifted_boxes(b, boxes, shifts_between(b, boxes, boxes_of(b, x[1]), 1, 1), 20, 10));
  });
  for (std::size_t i = 0; i < to.size(); ++i) {
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_NEAR(clipped.values[4 * i + k], std::min(to[i][k], k % 2 == 0 ? 20.0 : 10.0), 1e-9);
    }
  }
}

TEST(Boxes, ScalesDivideShifts) {
  const Literal found = evaluated(
      {literal_of({{{0, 0, 10, 20}}}), literal_of({{{5, 0, 25, 20}}})},
      [](GraphBuilder& b, const auto& x) { return shifts_between(b, boxes_of(b, x[0]), boxes_of(b, x[1]), 0.1, 0.2); });
  // The centre moves by 10 of 10 rows, and the height doubles.
  EXPECT_NEAR(found.values[0], 10, 1e-12);
  EXPECT_NEAR(found.values[1], 0, 1e-12);
  EXPECT_NEAR(found.values[2], std::log(2) / 0.2, 1e-12);
  EXPECT_NEAR(found.values[3], 0, 1e-12);
}

/// The sequential algorithm.
std::vector<bool> kept_one_by_one(const std::vector<Box>& boxes, double threshold) {
  std::vector<bool> kept(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    kept[i] = true;
    for (std::size_t j = 0; j < i; ++j) kept[i] = kept[i] && !(kept[j] && overlap_of(boxes[i], boxes[j]) > threshold);
  }
  return kept;
}

TEST(Boxes, SuppressionKeepsWhatTheSequentialAlgorithmKeeps) {
  std::size_t suppressed = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const std::vector<std::vector<Box>> images{random_boxes(seed, 40, 30), random_boxes(seed + 100, 40, 30)};
    const Literal found = evaluated({literal_of(images)}, [](GraphBuilder& b, const auto& x) {
      return kept_boxes(b, boxes_of(b, x[0]), 0.3, 40);  // no chain is longer than all boxes
    });
    for (std::size_t image = 0; image < images.size(); ++image) {
      const std::vector<bool> expected = kept_one_by_one(images[image], 0.3);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(found.values[image * expected.size() + i] != 0, expected[i]) << seed << " " << image << " " << i;
        suppressed += expected[i] ? 0 : 1;
      }
    }
  }
  EXPECT_GT(suppressed, 100U) << "boxes that never overlap say nothing";
}

// Boxes in a row, each overlapping the next: every second one is kept, and each trip settles one more.
TEST(Boxes, ATripSettlesOneMoreBoxOfAChain) {
  std::vector<Box> chain;
  for (double i = 0; i < 5; ++i) chain.push_back({0, 4 * i, 10, 4 * i + 10});
  const auto kept = [&](std::int64_t trips) {
    return evaluated({literal_of({chain})},
                     [&](GraphBuilder& b, const auto& x) { return kept_boxes(b, boxes_of(b, x[0]), 0.4, trips); })
        .values;
  };
  EXPECT_EQ(kept(5), (std::vector<double>{1, 0, 1, 0, 1}));
  EXPECT_EQ(kept(1), (std::vector<double>{1, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace podsim::workloads::layers
