// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rapidcheck.h>

#include <string>
#include <vector>

#include "sw/ir/build/graph_builder.h"
#include "tests/sw/ir/literals.h"

namespace podsim::sw::compiler::testing {

/// Random graphs with the kinds of values that a network has: images [2,4,4,C], per-channel vectors [C] and kernels,
/// with elementwise ops, normalisations, reductions, matmuls in both directions, pooling and its gradient, and
/// collectives in between. Any number of values are results.
class RandomModule {
 public:
  static ir::Module make(int most_steps = 25) { return RandomModule().run(*rc::gen::inRange(1, most_steps)); }

 private:
  static constexpr std::int64_t batch_size = 2, image_size = 4;

  ir::Module run(int steps) {
    for (std::int64_t channels : {3, 8}) {
      images_.push_back(parameter(ir::ElementType::bf16, {batch_size, image_size, image_size, channels}));
      vectors_.push_back(parameter(ir::ElementType::f32, {channels}));
    }
    for (int i = 0; i < steps; ++i) step();
    std::vector<ir::InstructionId> results;
    for (const auto* list : {&images_, &vectors_, &others_}) {
      for (ir::InstructionId id : *list) {
        if (below(4) == 0) results.push_back(id);
      }
    }
    if (results.empty()) results.push_back(images_.back());
    return std::move(b_).build(b_.tuple(results));
  }

  void step() {
    ir::InstructionId x = any(images_);
    switch (below(16)) {
      case 0:
      case 1:
      case 2:
        return images_.push_back(combine(x, like(x)));
      case 3:
        return images_.push_back(curve(x));
      case 4:
        return images_.push_back(
            b_.convert(x, b_.type(x) == ir::ElementType::f32 ? ir::ElementType::bf16 : ir::ElementType::f32));
      case 5:
        return images_.push_back(normalised(x));
      case 6:
        return images_.push_back(b_.select(b_.compare(x, like(x), ir::ComparisonDirection::gt), x, like(x)));
      case 7:
        return vectors_.push_back(b_.reduce_add(b_.convert(x, ir::ElementType::f32), {0, 1, 2}));
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

  ir::InstructionId combine(ir::InstructionId x, ir::InstructionId y) {
    switch (below(3)) {
      case 0:
        return b_.add(x, y);
      case 1:
        return b_.multiply(x, y);
      default:
        return b_.maximum(x, y);
    }
  }

  ir::InstructionId curve(ir::InstructionId x) {
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

  ir::InstructionId normalised(ir::InstructionId x) {
    const auto sizes = b_.shape(x).dimensions;
    std::vector<ir::InstructionId> fitting;
    for (ir::InstructionId v : vectors_) {
      if (b_.shape(v).dimensions[0] == sizes[3]) fitting.push_back(v);
    }
    ir::InstructionId wide = b_.convert(x, ir::ElementType::f32);
    ir::InstructionId y =
        b_.add(b_.multiply(wide, b_.broadcast(any(fitting), sizes, {3})), b_.broadcast(any(fitting), sizes, {3}));
    return b_.convert(y, b_.type(x));
  }

  ir::InstructionId convolution(ir::InstructionId x) {
    std::int64_t window = below(2) == 0 ? 1 : 3, pad = (window - 1) / 2;
    ir::WindowDimension w{.size = window, .padding_low = pad, .padding_high = pad};
    ir::InstructionId kernel =
        parameter(b_.type(x), {window, window, b_.shape(x).dimensions[3], below(2) == 0 ? 3 : 8});
    return b_.convolution(x, kernel, {w, w}, ir::build::convolution_dimensions("b01f_01io->b01f"));
  }

  ir::InstructionId kernel_gradient(ir::InstructionId x, ir::InstructionId g) {
    ir::WindowDimension w{.size = image_size, .padding_low = 1, .padding_high = 1};
    return b_.convolution(x, g, {w, w}, ir::build::convolution_dimensions("f01b_i01o->01bf"));
  }

  ir::InstructionId matrix_product(ir::InstructionId x) {
    std::int64_t channels = b_.shape(x).dimensions[3];
    ir::InstructionId rows = b_.reshape(x, {batch_size * image_size * image_size, channels});
    ir::InstructionId weights = parameter(b_.type(x), {channels, channels});
    ir::InstructionId y = b_.dot(rows, weights, {{}, {}, {1}, {0}});
    return b_.reshape(y, b_.shape(x).dimensions);
  }

  /// Max pooling, with the source routed back to the positions of the maxima.
  ir::InstructionId pooled_and_back(ir::InstructionId x) {
    ir::WindowDimension half{.size = 2, .stride = 2};
    std::vector<ir::WindowDimension> window{{}, half, half, {}};
    ir::InstructionId pooled = b_.reduce_window_max(x, window);
    if (below(3) == 0) others_.push_back(pooled);
    return b_.select_and_scatter(x, below(2) == 0 ? pooled : curve(pooled), b_.constant(b_.type(x), 0), window,
                                 b_.comparator(ir::ComparisonDirection::ge, b_.type(x)),
                                 b_.combiner(ir::Opcode::add, b_.type(x)));
  }

  ir::InstructionId shifted(ir::InstructionId x) {
    std::int64_t channels = b_.shape(x).dimensions[3];
    ir::InstructionId padded =
        b_.pad(x, b_.constant(b_.type(x), 0), {{}, {.low = 1, .high = 0}, {.low = 0, .high = 1}, {}});
    return b_.slice(padded, {{0, batch_size}, {0, image_size}, {1, image_size + 1}, {0, channels}});
  }

  ir::InstructionId parameter(ir::ElementType type, std::vector<std::int64_t> sizes) {
    return b_.parameter(ir::make_shape(type, std::move(sizes)), "p" + std::to_string(parameters_++));
  }
  /// An image of the shape of x, which may be x.
  ir::InstructionId like(ir::InstructionId x) {
    std::vector<ir::InstructionId> fitting;
    for (ir::InstructionId y : images_) {
      if (b_.shape(y).compatible(b_.shape(x))) fitting.push_back(y);
    }
    return any(fitting);
  }
  static int below(int limit) { return *rc::gen::resize(100, rc::gen::inRange(0, limit)); }
  /// Later values are more likely, so that chains grow.
  static ir::InstructionId any(const std::vector<ir::InstructionId>& list) {
    std::size_t at = std::max(below(int(list.size())), below(int(list.size())));
    return list[at];
  }

  ir::build::GraphBuilder b_{"random"};
  std::vector<ir::InstructionId> images_, vectors_, others_;
  int parameters_ = 0;
};

/// Arguments of an entry.
inline std::vector<ir::Literal> random_arguments(const ir::Module& module) {
  std::vector<ir::Literal> arguments;
  for (const ir::InstructionId id : module.entry_computation().parameters) {
    arguments.push_back(ir::testing::random_literal(module.entry_computation()[id].shape, unsigned(id)));
  }
  return arguments;
}

}  // namespace podsim::sw::compiler::testing
