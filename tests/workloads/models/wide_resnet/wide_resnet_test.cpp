// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/wide_resnet/wide_resnet.h"

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

namespace podsim::workloads::models::wide_resnet {
namespace {

WideResNetOptions tiny_wide_resnet() {
  WideResNetOptions options;
  options.batch = 2;
  options.image_size = 8;
  options.classes = 3;
  options.depth = 10;
  options.widen = 1;
  options.precision = testing::double_precision();
  options.optimizer = testing::plain_gradient();
  return options;
}

using WideTensors = std::map<std::string, hlo::Literal>;
using testing::Images;

/// The network in loops over numbers.
class ReferenceWideResNet {
 public:
  ReferenceWideResNet(const WideResNetOptions& options, const WideTensors& tensors) : o_(options), tensors_(tensors) {}

  double loss() const {
    Images x(o_.batch, o_.image_size, 3);
    x.values = tensor("images");
    x = weighed("stem", x, 16, 3, 1);
    for (int group = 1; group <= 3; ++group) {
      const std::int64_t width = o_.widen * (8 << group);
      for (std::int64_t block = 0; block < (o_.depth - 4) / 6; ++block) {
        const std::string scope = "group" + std::to_string(group) + "/block" + std::to_string(block) + "/";
        const std::int64_t stride = group > 1 && block == 0 ? 2 : 1;
        const Images y = normal(scope + "norm1", x);
        const Images shortcut = block == 0 ? weighed(scope + "projection", y, width, 1, stride) : x;
        const Images inner = normal(scope + "norm2", weighed(scope + "conv1", y, width, 3, stride));
        x = weighed(scope + "conv2", inner, width, 3, 1);
        for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] += shortcut.values[i];
      }
    }
    return testing::mean_cross_entropy(normal("norm", x), tensor("head/kernel"), tensor("head/bias"), tensor("labels"));
  }

 private:
  const std::vector<double>& tensor(const std::string& name) const { return tensors_.at(name).values; }

  Images weighed(const std::string& name, const Images& x, std::int64_t filters, std::int64_t size,
                 std::int64_t stride) const {
    return testing::convolved(x, tensor(name + "/kernel"), filters, size, stride);
  }

  /// Each channel over the batch; then what is above zero.
  Images normal(const std::string& name, const Images& x) const {
    Images y = x;
    const std::size_t channels = std::size_t(x.channels), count = x.values.size() / channels;
    for (std::size_t c = 0; c < channels; ++c) {
      double sum = 0, squares = 0;
      for (std::size_t i = 0; i < count; ++i) sum += x.values[i * channels + c];
      const double mean = sum / double(count);
      for (std::size_t i = 0; i < count; ++i) squares += std::pow(x.values[i * channels + c] - mean, 2);
      const double scale = tensor(name + "/gamma")[c] / std::sqrt(squares / double(count) + 1e-5);
      for (std::size_t i = 0; i < count; ++i) {
        double& value = y.values[i * channels + c];
        value = std::max((value - mean) * scale + tensor(name + "/beta")[c], 0.0);
      }
    }
    return y;
  }

  const WideResNetOptions& o_;
  const WideTensors& tensors_;
};

TEST(WideResNet, HasTheLossOfTheFormulas) {
  const WideResNetOptions options = tiny_wide_resnet();
  const hlo::Module module = wide_resnet_forward(options);
  hlo::build::verify(module);
  const std::vector<hlo::Literal> arguments = testing::arguments_for(module, 1, double(options.classes));
  const double expected = ReferenceWideResNet(options, testing::by_name(module, arguments)).loss();
  EXPECT_NEAR(hlo::eval::evaluate(module, arguments).values[0], expected, 1e-9 * expected);
}

TEST(WideResNet, HasTheSlopesOfThatLoss) {
  const WideResNetOptions options = tiny_wide_resnet();
  const TrainingStep step = wide_resnet_training_step(options);
  testing::expect_slopes(step, testing::arguments_for(step.module, 1, double(options.classes)),
                         [&](const WideTensors& tensors) { return ReferenceWideResNet(options, tensors).loss(); });
}

// WRN-28-10 takes 5.2e9 multiplications and additions an image of CIFAR; the images have no gradient.
TEST(WideResNet, TakesThePublishedFlops) {
  WideResNetOptions options;
  options.batch = 1;
  EXPECT_NEAR(wide_resnet_flops(options), 6 * 5.2e9, 0.02 * 6 * 5.2e9);
}

// Table 4 of the paper: 36.5 million with 28 layers and a factor of 10, 8.9 million with 16 and 8 layers of width.
TEST(WideResNet, HasThePublishedNumberOfParameters) {
  struct Published {
    std::int64_t depth, widen;
    double millions;
  };
  for (const Published& published : {Published{28, 10, 36.5}, {22, 8, 17.2}, {16, 8, 11.0}, {40, 4, 8.9}}) {
    WideResNetOptions options;
    options.depth = published.depth;
    options.widen = published.widen;
    const TrainingStep step = wide_resnet_training_step(options);
    const hlo::Computation& entry = step.module.entry_computation();
    std::int64_t count = 0;
    for (std::size_t i = 0; i < step.donations.size() / 2; ++i) {
      count += entry[entry.parameters[std::size_t(step.donations[i].parameter)]].shape.element_count();
    }
    EXPECT_NEAR(double(count) / 1e6, published.millions, 0.051) << published.depth << " " << published.widen;
  }
}

}  // namespace
}  // namespace podsim::workloads::models::wide_resnet
