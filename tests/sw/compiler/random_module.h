// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rapidcheck.h>

#include <string>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "tests/hlo/literals.h"

namespace podsim::sw::compiler::testing {

/// Random graphs with the kinds of values that a network has: images [2,4,4,C], per-channel vectors [C] and kernels,
/// with elementwise ops, normalisations, reductions, matmuls in both directions, pooling and its gradient, and
/// collectives in between. Any number of values are results.
class RandomModule {
 public:
  static hlo::Module make(int max_steps = 25) { return RandomModule().run(*rc::gen::inRange(1, max_steps)); }

 private:
  static constexpr std::int64_t batch_size = 2, image_size = 4;

  hlo::Module run(int steps) {
    for (std::int64_t channels : {3, 8}) {
      images_.push_back(parameter(hlo::ElementType::bf16, {batch_size, image_size, image_size, channels}));
      vectors_.push_back(parameter(hlo::ElementType::f32, {channels}));
    }
    for (int i = 0; i < steps; ++i) step();
    std::vector<hlo::InstructionId> results;
    for (const auto* list : {&images_, &vectors_, &others_}) {
      for (hlo::InstructionId id : *list) {
        if (below(4) == 0) results.push_back(id);
      }
    }
    if (results.empty()) results.push_back(images_.back());
    return std::move(b_).build(b_.tuple(results));
  }

  void step() {
    hlo::InstructionId x = any(images_);
    switch (below(16)) {
      case 0:
      case 1:
      case 2:
        return images_.push_back(combine(x, like(x)));
      case 3:
        return images_.push_back(curve(x));
      case 4:
        return images_.push_back(
            b_.convert(x, b_.type(x) == hlo::ElementType::f32 ? hlo::ElementType::bf16 : hlo::ElementType::f32));
      case 5:
        return images_.push_back(normalised(x));
      case 6:
        return images_.push_back(b_.select(b_.compare(x, like(x), hlo::ComparisonDirection::gt), x, like(x)));
      case 7:
        return vectors_.push_back(b_.reduce_add(b_.convert(x, hlo::ElementType::f32), {0, 1, 2}));
      case 8:
        return vectors_.push_back(curve(any(vectors_)));
      case 9:
      case 10:
        return images_.push_back(convolution(x));
      case 11:
        return others_.push_back(kernel_gradient(x, like(x)));
      case 12:
        return images_.push_back(matrix_product(x));
      case 13:
        return images_.push_back(pooled_and_back(x));
      case 14:
        return vectors_.push_back(b_.all_reduce(any(vectors_)));
      default:
        return images_.push_back(shifted(x));
    }
  }

  hlo::InstructionId combine(hlo::InstructionId x, hlo::InstructionId y) {
    switch (below(3)) {
      case 0:
        return b_.add(x, y);
      case 1:
        return b_.multiply(x, y);
      default:
        return b_.maximum(x, y);
    }
  }

  hlo::InstructionId curve(hlo::InstructionId x) {
    switch (below(4)) {
      case 0:
        return b_.tanh(x);
      case 1:
        return b_.negate(x);
      case 2:
        return b_.multiply(x, b_.full_like(x, 0.5));
      default:
        return b_.divide(x, b_.add(b_.abs(x), b_.full_like(x, 1)));
    }
  }

  hlo::InstructionId normalised(hlo::InstructionId x) {
    const auto sizes = b_.shape(x).dimensions;
    std::vector<hlo::InstructionId> fitting;
    for (hlo::InstructionId v : vectors_) {
      if (b_.shape(v).dimensions[0] == sizes[3]) fitting.push_back(v);
    }
    hlo::InstructionId wide = b_.convert(x, hlo::ElementType::f32);
    hlo::InstructionId y =
        b_.add(b_.multiply(wide, b_.broadcast(any(fitting), sizes, {3})), b_.broadcast(any(fitting), sizes, {3}));
    return b_.convert(y, b_.type(x));
  }

