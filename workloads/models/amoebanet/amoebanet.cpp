// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/amoebanet/amoebanet.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace podsim::workloads::models::amoebanet {
namespace {

using hlo::InstructionId;
using Scope = hlo::build::GraphBuilder::Scope;

constexpr std::int64_t stem_filters = 32;
constexpr double auxiliary_share = 0.4;  ///< of the auxiliary loss
constexpr std::int64_t auxiliary_narrow = 51, auxiliary_wide = 307;

enum class Operation { none, conv_1x1, conv_3x3, conv_1x7_7x1, max_2x2, max_3x3, average_3x3 };

/// An operation on a state.
struct Term {
  Operation operation;
  std::size_t state;
};

/// The sums that states 2 to 6 are, and the states that make up the result: those that no sum reads.
struct Cell {
  std::array<std::pair<Term, Term>, 5> sums;
  std::vector<std::size_t> joined;
  std::int64_t stride;  ///< of operations on states 0 and 1
};

const Cell& normal_cell() {
  using enum Operation;
  static const Cell cell{{{{{conv_1x1, 1}, {max_3x3, 1}},
                           {{none, 1}, {conv_1x7_7x1, 0}},
                           {{conv_1x1, 0}, {conv_1x7_7x1, 0}},
                           {{max_3x3, 2}, {none, 2}},
                           {{average_3x3, 1}, {conv_1x1, 5}}}},
                         {0, 3, 4, 6},
                         1};
  return cell;
}

const Cell& reduction_cell() {
  using enum Operation;
  static const Cell cell{{{{{max_2x2, 0}, {max_3x3, 0}},
                           {{none, 2}, {conv_3x3, 1}},
                           {{conv_1x7_7x1, 2}, {max_3x3, 2}},
                           {{none, 3}, {max_2x2, 1}},
                           {{average_3x3, 2}, {conv_1x1, 3}}}},
                         {4, 5, 6},
                         2};
  return cell;
}

class AmoebaNet {
 public:
  AmoebaNet(hlo::build::GraphBuilder& builder, const AmoebaNetOptions& options)
      : builder_(builder), options_(options), layers_(builder, options.precision, options.norm_groups) {}

  const std::vector<TrainedTensor>& trained() const { return layers_.trained(); }

  struct Logits {
    InstructionId main = -1, auxiliary = -1;  ///< the second is -1 without an auxiliary classifier
  };
  Logits logits(InstructionId images) {
    {
      const Scope scope(builder_, "stem");
      last_ = norm(layers_.rectangular_convolution(images, stem_filters, 3, 3, 2, false));
    }
    reduce(options_.reduction_size / 4);
    reduce(options_.reduction_size / 2);
    std::int64_t filters = options_.reduction_size;
    Logits result;
    for (std::int64_t number = 0; number < options_.cells; ++number) {
      const bool is_last = number == 2 * options_.cells / 3;  // before which the last reduction is
      if (options_.auxiliary && is_last) result.auxiliary = auxiliary_logits();
      if (is_last || number == options_.cells / 3) reduce(filters *= 2);
      add_cell(fmt::format("cell{}", number), normal_cell(), filters);
    }
    const Scope scope(builder_, "head");
    result.main = layers_.dense(layers_.global_average_pool(layers_.relu(last_)), options_.classes);
    return result;
  }

 private:
  std::int64_t channels(InstructionId x) const { return builder_.shape(x).dimensions[3]; }
  std::int64_t height(InstructionId x) const { return builder_.shape(x).dimensions[1]; }

  InstructionId norm(InstructionId x) { return options_.folded_norms ? layers_.bias(x) : layers_.batch_norm(x); }

  /// A convolution and its norm.
  InstructionId convolved(std::string_view name, InstructionId x, std::int64_t filters, std::int64_t rows,
                          std::int64_t columns, std::int64_t stride = 1) {
    const Scope scope(builder_, name);
    return norm(layers_.rectangular_convolution(x, filters, rows, columns, stride, true));
  }

  /// Half of the filters read the even rows and columns, the others the odd ones.
  InstructionId halved(InstructionId x, std::int64_t filters) {
    std::vector<InstructionId> halves;
    for (const std::int64_t first : {0, 1}) {
      const Scope scope(builder_, first == 0 ? "even" : "odd");
      halves.push_back(layers_.convolution(every_other(x, first), filters / 2, 1, 1));
    }
    return norm(builder_.concatenate(std::move(halves), 3));
  }

  /// Every other row and column from `first` on, as many as of the even ones: a row of zeros stands for a missing one.
  InstructionId every_other(InstructionId x, std::int64_t first) {
    const std::vector<std::int64_t> sizes = builder_.shape(x).dimensions;
    const InstructionId some =
        builder_.slice(x, {{0, sizes[0], 1}, {first, sizes[1], 2}, {first, sizes[2], 2}, {0, sizes[3], 1}});
    const auto missing = [&](int dimension) {
      return hlo::PadDimension{0, (sizes[dimension] + 1) / 2 - builder_.shape(some).dimensions[dimension], 0};
    };
    const hlo::PadDimension rows = missing(1), columns = missing(2);
    if (rows.high == 0 && columns.high == 0) return some;
    return builder_.pad(some, builder_.constant(builder_.type(x), 0), {{}, rows, columns, {}});
  }

  /// The result before the last one, in the size of the last one and with so many channels. The first cell, which has
  /// none, reads the last one twice.
  InstructionId previous(std::int64_t filters) {
    if (previous_ < 0) return last_;
    const Scope scope(builder_, "previous");
    if (height(previous_) != height(last_)) return halved(layers_.relu(previous_), filters);
    if (channels(previous_) == filters) return previous_;
    return convolved("conv0", layers_.relu(previous_), filters, 1, 1);
  }

