// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/convolution_match.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "hlo/transform/formulas/convolution_gradient.h"

namespace podsim::validation::profile {
namespace {

constexpr std::int64_t max_taps = 16;

/// The dimensions of an array: two with a role (batch and feature of images, input and output feature of kernels), and
/// space.
struct Roles {
  int first = 0, second = 0;
  std::vector<int> spatial;
};

Roles roles_with(int rank, int first, int second) {
  Roles roles{first, second, {}};
  for (int d = 0; d < rank; ++d) {
    if (d != first && d != second) roles.spatial.push_back(d);
  }
  return roles;
}

/// Roles batch, feature in the orders NHWC, NCHW, HWNC, HWCN, CHWN.
std::vector<Roles> image_roles(int rank) {
  return {roles_with(rank, 0, rank - 1), roles_with(rank, 0, 1), roles_with(rank, rank - 2, rank - 1),
          roles_with(rank, rank - 1, rank - 2), roles_with(rank, rank - 1, 0)};
}

/// Roles input feature, output feature in the orders HWIO, HWOI, OIHW, IOHW.
std::vector<Roles> kernel_roles(int rank) {
  return {roles_with(rank, rank - 2, rank - 1), roles_with(rank, rank - 1, rank - 2), roles_with(rank, 1, 0),
          roles_with(rank, 0, 1)};
}

/// Window of `taps` that makes `output` positions from `input` ones.
std::optional<hlo::WindowDimension> forward_window(std::int64_t input, std::int64_t output, std::int64_t taps) {
  if (taps > max_taps || output < 1 || output > input + taps - 1) return std::nullopt;
  hlo::WindowDimension window;
  window.size = taps;
  window.stride = std::max<std::int64_t>(1, (input + output / 2) / output);
  const std::int64_t reach = (output - 1) * window.stride + taps;  // over the input and its padding
  if (reach - input > taps || input - reach >= window.stride) return std::nullopt;
  const std::int64_t padding = std::max<std::int64_t>(0, reach - input);
  window.padding_low = padding / 2;
  window.padding_high = padding - window.padding_low;
  return window;
}

/// Window of an input gradient: more positions out than in, so the input is dilated.
std::optional<hlo::WindowDimension> input_gradient_window(std::int64_t input, std::int64_t output, std::int64_t taps) {
  std::optional<hlo::WindowDimension> forward = forward_window(output, input, taps);
  if (!forward || forward->stride == 1) return std::nullopt;
  return hlo::transform::formulas::transposed_window(*forward, output);
}

/// Window of a kernel gradient: the window is the gradient of the result, with one position per tap.
std::optional<hlo::WindowDimension> kernel_gradient_window(std::int64_t image, std::int64_t taps,
                                                           std::int64_t window_size) {
  std::optional<hlo::WindowDimension> forward = forward_window(image, window_size, taps);
  if (!forward) return std::nullopt;
  hlo::WindowDimension window;
  window.size = window_size;
  window.window_dilation = forward->stride;
  window.padding_low = forward->padding_low;
  window.padding_high = taps - 1 + (window_size - 1) * forward->stride + 1 - image - window.padding_low;
  return window;
}

struct GroupCounts {
  std::int64_t feature = 1, batch = 1;
};

/// Number of groups if each sees `of_group` of `channels` and gives a whole number of `features`; 0 if none does.
std::int64_t group_count(std::int64_t channels, std::int64_t of_group, std::int64_t features) {
  if (channels < 1 || of_group < 1 || channels % of_group != 0) return 0;
  const std::int64_t groups = channels / of_group;
  return features % groups == 0 ? groups : 0;
}

class Matcher {
 public:
  Matcher(const hlo::Shape& result, const hlo::Shape& input, const hlo::Shape& kernel, Groups wanted)
      : result_(result), input_(input), kernel_(kernel), wanted_(wanted) {}

  std::vector<hlo::Instruction> run() {
    const int rank = result_.rank();
    if (rank < 3 || rank > 5 || input_.rank() != rank || kernel_.rank() != rank) return {};
    for (const Roles& image : image_roles(rank)) {
      for (const Roles& kernel : kernel_roles(rank)) {
        for (const Roles& out : image_roles(rank)) try_images(image, kernel, out);
      }
      for (const Roles& gradient : image_roles(rank)) {
        for (const Roles& out : kernel_roles(rank)) try_kernel_gradient(image, gradient, out);
      }
    }
    return std::move(found_);
  }