  hlo::InstructionId convolution(hlo::InstructionId x) {
    std::int64_t window = below(2) == 0 ? 1 : 3, pad = (window - 1) / 2;
    hlo::WindowDimension w{.size = window, .padding_low = pad, .padding_high = pad};
    hlo::InstructionId kernel =
        parameter(b_.type(x), {window, window, b_.shape(x).dimensions[3], below(2) == 0 ? 3 : 8});
    return b_.convolution(x, kernel, {w, w}, hlo::build::convolution_dimensions("b01f_01io->b01f"));
  }

  hlo::InstructionId kernel_gradient(hlo::InstructionId x, hlo::InstructionId g) {
    hlo::WindowDimension w{.size = image_size, .padding_low = 1, .padding_high = 1};
    return b_.convolution(x, g, {w, w}, hlo::build::convolution_dimensions("f01b_i01o->01bf"));
  }

  hlo::InstructionId matrix_product(hlo::InstructionId x) {
    std::int64_t channels = b_.shape(x).dimensions[3];
    hlo::InstructionId rows = b_.reshape(x, {batch_size * image_size * image_size, channels});
    hlo::InstructionId weights = parameter(b_.type(x), {channels, channels});
    hlo::InstructionId y = b_.dot(rows, weights, {{}, {}, {1}, {0}});
    return b_.reshape(y, b_.shape(x).dimensions);
  }

  /// Max pooling, with the source routed back to the positions of the maxima.
  hlo::InstructionId pooled_and_back(hlo::InstructionId x) {
    hlo::WindowDimension half{.size = 2, .stride = 2};
    std::vector<hlo::WindowDimension> window{{}, half, half, {}};
    hlo::InstructionId pooled = b_.reduce_window_max(x, window);
    if (below(3) == 0) others_.push_back(pooled);
    return b_.select_and_scatter(x, below(2) == 0 ? pooled : curve(pooled), b_.constant(b_.type(x), 0), window,
                                 b_.comparator(hlo::ComparisonDirection::ge, b_.type(x)),
                                 b_.combiner(hlo::Opcode::add, b_.type(x)));
  }

  hlo::InstructionId shifted(hlo::InstructionId x) {
    std::int64_t channels = b_.shape(x).dimensions[3];
    hlo::InstructionId padded =
        b_.pad(x, b_.constant(b_.type(x), 0), {{}, {.low = 1, .high = 0}, {.low = 0, .high = 1}, {}});
    return b_.slice(padded, {{0, batch_size}, {0, image_size}, {1, image_size + 1}, {0, channels}});
  }

  hlo::InstructionId parameter(hlo::ElementType type, std::vector<std::int64_t> sizes) {
    return b_.parameter(hlo::make_shape(type, std::move(sizes)), "p" + std::to_string(parameters_++));
  }
  /// An image of the shape of x, which may be x.
  hlo::InstructionId like(hlo::InstructionId x) {
    std::vector<hlo::InstructionId> fitting;
    for (hlo::InstructionId y : images_) {
      if (b_.shape(y).compatible(b_.shape(x))) fitting.push_back(y);
    }
    return any(fitting);
  }
  static int below(int limit) { return *rc::gen::resize(100, rc::gen::inRange(0, limit)); }
  /// Later values are more likely, so that chains grow.
  static hlo::InstructionId any(const std::vector<hlo::InstructionId>& list) {
    std::size_t at = std::max(below(int(list.size())), below(int(list.size())));
    return list[at];
  }

  hlo::build::GraphBuilder b_{"random"};
  std::vector<hlo::InstructionId> images_, vectors_, others_;
  int parameters_ = 0;
};

/// Arguments of an entry.
inline std::vector<hlo::Literal> random_arguments(const hlo::Module& module) {
  std::vector<hlo::Literal> arguments;
  for (const hlo::InstructionId id : module.entry_computation().parameters) {
    arguments.push_back(hlo::testing::random_literal(module.entry_computation()[id].shape, unsigned(id)));
  }
  return arguments;
}

}  // namespace podsim::sw::compiler::testing