  void reduce(std::int64_t filters) { add_cell(fmt::format("reduction{}", reductions_++), reduction_cell(), filters); }

  void add_cell(std::string_view name, const Cell& cell, std::int64_t filters) {
    const Scope scope(builder_, name);
    const InstructionId before = previous(filters);
    std::vector<InstructionId> states{convolved("input", layers_.relu(last_), filters, 1, 1), before};
    for (const std::pair<Term, Term>& sum : cell.sums) {
      const Scope of_state(builder_, fmt::format("state{}", states.size()));
      const InstructionId left = term("left", sum.first, states, cell.stride, filters);
      const InstructionId right = term("right", sum.second, states, cell.stride, filters);
      states.push_back(builder_.add(left, right));
    }
    std::vector<InstructionId> parts;
    for (const std::size_t state : cell.joined) parts.push_back(states[state]);
    const Scope of_result(builder_, "joined");
    previous_ = last_;
    last_ = builder_.concatenate(std::move(parts), 3);
  }

  InstructionId term(std::string_view name, const Term& term, const std::vector<InstructionId>& states,
                     std::int64_t stride_of_inputs, std::int64_t filters) {
    const Scope scope(builder_, name);
    const InstructionId x = states[term.state];
    const std::int64_t stride = term.state < 2 ? stride_of_inputs : 1;
    switch (term.operation) {
      case Operation::none:
        if (stride == 1 && channels(x) == filters) return x;
        return convolved("conv0", layers_.relu(x), filters, 1, 1, stride);
      case Operation::conv_1x1:
        return convolved("conv0", layers_.relu(x), filters, 1, 1, stride);
      case Operation::conv_3x3: {
        const InstructionId narrow = convolved("conv0", layers_.relu(x), filters / 4, 1, 1);
        const InstructionId y = convolved("conv1", layers_.relu(narrow), filters / 4, 3, 3, stride);
        return convolved("conv2", layers_.relu(y), filters, 1, 1);
      }
      case Operation::conv_1x7_7x1: {
        const InstructionId narrow = convolved("conv0", layers_.relu(x), filters / 4, 1, 1);
        const InstructionId wide = convolved("conv1", layers_.relu(narrow), filters / 4, 1, 7);
        const InstructionId y = convolved("conv2", layers_.relu(wide), filters / 4, 7, 1);
        return convolved("conv3", layers_.relu(y), filters, 1, 1);
      }
      case Operation::max_2x2:
        return pooled(layers_.max_pool(x, 2, stride), filters);
      case Operation::max_3x3:
        return pooled(layers_.max_pool(x, 3, stride), filters);
      case Operation::average_3x3:
        return pooled(layers_.average_pool(x, 3, stride), filters);
    }
    return x;
  }

  InstructionId pooled(InstructionId x, std::int64_t filters) {
    return channels(x) == filters ? x : convolved("conv0", x, filters, 1, 1);
  }

  InstructionId auxiliary_logits() {
    const Scope scope(builder_, "auxiliary");
    const InstructionId windows = layers_.valid_average_pool(layers_.relu(last_), 5, 3);
    const InstructionId narrow = layers_.relu(convolved("conv0", windows, auxiliary_narrow, 1, 1));
    InstructionId wide = -1;
    {
      const Scope of_image(builder_, "conv1");
      wide = norm(layers_.valid_convolution(narrow, auxiliary_wide, height(narrow)));
    }
    return layers_.dense(builder_.reshape(layers_.relu(wide), {builder_.shape(wide).dimensions[0], auxiliary_wide}),
                         options_.classes);
  }

  hlo::build::GraphBuilder& builder_;
  const AmoebaNetOptions& options_;
  Layers layers_;
  InstructionId previous_ = -1, last_ = -1;  ///< results of the last two cells
  int reductions_ = 0;
};

InstructionId images_of(hlo::build::GraphBuilder& b, const AmoebaNetOptions& options) {
  return b.parameter(
      hlo::make_shape(options.precision.activation, {options.batch, options.image_size, options.image_size, 3}),
      "images");
}

}  // namespace

TrainingStep amoebanet_training_step(const AmoebaNetOptions& options) {
  hlo::build::GraphBuilder b("amoebanet_training_step");
  const InstructionId images = images_of(b, options);
  const InstructionId labels = b.parameter(hlo::make_shape(hlo::ElementType::s32, {options.batch}), "labels");
  AmoebaNet network(b, options);
  const AmoebaNet::Logits logits = network.logits(images);
  Loss loss;
  {
    const Scope scope(b, "loss");
    loss = softmax_cross_entropy(b, logits.main, labels, options.label_smoothing);
    if (options.auxiliary) {
      loss = with_share(b, std::move(loss), softmax_cross_entropy(b, logits.auxiliary, labels, options.label_smoothing),
                        auxiliary_share);
    }
  }
  return global_training_step(std::move(b), loss, network.trained(), options.optimizer, options.precision.gradient);
}

hlo::Module amoebanet_forward(const AmoebaNetOptions& options) {
  AmoebaNetOptions own = options;
  own.auxiliary = false;
  hlo::build::GraphBuilder b("amoebanet_forward");
  const InstructionId images = images_of(b, own);
  AmoebaNet network(b, own);
  const InstructionId logits = network.logits(images).main;
  return std::move(b).build(logits);
}

}  // namespace podsim::workloads::models::amoebanet
