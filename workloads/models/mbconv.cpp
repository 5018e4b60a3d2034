// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/mbconv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <regex>
#include <string>

#include "base/diagnostic.h"
#include "base/units.h"
#include "hlo/array_tile.h"
#include "hlo/build/graph_builder.h"
#include "hlo/transform/relu.h"

namespace podsim::workloads::models {

namespace {

using hlo::ElementType;
using hlo::InstructionId;
using hlo::Shape;
using hlo::build::GraphBuilder;

constexpr std::array<std::int64_t, 7> stage_channels = {16, 24, 40, 80, 112, 192, 320};
constexpr std::array<std::int64_t, 7> stage_strides = {1, 2, 2, 2, 1, 2, 1};
constexpr std::int64_t stem_channels = 32, head_channels = 1280;

/// PyTorch/XLA's XLA_MAX_PADDING_FACTOR: the padding of a row-major array above which it sorts the dimensions.
constexpr double max_padding = 1.25;

double padding_of(std::int64_t size, std::int64_t tile) { return double(base::round_up(size, tile)) / double(size); }

/// The dimensions of a [batch, height, width, channels] array from major to minor, as PyTorch/XLA returns it.
std::vector<std::int64_t> order_on_device(const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> order = {0, 3, 1, 2};  // PyTorch's
  const double padding = padding_of(sizes[2], hlo::tile_lanes) * padding_of(sizes[1], hlo::tile_sublanes);
  if (padding < max_padding) return order;
  std::ranges::reverse(order);
  std::ranges::stable_sort(order, std::greater<>{}, [&](std::int64_t d) { return sizes[std::size_t(d)]; });
  std::ranges::reverse(order);
  return order;
}

class MobileNetwork {
 public:
  MobileNetwork(GraphBuilder& builder, const MbconvOptions& options) : b_(builder), options_(options) {}

  InstructionId logits(InstructionId images) {
    InstructionId x = activated("stem", images, stem_channels, 3, 2);
    for (std::size_t stage = 0; stage < options_.stages.size(); ++stage) {
      for (std::int64_t block = 0; block < options_.stages[stage].layers; ++block) {
        const GraphBuilder::Scope scope(b_, fmt::format("stage{}/block{}", stage, block));
        x = bottleneck(x, options_.stages[stage], stage_channels[stage], block == 0 ? stage_strides[stage] : 1);
      }
    }
    const GraphBuilder::Scope scope(b_, "head");
    x = mean(activated("conv", x, head_channels, 1, 1));
    ++framework_ops_;
    return dense(x, options_.classes, "logits");
  }

  /// The logits and what autograd keeps.
  InstructionId results(InstructionId logits) {
    std::vector<InstructionId> all = {logits};
    all.insert(all.end(), kept_.begin(), kept_.end());
    return b_.tuple(std::move(all));
  }

  std::int64_t framework_ops() const { return framework_ops_; }
  std::int64_t parameters() const { return parameters_; }

 private:
  std::int64_t channels(InstructionId x) const { return b_.shape(x).dimensions.back(); }

  InstructionId weight(std::string_view name, std::vector<std::int64_t> sizes) {
    const Shape shape = hlo::make_shape(ElementType::bf16, std::move(sizes));
    parameters_ += shape.element_count();
    return b_.parameter(shape, b_.scope() + "/" + std::string(name));
  }

  InstructionId keep(InstructionId x) {
    if (options_.keeps_for_gradients) kept_.push_back(b_.transpose(x, order_on_device(b_.shape(x).dimensions)));
    return x;
  }

  /// A convolution without bias, and its normalisation. A depthwise one has a kernel of its own for every channel.
  InstructionId normalised(std::string_view name, InstructionId x, std::int64_t filters, std::int64_t size,
                           std::int64_t stride, bool depthwise) {
    const GraphBuilder::Scope scope(b_, name);
    framework_ops_ += 2;
    hlo::WindowDimension window;
    window.size = size;
    window.stride = stride;
    window.padding_low = window.padding_high = size / 2;
    hlo::Instruction convolution;
    convolution.opcode = hlo::Opcode::convolution;
    convolution.shape.element_type = ElementType::bf16;
    convolution.window = {window, window};
    convolution.convolution = hlo::build::convolution_dimensions("b01f_01io->b01f");
    convolution.feature_groups = depthwise ? channels(x) : 1;
    convolution.operands = {x, weight("kernel", {size, size, depthwise ? 1 : channels(x), filters})};
    const InstructionId y = keep(b_.add(std::move(convolution)));
    const std::vector<std::int64_t> sizes = b_.shape(y).dimensions;
    const InstructionId scaled = b_.multiply(y, b_.broadcast(weight("scale", {filters}), sizes, {3}));
    return b_.add(scaled, b_.broadcast(weight("shift", {filters}), sizes, {3}));
  }

  InstructionId relu(InstructionId x) {
    ++framework_ops_;
    return hlo::transform::relu(b_, x);
  }

  InstructionId activated(std::string_view name, InstructionId x, std::int64_t filters, std::int64_t size,
                          std::int64_t stride, bool depthwise = false) {
    return keep(relu(normalised(name, x, filters, size, stride, depthwise)));
  }

  InstructionId mean(InstructionId x) {
    ++framework_ops_;
    const std::vector<std::int64_t> sizes = b_.shape(x).dimensions;
    const InstructionId sum = b_.reduce_add(b_.convert(x, ElementType::f32), {1, 2});
    const InstructionId scaled = b_.multiply(sum, b_.full_like(sum, 1.0 / double(sizes[1] * sizes[2])));
    return b_.convert(scaled, ElementType::bf16);
  }

