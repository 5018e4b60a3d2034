// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/attention.h"

#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "workloads/layers/dropout.h"

namespace podsim::workloads::layers {

using hlo::InstructionId;
using Ids = std::vector<InstructionId>;
using Sizes = std::vector<std::int64_t>;

namespace {

/// Replaces minus infinity in every floating-point type, as in published implementations.
constexpr double excluded_score = -1e9;

class Attention {
 public:
  Attention(TrainedTensors& tensors, const AttentionOptions& options)
      : tensors_(tensors), options_(options), b_(tensors.builder()) {}

  AttentionResult of(InstructionId x, InstructionId y, const AttentionMask& mask) {
    const InstructionId q = projected(x, "q", options_.heads);
    const InstructionId k = for_queries(projected(y, "k", options_.heads_of_keys()));
    const InstructionId v = for_queries(projected(y, "v", options_.heads_of_keys()));
    const InstructionId scores = named_dot("scores", q, k, {{0, 2}, {0, 2}, {3}, {3}});
    const Softmax softmax = softmax_of(scores, mask);
    const InstructionId weights = dropped_by_bits(b_, softmax.weights, options_.dropout);
    const InstructionId product = named_dot("context", weights, v, {{0, 1}, {0, 2}, {3}, {1}});
    const InstructionId context = softmax.divisor < 0 ? product : divided(product, softmax.divisor);
    return {output(context, b_.shape(x).dimensions[2]), {softmax.differentiated, {scores}, softmax.rule}};
  }

 private:
  InstructionId named_dot(std::string_view name, InstructionId lhs, InstructionId rhs, hlo::DotDimensions dimensions) {
    const hlo::build::GraphBuilder::Scope scope(b_, name);
    return b_.dot(lhs, rhs, std::move(dimensions));
  }

  /// x + bias; the bias has the last `dimensions` dimensions of x. x itself if the layer has no biases.
  InstructionId biased(InstructionId x, const std::string& name, std::int64_t dimensions) {
    if (!options_.biases) return x;
    const Sizes sizes = b_.shape(x).dimensions;
    Sizes places;
    for (std::int64_t i = std::int64_t(sizes.size()) - dimensions; i < std::int64_t(sizes.size()); ++i) {
      places.push_back(i);
    }
    const InstructionId bias = tensors_.vector(name, Sizes(sizes.end() - dimensions, sizes.end()));
    return b_.add(x, b_.broadcast(b_.convert(bias, b_.type(x)), sizes, places));
  }

  /// [batch, length, M] -> [batch, length, heads, D]
  InstructionId projected(InstructionId x, const std::string& name, std::int64_t heads) {
    const InstructionId w = tensors_.weight("w_" + name, {b_.shape(x).dimensions[2], heads, options_.head_size});
    return biased(named_dot(name, x, w, {{}, {}, {2}, {0}}), "b_" + name, 2);
  }

  /// [batch, length, K, D] -> [batch, length, N, D]: repeats every key head for the query heads that use it.
  InstructionId for_queries(InstructionId x) {
    const std::int64_t heads = options_.heads_of_keys(), repeats = options_.heads / heads;
    if (repeats == 1) return x;
    Sizes sizes = b_.shape(x).dimensions;
    const hlo::build::GraphBuilder::Scope scope(b_, "repeated");
    const InstructionId repeated = b_.broadcast(x, {sizes[0], sizes[1], heads, repeats, sizes[3]}, {0, 1, 2, 4});
    return b_.reshape(repeated, {sizes[0], sizes[1], options_.heads, sizes[3]});
  }

  InstructionId output(InstructionId context, std::int64_t model) {
    const InstructionId w = tensors_.weight("w_o", {options_.heads, options_.head_size, model});
    return biased(named_dot("output", context, w, {{}, {}, {1, 3}, {0, 1}}), "b_o", 1);
  }

  double scale() const { return 1 / std::sqrt(double(options_.head_size)); }

  /// Factors of the values, in the type of the activations.
  struct Softmax {
    InstructionId weights = -1;
    InstructionId divisor = -1;  ///< [batch, N, queries] of the sum over the values; -1 if the weights are divided
    InstructionId differentiated = -1;
    std::function<Ids(hlo::build::GraphBuilder&, InstructionId)> rule;  ///< its gradient to the scores'
  };