 private:
  void try_images(const Roles& image, const Roles& kernel, const Roles& out) {
    if (input_.dimensions[image.first] != result_.dimensions[out.first]) return;
    const std::int64_t features = kernel_.dimensions[kernel.second];
    if (features != result_.dimensions[out.second]) return;
    const std::int64_t groups =
        group_count(input_.dimensions[image.second], kernel_.dimensions[kernel.first], features);
    if (!is_wanted(groups, kernel_.dimensions[kernel.first])) return;
    add(image, kernel, out, {.feature = groups}, forward_window);
    add(image, kernel, out, {.feature = groups}, input_gradient_window);
  }

  /// Here the window is an image: its batch is contracted with the input's batch, which takes the role of a feature.
  /// The groups of features are groups of what has the role of a batch.
  void try_kernel_gradient(const Roles& image, const Roles& gradient, const Roles& out) {
    if (input_.dimensions[image.first] != kernel_.dimensions[gradient.first]) return;
    const std::int64_t features = kernel_.dimensions[gradient.second];
    if (features != result_.dimensions[out.second]) return;
    const std::int64_t groups = group_count(input_.dimensions[image.second], result_.dimensions[out.first], features);
    if (!is_wanted(groups, result_.dimensions[out.first])) return;
    const Roles swapped{image.second, image.first, image.spatial};
    add(swapped, gradient, out, {.batch = groups}, kernel_gradient_window);
  }

  /// True for a convolution of several taps that are no more than an image has in any dimension. The taps of a kernel
  /// gradient are positions of its result.
  bool has_window(const hlo::Instruction& convolution) const {
    std::int64_t all = 1;
    for (std::size_t i = 0; i < convolution.window.size(); ++i) {
      const std::int64_t input = input_.dimensions[std::size_t(convolution.convolution->input_spatial[i])],
                         output = result_.dimensions[std::size_t(convolution.convolution->output_spatial[i])];
      const std::int64_t taps = convolution.batch_groups > 1 ? output : convolution.window[i].size;
      if (taps > (convolution.batch_groups > 1 ? input : std::max(input, output))) return false;
      all *= taps;
    }
    return all > 1;
  }

  bool is_wanted(std::int64_t groups, std::int64_t of_group) const {
    if (wanted_ == Groups::none) return groups == 1;
    return groups > 1 && (of_group == 1) == (wanted_ == Groups::of_one);
  }

  using WindowOf = std::optional<hlo::WindowDimension> (*)(std::int64_t input, std::int64_t output, std::int64_t taps);

  void add(const Roles& image, const Roles& kernel, const Roles& out, GroupCounts groups, WindowOf window_of) {
    hlo::Instruction convolution;
    convolution.opcode = hlo::Opcode::convolution;
    convolution.feature_groups = groups.feature;
    convolution.batch_groups = groups.batch;
    convolution.shape = result_;
    for (std::size_t i = 0; i < image.spatial.size(); ++i) {
      auto window = window_of(input_.dimensions[image.spatial[i]], result_.dimensions[out.spatial[i]],
                              kernel_.dimensions[kernel.spatial[i]]);
      if (!window) return;
      convolution.window.push_back(*window);
    }
    convolution.convolution = hlo::ConvolutionDimensions{.input_batch = image.first,
                                                         .input_feature = image.second,
                                                         .input_spatial = image.spatial,
                                                         .kernel_input_feature = kernel.first,
                                                         .kernel_output_feature = kernel.second,
                                                         .kernel_spatial = kernel.spatial,
                                                         .output_batch = out.first,
                                                         .output_feature = out.second,
                                                         .output_spatial = out.spatial};
    if (wanted_ == Groups::none || has_window(convolution)) found_.push_back(std::move(convolution));
  }

  const hlo::Shape &result_, &input_, &kernel_;
  Groups wanted_;
  std::vector<hlo::Instruction> found_;
};

}  // namespace

std::vector<hlo::Instruction> matching_convolutions(const hlo::Shape& result, const hlo::Shape& input,
                                                    const hlo::Shape& kernel, Groups groups) {
  return Matcher(result, input, kernel, groups).run();
}

bool is_depthwise(const hlo::Instruction& convolution, const hlo::Shape& input) {
  if (convolution.opcode != hlo::Opcode::convolution) return false;
  const std::int64_t features = input.dimensions[std::size_t(convolution.convolution->input_feature)],
                     batch = input.dimensions[std::size_t(convolution.convolution->input_batch)];
  return (convolution.feature_groups > 1 && convolution.feature_groups == features) ||
         (convolution.batch_groups > 1 && convolution.batch_groups == batch);
}

}  // namespace podsim::validation::profile
