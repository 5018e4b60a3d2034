// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers.h"

#include <numeric>

#include "base/units.h"
#include "hlo/transform/relu.h"

namespace podsim::workloads {

using hlo::InstructionId;
using hlo::WindowDimension;

namespace {

hlo::WindowDimension window_dimension(std::int64_t size, std::int64_t stride, std::int64_t low, std::int64_t high) {
  hlo::WindowDimension window;
  window.size = size;
  window.stride = stride;
  window.padding_low = low;
  window.padding_high = high;
  return window;
}

/// A window padded to ceil(input / stride) outputs, with an odd element of padding at the end.
hlo::WindowDimension same_window(std::int64_t input, std::int64_t size, std::int64_t stride) {
  const std::int64_t output = base::divide_round_up(input, stride);
  const std::int64_t total = std::max<std::int64_t>((output - 1) * stride + size - input, 0);
  return window_dimension(size, stride, total / 2, total - total / 2);
}

}  // namespace

InstructionId Layers::train(std::string_view name, std::vector<std::int64_t> sizes, bool is_kernel) {
  TrainedTensor tensor;
  tensor.name = builder_.scope().empty() ? std::string(name) : builder_.scope() + "/" + std::string(name);
  tensor.is_kernel = is_kernel;
  tensor.value = builder_.parameter(hlo::make_shape(precision_.parameter, std::move(sizes)), tensor.name);
  if (frozen_) {
    held_.push_back(tensor.value);
  } else {
    trained_.push_back(tensor);
  }
  return tensor.value;
}

InstructionId Layers::convolved(InstructionId x, std::int64_t filters, const hlo::WindowDimension& rows,
                                const hlo::WindowDimension& columns) {
  const std::int64_t channels = builder_.shape(x).dimensions[3];
  const InstructionId kernel = train("kernel", {rows.size, columns.size, channels, filters}, true);
  return builder_.convolution(x, builder_.convert(kernel, precision_.activation), {rows, columns},
                              hlo::build::convolution_dimensions("b01f_01io->b01f"));
}

InstructionId Layers::convolution(InstructionId x, std::int64_t filters, std::int64_t size, std::int64_t stride) {
  return rectangular_convolution(x, filters, size, size, stride, true);
}

InstructionId Layers::rectangular_convolution(InstructionId x, std::int64_t filters, std::int64_t rows,
                                              std::int64_t columns, std::int64_t stride, bool padded) {
  const auto window = [&](std::int64_t size) {
    const std::int64_t low = padded ? (size - 1) / 2 : 0;
    return window_dimension(size, stride, low, padded ? size - 1 - low : 0);
  };
  return convolved(x, filters, window(rows), window(columns));
}

/// Row p of the kernel reads row 2 r + p - (size - 1) / 2 of the image. With zeros so that the padding before it is
/// even, rows 2 k and 2 k + 1 of the kernel read both rows of block r + k - low.
InstructionId Layers::convolution_of_blocks(InstructionId x, std::int64_t filters, std::int64_t size) {
  hlo::build::GraphBuilder& b = builder_;
  const std::int64_t channels = b.shape(x).dimensions[3] / 4, blocks = (size + 1) / 2;
  const std::int64_t before = (size - 1) / 2, first = before % 2, low = (before + first) / 2;
  const InstructionId kernel = b.convert(train("kernel", {size, size, channels, filters}, true), precision_.activation);
  const hlo::PadDimension zeros{first, 1 - first, 0};
  const InstructionId even = b.pad(kernel, b.constant(b.type(kernel), 0), {zeros, zeros, {}, {}});
  const InstructionId apart = b.reshape(even, {blocks, 2, blocks, 2, channels, filters});
  const InstructionId of_blocks =
      b.reshape(b.transpose(apart, {0, 2, 1, 3, 4, 5}), {blocks, blocks, 4 * channels, filters});
  const WindowDimension window = window_dimension(blocks, 1, low, blocks - 1 - low);
  return b.convolution(x, of_blocks, {window, window}, hlo::build::convolution_dimensions("b01f_01io->b01f"));
}

InstructionId Layers::valid_convolution(InstructionId x, std::int64_t filters, std::int64_t size) {
  return rectangular_convolution(x, filters, size, size, 1, false);
}

InstructionId Layers::transposed_convolution(InstructionId x, std::int64_t filters, std::int64_t factor) {
  hlo::WindowDimension window = window_dimension(factor, 1, factor - 1, factor - 1);
  window.base_dilation = factor;
  return convolved(x, filters, window, window);
}

InstructionId Layers::bias(InstructionId x) {
  const std::vector<std::int64_t> sizes = builder_.shape(x).dimensions;
  const InstructionId trained = builder_.convert(train("bias", {sizes.back()}, false), builder_.type(x));
  return builder_.add(x, builder_.broadcast(trained, sizes, {std::int64_t(sizes.size()) - 1}));
}

/// Arrays of the size of x keep their four dimensions: sums are those of an image first, then of the images of a group.
InstructionId Layers::norm_by_groups(InstructionId x) {
  hlo::build::GraphBuilder& b = builder_;
  const std::vector<std::int64_t> sizes = b.shape(x).dimensions;
  const std::int64_t channels = sizes[3], groups = norm_groups_, images = sizes[0] / groups;
  const InstructionId gamma = b.broadcast(train("gamma", {channels}, false), {groups, channels}, {1});
  const InstructionId beta = b.broadcast(train("beta", {channels}, false), {groups, channels}, {1});
  const InstructionId wide = b.convert(x, precision_.parameter);
  const InstructionId one_over_n = b.full_like(gamma, 1.0 / double(images * sizes[1] * sizes[2]));
  const auto mean_of = [&](InstructionId value) {
    const InstructionId of_images = b.reshape(b.reduce_add(value, {1, 2}), {groups, images, channels});
    return b.multiply(b.reduce_add(of_images, {1}), one_over_n);
  };
  const auto for_images = [&](InstructionId value) {
    const InstructionId repeated = b.broadcast(value, {groups, images, channels}, {0, 2});
    return b.broadcast(b.reshape(repeated, {sizes[0], channels}), sizes, {0, 3});
  };
  const InstructionId mean = mean_of(wide), mean_square = mean_of(b.multiply(wide, wide));
  const InstructionId variance = b.subtract(mean_square, b.multiply(mean, mean));
  const InstructionId scale = b.multiply(gamma, b.rsqrt(b.add(variance, b.full_like(variance, 1e-5))));
  const InstructionId shift = b.subtract(beta, b.multiply(mean, scale));
  return b.convert(b.add(b.multiply(wide, for_images(scale)), for_images(shift)), precision_.activation);
}

InstructionId Layers::batch_norm(InstructionId x) {
  if (norm_groups_ > 1) return norm_by_groups(x);
  hlo::build::GraphBuilder& b = builder_;
  const hlo::Shape shape = b.shape(x);
  const std::int64_t channels = shape.dimensions[3];
  const InstructionId gamma = train("gamma", {channels}, false);
  const InstructionId beta = train("beta", {channels}, false);
  const InstructionId wide = b.convert(x, precision_.parameter);
  const std::int64_t values = shape.element_count() / channels;
  const InstructionId one_over_n = b.full_like(gamma, 1.0 / double(values));
  const InstructionId mean = b.multiply(b.reduce_add(wide, {0, 1, 2}), one_over_n);
  const InstructionId mean_square = b.multiply(b.reduce_add(b.multiply(wide, wide), {0, 1, 2}), one_over_n);
  const InstructionId variance = b.subtract(mean_square, b.multiply(mean, mean));
  const InstructionId scale = b.multiply(gamma, b.rsqrt(b.add(variance, b.full_like(variance, 1e-5))));
  const InstructionId shift = b.subtract(beta, b.multiply(mean, scale));
  const InstructionId scaled = b.multiply(wide, b.broadcast(scale, shape.dimensions, {3}));
  return b.convert(b.add(scaled, b.broadcast(shift, shape.dimensions, {3})), precision_.activation);
}

InstructionId Layers::standardised_convolution(InstructionId x, std::int64_t filters, std::int64_t size,
                                               std::int64_t stride) {
  hlo::build::GraphBuilder& b = builder_;
  const std::int64_t channels = b.shape(x).dimensions[3], low = (size - 1) / 2;
  const std::vector<std::int64_t> sizes{size, size, channels, filters};
  const InstructionId kernel = train("kernel", sizes, true);
  const auto mean_of = [&](InstructionId value) {
    const InstructionId sum = b.reduce_add(value, {0, 1, 2});
    return b.multiply(sum, b.full_like(sum, 1.0 / double(size * size * channels)));
  };
  const InstructionId centred = b.subtract(kernel, b.broadcast(mean_of(kernel), sizes, {3}));
  const InstructionId variance = mean_of(b.multiply(centred, centred));
  const InstructionId scale = b.rsqrt(b.add(variance, b.full_like(variance, 1e-10)));
  const InstructionId standard = b.multiply(centred, b.broadcast(scale, sizes, {3}));
  const hlo::WindowDimension window = window_dimension(size, stride, low, size - 1 - low);
  return b.convolution(x, b.convert(standard, precision_.activation), {window, window},
                       hlo::build::convolution_dimensions("b01f_01io->b01f"));
}

/// Statistics are those of the dimensions 1 and 3 of a view with a dimension for the groups.
InstructionId Layers::group_norm(InstructionId x, std::int64_t groups) {
  hlo::build::GraphBuilder& b = builder_;
  const std::vector<std::int64_t> sizes = b.shape(x).dimensions;
  const std::int64_t pixels = sizes[1] * sizes[2], channels = sizes[3], width = channels / groups;
  const InstructionId gamma = train("gamma", {channels}, false), beta = train("beta", {channels}, false);
  const std::vector<std::int64_t> by_groups{sizes[0], pixels, groups, width};
  const InstructionId view = b.convert(b.reshape(x, by_groups), precision_.parameter);
  const auto mean_of = [&](InstructionId value) {
    const InstructionId sum = b.reduce_add(value, {1, 3});
    return b.multiply(sum, b.full_like(sum, 1.0 / double(pixels * width)));
  };
  const InstructionId centred = b.subtract(view, b.broadcast(mean_of(view), by_groups, {0, 2}));
  const InstructionId variance = mean_of(b.multiply(centred, centred));
  const InstructionId scale = b.rsqrt(b.add(variance, b.full_like(variance, 1e-5)));
  const InstructionId standard = b.multiply(centred, b.broadcast(scale, by_groups, {0, 2}));
  const InstructionId scaled = b.multiply(b.reshape(standard, sizes), b.broadcast(gamma, sizes, {3}));
  return b.convert(b.add(scaled, b.broadcast(beta, sizes, {3})), precision_.activation);
}

InstructionId Layers::frozen_norm(InstructionId x) {
  hlo::build::GraphBuilder& b = builder_;
  const std::vector<std::int64_t> sizes = b.shape(x).dimensions;
  const auto of_channels = [&](const std::string& name) {
    const hlo::Shape shape = hlo::make_shape(precision_.parameter, {sizes[3]});
    held_.push_back(b.parameter(shape, b.scope() + "/" + name));
    return b.broadcast(held_.back(), sizes, {3});
  };
  const InstructionId scaled = b.multiply(b.convert(x, precision_.parameter), of_channels("scale"));
  return b.convert(b.add(scaled, of_channels("shift")), precision_.activation);
}

InstructionId Layers::relu(InstructionId x) { return hlo::transform::relu(builder_, x); }

InstructionId Layers::max_pool(InstructionId x, std::int64_t size, std::int64_t stride) {
  const std::vector<std::int64_t>& sizes = builder_.shape(x).dimensions;
  return builder_.reduce_window_max(x, {hlo::WindowDimension{}, same_window(sizes[1], size, stride),
                                        same_window(sizes[2], size, stride), hlo::WindowDimension{}});
}

InstructionId Layers::valid_max_pool(InstructionId x, std::int64_t size, std::int64_t stride) {
  const hlo::WindowDimension window = window_dimension(size, stride, 0, 0);
  return builder_.reduce_window_max(x, {hlo::WindowDimension{}, window, window, hlo::WindowDimension{}});
}

InstructionId Layers::averaged(InstructionId x, const hlo::WindowDimension& rows, const hlo::WindowDimension& columns) {
  const InstructionId sum =
      builder_.reduce_window_add(x, {hlo::WindowDimension{}, rows, columns, hlo::WindowDimension{}});
  return builder_.multiply(sum, builder_.full_like(sum, 1.0 / double(rows.size * columns.size)));
}

InstructionId Layers::average_pool(InstructionId x, std::int64_t size, std::int64_t stride) {
  const std::vector<std::int64_t>& sizes = builder_.shape(x).dimensions;
  return averaged(x, same_window(sizes[1], size, stride), same_window(sizes[2], size, stride));
}

InstructionId Layers::valid_average_pool(InstructionId x, std::int64_t size, std::int64_t stride) {
  const hlo::WindowDimension window = window_dimension(size, stride, 0, 0);
  return averaged(x, window, window);
}

InstructionId Layers::global_average_pool(InstructionId x) {
  const std::vector<std::int64_t> sizes = builder_.shape(x).dimensions;
  const InstructionId sum = builder_.reduce_add(builder_.convert(x, precision_.parameter), {1, 2});
  const InstructionId mean = builder_.multiply(sum, builder_.full_like(sum, 1.0 / double(sizes[1] * sizes[2])));
  return builder_.convert(mean, precision_.activation);
}

InstructionId Layers::dense(InstructionId x, std::int64_t units) {
  const std::int64_t features = builder_.shape(x).dimensions[1];
  const InstructionId kernel = train("kernel", {features, units}, true);
  const InstructionId product = builder_.dot(x, builder_.convert(kernel, precision_.activation), {{}, {}, {1}, {0}});
  return bias(builder_.convert(product, precision_.parameter));
}

Loss with_share(hlo::build::GraphBuilder& b, Loss loss, const Loss& other, double share) {
  loss.value = b.add(loss.value, b.multiply(other.value, b.full_like(other.value, share)));
  loss.held.insert(loss.held.end(), other.held.begin(), other.held.end());
  loss.given.insert(loss.given.end(), other.given.begin(), other.given.end());
  return loss;
}

Loss softmax_cross_entropy(hlo::build::GraphBuilder& b, InstructionId logits, InstructionId labels, double smoothing) {
  const hlo::Shape shape = b.shape(logits);
  const std::int64_t classes = shape.dimensions.back(), last = shape.rank() - 1;
  const std::int64_t rows = shape.element_count() / classes;
  const double share = smoothing / double(classes);
  std::vector<std::int64_t> leading(last);
  std::iota(leading.begin(), leading.end(), 0);
  const InstructionId places = b.iota(hlo::make_shape(b.type(labels), shape.dimensions), last);
  const InstructionId is_label =
      b.compare(places, b.broadcast(labels, shape.dimensions, leading), hlo::ComparisonDirection::eq);
  const InstructionId target = b.select(is_label, b.full(shape, 1 - smoothing + share), b.full(shape, share));
  const InstructionId highest = b.reduce_max(logits, {last});
  const InstructionId shifted = b.subtract(logits, b.broadcast(highest, shape.dimensions, leading));
  const InstructionId log_sum = b.log(b.reduce_add(b.exponential(shifted), {last}));
  // The targets of a row sum to one, so -sum(target * log softmax) = log_sum - sum(target * shifted).
  const InstructionId row_loss = b.subtract(log_sum, b.reduce_add(b.multiply(target, shifted), {last}));
  const InstructionId total = b.reduce_add(row_loss, leading);
  return {b.multiply(total, b.constant(b.type(total), 1 / double(rows))), {highest}, {}, {logits}};
}

}  // namespace podsim::workloads