  Softmax softmax_of(InstructionId scores, const AttentionMask& mask) {
    const hlo::ElementType type = b_.type(scores), wide_type = tensors_.precision().parameter;
    const double factor = scale();
    const std::pair<InstructionId, InstructionId> found = exponentials(scores, mask);
    const InstructionId power = found.first, sum = found.second;
    if (options_.late_division) {
      const auto rule = [power, type, factor](hlo::build::GraphBuilder& builder, InstructionId g) {
        const InstructionId scaled = builder.multiply(power, builder.full_like(power, factor));
        return Ids{builder.convert(builder.multiply(g, scaled), type)};
      };
      const hlo::build::GraphBuilder::Scope scope(b_, "exponentials");
      return {b_.convert(power, type), sum, power, rule};
    }
    const InstructionId wide = divided_powers(power, sum);
    const hlo::build::GraphBuilder::Scope scope(b_, "probabilities");
    const InstructionId p = b_.convert(wide, type);
    const auto rule = [p, wide_type, factor](hlo::build::GraphBuilder& builder, InstructionId g) {
      return Ids{softmax_gradient(builder, builder.convert(p, wide_type), builder.convert(g, wide_type), factor,
                                  builder.type(p))};
    };
    return {p, -1, p, rule};
  }

  InstructionId divided_powers(InstructionId power, InstructionId sum) {
    const hlo::build::GraphBuilder::Scope scope(b_, "softmax");
    return b_.divide(power, b_.broadcast(sum, b_.shape(power).dimensions, {0, 1, 2}));
  }

  /// [batch, N, queries, D] / divisor, in the type of the product.
  InstructionId divided(InstructionId product, InstructionId divisor) {
    const hlo::build::GraphBuilder::Scope scope(b_, "division");
    const InstructionId narrow = b_.convert(divisor, b_.type(product));
    return b_.divide(product, b_.broadcast(narrow, b_.shape(product).dimensions, {0, 1, 2}));
  }

  /// exp(scores - their maximum) and its sum over the keys.
  std::pair<InstructionId, InstructionId> exponentials(InstructionId scores, const AttentionMask& mask) {
    const hlo::build::GraphBuilder::Scope scope(b_, "softmax");
    const Sizes sizes = b_.shape(scores).dimensions;
    const auto widened = [&](InstructionId value) { return b_.convert(value, tensors_.precision().parameter); };
    InstructionId scaled = options_.narrow_scores ? scores : widened(scores);
    scaled = b_.multiply(scaled, b_.full_like(scaled, scale()));
    if (mask.allowed >= 0) scaled = b_.select(mask.allowed, scaled, b_.full_like(scaled, excluded_score));
    const InstructionId highest = widened(b_.reduce_max(scaled, {3}));
    const InstructionId power = b_.exponential(b_.subtract(widened(scaled), b_.broadcast(highest, sizes, {0, 1, 2})));
    return {power, b_.reduce_add(power, {3})};
  }

  /// The gradient of the scores. It is zero for an excluded key, since p is zero.
  static InstructionId softmax_gradient(hlo::build::GraphBuilder& builder, InstructionId p, InstructionId g,
                                        double factor, hlo::ElementType type) {
    const Sizes sizes = builder.shape(p).dimensions;
    const InstructionId mean = builder.reduce_add(builder.multiply(g, p), {3});
    const InstructionId centred = builder.subtract(g, builder.broadcast(mean, sizes, {0, 1, 2}));
    return builder.convert(builder.multiply(builder.multiply(p, centred), builder.full_like(p, factor)), type);
  }

  TrainedTensors& tensors_;
  const AttentionOptions& options_;
  hlo::build::GraphBuilder& b_;
};

}  // namespace

AttentionMask causal_mask(hlo::build::GraphBuilder& b, std::int64_t batch, std::int64_t heads, std::int64_t length) {
  const hlo::Shape square = hlo::make_shape(hlo::ElementType::s32, {length, length});
  const InstructionId queries = b.iota(square, 0), keys = b.iota(square, 1);
  const InstructionId allowed = b.compare(queries, keys, hlo::ComparisonDirection::ge);
  return {b.broadcast(allowed, {batch, heads, length, length}, {2, 3})};
}

AttentionMask padding_mask(hlo::build::GraphBuilder& b, InstructionId present, std::int64_t heads,
                           std::int64_t queries) {
  const Sizes sizes = b.shape(present).dimensions;
  const InstructionId allowed = b.compare(present, b.full_like(present, 0), hlo::ComparisonDirection::ne);
  return {b.broadcast(allowed, {sizes[0], heads, queries, sizes[1]}, {0, 3})};
}

AttentionMask packed_mask(hlo::build::GraphBuilder& b, InstructionId queries, InstructionId keys, std::int64_t heads,
                          bool causal) {
  const std::int64_t batch = b.shape(queries).dimensions[0];
  const Sizes sizes{batch, heads, b.shape(queries).dimensions[1], b.shape(keys).dimensions[1]};
  const InstructionId same =
      b.compare(b.broadcast(queries, sizes, {0, 2}), b.broadcast(keys, sizes, {0, 3}), hlo::ComparisonDirection::eq);
  return {causal ? b.logical_and(same, causal_mask(b, batch, heads, sizes[2]).allowed) : same};
}

AttentionResult attention(TrainedTensors& tensors, InstructionId x, InstructionId y, const AttentionMask& mask,
                          const AttentionOptions& options) {
  return Attention(tensors, options).of(x, y, mask);
}

}  // namespace podsim::workloads::layers
