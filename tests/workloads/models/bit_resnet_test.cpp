// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/bit_resnet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "tests/workloads/by_name.h"
#include "tests/workloads/models/images.h"
#include "tests/workloads/slopes.h"
#include "tests/workloads/tiny.h"

namespace podsim::workloads::models {
namespace {

BitResNetOptions tiny_bit_resnet() {
  BitResNetOptions options;
  options.batch = 2;
  options.image_size = 32;
  options.classes = 3;
  options.width = 4;
  options.blocks = {1, 1, 1, 1};
  options.groups = 2;
  options.precision = testing::double_precision();
  options.optimizer = testing::plain_gradient();
  return options;
}

using Tensors = std::map<std::string, hlo::Literal>;
using testing::Images;

/// The network in loops over numbers.
class ReferenceBitResNet {
 public:
  ReferenceBitResNet(const BitResNetOptions& options, const Tensors& tensors) : o_(options), tensors_(tensors) {}

  double loss() const {
    Images x(o_.batch, o_.image_size, 3);
    x.values = tensors_.at("images").values;
    x = pooled(convolved("stem", x, o_.width, 7, 2));
    for (std::size_t group = 0; group < 4; ++group) {
      for (std::int64_t block = 0; block < o_.blocks[group]; ++block) {
        const std::string scope = "layer" + std::to_string(group + 1) + "/block" + std::to_string(block) + "/";
        const std::int64_t width = o_.width << group, stride = group > 0 && block == 0 ? 2 : 1;
        const Images y = bent(scope + "norm1", x);
        const Images shortcut = block == 0 ? convolved(scope + "projection", y, 4 * width, 1, stride) : x;
        const Images narrow = bent(scope + "norm2", convolved(scope + "conv1", y, width, 1, 1));
        const Images wide = bent(scope + "norm3", convolved(scope + "conv2", narrow, width, 3, stride));
        x = convolved(scope + "conv3", wide, 4 * width, 1, 1);
        for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] += shortcut.values[i];
      }
    }
    return testing::mean_cross_entropy(bent("norm", x), tensor("head/kernel"), tensor("head/bias"), tensor("labels"));
  }

 private:
  const std::vector<double>& tensor(const std::string& name) const { return tensors_.at(name).values; }

  Images convolved(const std::string& name, const Images& x, std::int64_t filters, std::int64_t size,
                   std::int64_t stride) const {
    std::vector<double> w = tensor(name + "/kernel");
    const std::size_t elements = w.size() / std::size_t(filters);
    for (std::size_t f = 0; f < std::size_t(filters); ++f) {
      double mean = 0, variance = 0;
      for (std::size_t i = 0; i < elements; ++i) mean += w[i * std::size_t(filters) + f] / double(elements);
      for (std::size_t i = 0; i < elements; ++i) {
        variance += std::pow(w[i * std::size_t(filters) + f] - mean, 2) / double(elements);
      }
      for (std::size_t i = 0; i < elements; ++i) {
        double& element = w[i * std::size_t(filters) + f];
        element = (element - mean) / std::sqrt(variance + 1e-10);
      }
    }
    return testing::convolved(x, w, filters, size, stride);
  }

  /// Maxima of windows of 3 x 3 with a stride of two; an odd row of padding is at the end.
  static Images pooled(const Images& x) {
    Images y(x.batch, x.rows / 2, x.channels);
    for (std::int64_t b = 0; b < x.batch; ++b) {
      for (std::int64_t place = 0; place < y.rows * y.rows; ++place) {
        for (std::int64_t c = 0; c < x.channels; ++c) {
          double most = -1e9;
          for (std::int64_t tap = 0; tap < 9; ++tap) {
            const std::int64_t row = place / y.rows * 2 + tap / 3, column = place % y.rows * 2 + tap % 3;
            if (x.has(row, column)) most = std::max(most, x.at(b, row, column, c));
          }
          y.at(b, place / y.rows, place % y.rows, c) = most;
        }
      }
    }
    return y;
  }

  Images bent(const std::string& name, const Images& x) const {
    Images y = x;
    const std::int64_t width = x.channels / o_.groups;
    for (std::int64_t b = 0; b < x.batch; ++b) {
      for (std::int64_t group = 0; group < o_.groups; ++group) {
        double sum = 0, squares = 0;
        const double count = double(x.rows * x.rows * width);
        const auto each = [&](const auto& visit) {
          for (std::int64_t place = 0; place < x.rows * x.rows; ++place) {
            for (std::int64_t c = group * width; c < (group + 1) * width; ++c) visit(place / x.rows, place % x.rows, c);
          }
        };
        each([&](std::int64_t r, std::int64_t k, std::int64_t c) { sum += x.at(b, r, k, c); });
        const double mean = sum / count;
        each([&](std::int64_t r, std::int64_t k, std::int64_t c) { squares += std::pow(x.at(b, r, k, c) - mean, 2); });
        const double scale = 1 / std::sqrt(squares / count + 1e-5);
        each([&](std::int64_t r, std::int64_t k, std::int64_t c) {
          const double normal = (x.at(b, r, k, c) - mean) * scale * tensor(name + "/gamma")[std::size_t(c)];
          y.at(b, r, k, c) = std::max(normal + tensor(name + "/beta")[std::size_t(c)], 0.0);
        });
      }
    }
    return y;
  }

  const BitResNetOptions& o_;
  const Tensors& tensors_;
};

TEST(BitResNet, HasTheLossOfTheFormulas) {
  const BitResNetOptions options = tiny_bit_resnet();
  const hlo::Module module = bit_resnet_forward(options);
  hlo::build::verify(module);
  const std::vector<hlo::Literal> arguments = testing::arguments_for(module, 1, double(options.classes));
  const double expected = ReferenceBitResNet(options, testing::by_name(module, arguments)).loss();
  EXPECT_NEAR(hlo::eval::evaluate(module, arguments).values[0], expected, 1e-9 * expected);
}

TEST(BitResNet, HasTheSlopesOfThatLoss) {
  const BitResNetOptions options = tiny_bit_resnet();
  const TrainingStep step = bit_resnet_training_step(options);
  testing::expect_slopes(step, testing::arguments_for(step.module, 1, double(options.classes)),
                         [&](const Tensors& tensors) { return ReferenceBitResNet(options, tensors).loss(); });
}

// ResNet-50 with the stride in the 3 x 3 convolutions takes 4.089e9 multiplications and additions an image; the images
// have no gradient.
TEST(BitResNet, TakesThePublishedFlops) {
  BitResNetOptions options;
  options.batch = 1;
  const double stem = 112.0 * 112 * 49 * 3 * 64;
  EXPECT_NEAR(bit_resnet_flops(options), 6 * 4.089e9 - 2 * stem, 0.01 * 6 * 4.089e9);
}

// 25,549,352: the parameters of the published checkpoint of BiT-S R50x1.
TEST(BitResNet, HasThePublishedNumberOfParameters) {
  const TrainingStep step = bit_resnet_training_step({});
  const hlo::Computation& entry = step.module.entry_computation();
  std::int64_t count = 0;
  for (std::size_t i = 0; i < step.donations.size() / 2; ++i) {
    count += entry[entry.parameters[std::size_t(step.donations[i].parameter)]].shape.element_count();
  }
  EXPECT_EQ(count, 25'549'352);
}

}  // namespace
}  // namespace podsim::workloads::models