  InstructionId dense(InstructionId x, std::int64_t units, std::string_view name) {
    ++framework_ops_;
    const GraphBuilder::Scope scope(b_, name);
    const InstructionId product = b_.dot(x, weight("kernel", {channels(x), units}), {{}, {}, {1}, {0}});
    return b_.add(product, b_.broadcast(weight("bias", {units}), b_.shape(product).dimensions, {1}));
  }

  /// Scales the channels of `x` by a function of their means.
  InstructionId squeezed_and_excited(InstructionId x, std::int64_t narrow) {
    const GraphBuilder::Scope scope(b_, "squeeze");
    const std::vector<std::int64_t> sizes = b_.shape(x).dimensions;
    const InstructionId hidden = relu(dense(mean(x), narrow, "reduce"));
    framework_ops_ += 2;
    const InstructionId gate = b_.unary(hlo::Opcode::logistic, dense(hidden, sizes[3], "expand"));
    return keep(b_.multiply(x, b_.broadcast(gate, sizes, {0, 3})));
  }

  InstructionId bottleneck(InstructionId x, const MbconvStage& stage, std::int64_t filters, std::int64_t stride) {
    const std::int64_t inputs = channels(x), wide = inputs * stage.expansion;
    InstructionId y = stage.expansion == 1 ? x : activated("expand", x, wide, 1, 1);
    y = activated("depthwise", y, wide, stage.kernel, stride, true);
    if (stage.squeezes) y = squeezed_and_excited(y, std::max<std::int64_t>(1, inputs / 4));
    y = normalised("project", y, filters, 1, 1, false);
    if (stride == 1 && inputs == filters) {
      ++framework_ops_;
      y = b_.add(y, x);
    }
    return keep(y);
  }

  GraphBuilder& b_;
  const MbconvOptions& options_;
  std::vector<InstructionId> kept_;
  std::int64_t framework_ops_ = 0, parameters_ = 0;
};

}  // namespace

std::vector<MbconvStage> parse_mbconv_stages(std::string_view text) {
  static const std::regex word(R"(e(\d{1,2})k(\d{1,2})l(\d{1,2})(s?))"), words(R"(\S+)");
  std::vector<MbconvStage> stages;
  const std::string all(text);
  for (std::sregex_iterator at(all.begin(), all.end(), words), end; at != end; ++at) {
    const std::string stage = at->str();
    std::smatch parts;
    if (!std::regex_match(stage, parts, word)) {
      throw base::InputError(fmt::format("'{}' is not a stage", stage), "a stage is written e6k3l2, or e6k3l2s");
    }
    stages.push_back({std::stoll(parts[1]), std::stoll(parts[2]), std::stoll(parts[3]), parts[4].length() > 0});
    const MbconvStage& read = stages.back();
    if (read.expansion < 1 || read.kernel % 2 == 0 || read.layers < 1) {
      throw base::InputError(fmt::format("'{}' is not a stage", stage),
                             "expansion and layers are at least 1, a kernel is odd");
    }
  }
  if (stages.size() != stage_channels.size()) {
    throw base::InputError(fmt::format("{} stages in place of {}", stages.size(), stage_channels.size()));
  }
  return stages;
}

namespace {

/// Fixes the order of the dimensions of the images and of all results: the host demands it.
void fix_order_on_device(hlo::Module& module) {
  hlo::Computation& entry = module.computations[std::size_t(module.entry)];
  const auto fix = [](Shape& shape) {
    shape.minor_to_major.clear();
    for (int d = shape.rank() - 1; d >= 0; --d) shape.minor_to_major.push_back(d);
  };
  for (hlo::Instruction& instruction : entry.instructions) {
    if (instruction.name == "images") fix(instruction.shape);
  }
  hlo::Instruction& root = entry[entry.root];
  for (std::size_t i = 0; i < root.operands.size(); ++i) {
    fix(entry[root.operands[i]].shape);
    fix(root.shape.tuple_shapes[i]);
  }
}

}  // namespace

MbconvProgram mbconv_inference(const MbconvOptions& options) {
  GraphBuilder b("mbconv_inference");
  // The host writes images row-major in PyTorch's order.
  const std::vector<std::int64_t> sizes = {options.batch, 3, options.image_size, options.image_size};
  const InstructionId images = b.parameter(hlo::make_shape(ElementType::bf16, sizes), "images");
  MobileNetwork network(b, options);
  const InstructionId logits = network.logits(b.transpose(images, {0, 2, 3, 1}));
  const InstructionId results = network.results(logits);
  MbconvProgram program;
  program.framework_ops = network.framework_ops();
  program.parameters = network.parameters();
  program.module = std::move(b).build(results);
  fix_order_on_device(program.module);
  return program;
}

double mbconv_flops(const MbconvOptions& o) {
  std::int64_t rows = base::divide_round_up(o.image_size, std::int64_t(2)), inputs = stem_channels;
  std::int64_t products = rows * rows * 9 * 3 * stem_channels;
  for (std::size_t i = 0; i < o.stages.size(); ++i) {
    const MbconvStage& stage = o.stages[i];
    for (std::int64_t block = 0; block < stage.layers; ++block) {
      const std::int64_t before = rows * rows, wide = inputs * stage.expansion;
      if (block == 0) rows = base::divide_round_up(rows, stage_strides[i]);
      if (stage.expansion > 1) products += before * inputs * wide;
      products += rows * rows * wide * (stage.kernel * stage.kernel + stage_channels[i]);
      if (stage.squeezes) products += 2 * wide * std::max<std::int64_t>(1, inputs / 4);
      inputs = stage_channels[i];
    }
  }
  products += rows * rows * inputs * head_channels + head_channels * o.classes;
  return 2.0 * double(o.batch) * double(products);
}

}  // namespace podsim::workloads::models
