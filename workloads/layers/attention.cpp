// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/attention.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "workloads/layers/dropout.h"
#include "workloads/layers/embedding.h"
#include "workloads/layers/normalization.h"

namespace podsim::workloads::layers {

using hlo::InstructionId;
using Ids = std::vector<InstructionId>;
using Sizes = std::vector<std::int64_t>;

namespace {

/// Replaces minus infinity in every floating-point type, as in published implementations.
constexpr double excluded_score = -1e9;

/// The distance from which on all keys are in the last bucket.
constexpr double farthest = 128;

/// s32[queries, keys]: the bucket of the distance from a key to a later query; that of later keys is 0.
InstructionId distance_buckets(hlo::build::GraphBuilder& b, const Sizes& sizes, std::int64_t buckets) {
  const hlo::Shape shape = hlo::make_shape(hlo::ElementType::s32, sizes);
  const std::int64_t exact = (buckets + 1) / 2;
  const InstructionId zero = b.full(shape, 0);
  const InstructionId distance = b.maximum(b.subtract(b.iota(shape, 0), b.iota(shape, 1)), zero);
  const InstructionId far = b.convert(b.maximum(distance, b.full(shape, double(exact))), hlo::ElementType::f32);
  const double each = double(buckets - exact) / std::log(std::max(farthest, 2.0 * double(exact)) / double(exact));
  const InstructionId logarithm = b.log(b.multiply(far, b.full_like(far, 1 / double(exact))));
  const InstructionId above = b.convert(b.multiply(logarithm, b.full_like(far, each)), hlo::ElementType::s32);
  const InstructionId grown = b.add(above, b.full(shape, double(exact)));
  const InstructionId last = b.full(shape, double(buckets - 1));
  const InstructionId is_exact = b.compare(distance, b.full(shape, double(exact)), hlo::ComparisonDirection::lt);
  return b.minimum(b.select(is_exact, distance, grown), last);
}

class Attention {
 public:
  Attention(TrainedTensors& tensors, const AttentionOptions& options)
      : tensors_(tensors), options_(options), b_(tensors.builder()) {}

  AttentionResult of(InstructionId x, InstructionId y, const AttentionMask& mask) {
    const InstructionId q = scored(projected(x, "q", options_.heads), "q_norm");
    const InstructionId k = for_queries(scored(projected(y, "k", options_.heads_of_keys()), "k_norm"));
    const InstructionId v = for_queries(projected(y, "v", options_.heads_of_keys()));
    const InstructionId scores = named_dot("scores", q, k, {{0, 2}, {0, 2}, {3}, {3}});
    const Sizes sizes = b_.shape(scores).dimensions;
    const InstructionId relative = options_.relative_buckets > 0 ? relative_scores(sizes[2], sizes[3]) : -1;
    const Softmax softmax = softmax_of(scores, relative, mask);
    const InstructionId weights = dropped_by_bits(b_, softmax.weights, options_.dropout);
    const InstructionId product = named_dot("context", weights, v, {{0, 1}, {0, 2}, {3}, {1}});
    const InstructionId context = softmax.divisor < 0 ? product : divided(product, softmax.divisor);
    return {output(context, b_.shape(x).dimensions[2]),
            {softmax.differentiated, inputs_of(scores, relative), softmax.rule}};
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

  /// Queries or keys as products take them.
  InstructionId scored(InstructionId x, std::string_view norm) {
    if (options_.query_key_norm) {
      const hlo::build::GraphBuilder::Scope scope(b_, norm);
      x = normalized(tensors_, x, NormKind::rms_norm);
    }
    return options_.wide_scores ? b_.convert(x, tensors_.precision().parameter) : x;
  }

  /// [N, queries, keys]: the trained number of every distance, as a product with the buckets' one-hot rows.
  InstructionId relative_scores(std::int64_t queries, std::int64_t keys) {
    const std::int64_t buckets = options_.relative_buckets;
    const InstructionId weights = tensors_.weight("relative_positions", {options_.heads, buckets});
    const hlo::build::GraphBuilder::Scope scope(b_, "relative");
    const InstructionId numbers = distance_buckets(b_, {queries, keys}, buckets);
    const InstructionId rows = one_hot(b_, numbers, buckets, b_.type(weights));
    return b_.dot(weights, rows, {{}, {}, {1}, {2}});
  }

  static Ids inputs_of(InstructionId scores, InstructionId relative) {
    return relative < 0 ? Ids{scores} : Ids{scores, relative};
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

  /// Gradients of the scores, and of what is added to them if something is.
  struct Gradients {
    hlo::ElementType scores, relative;
    double factor = 1;  ///< of the scores
    bool has_relative = false;

    /// p times `slope`, which is zero for an excluded key, since p is.
    Ids of(hlo::build::GraphBuilder& builder, InstructionId p, InstructionId slope) const {
      const InstructionId product = builder.multiply(p, slope);
      Ids all{builder.convert(builder.multiply(product, builder.full_like(product, factor)), scores)};
      if (has_relative) all.push_back(builder.convert(builder.reduce_add(product, {0}), relative));
      return all;
    }
  };

  /// Factors of the values, in the type of the activations.
  struct Softmax {
    InstructionId weights = -1;
    InstructionId divisor = -1;  ///< [batch, N, queries] of the sum over the values; -1 if the weights are divided
    InstructionId differentiated = -1;
    std::function<Ids(hlo::build::GraphBuilder&, InstructionId)> rule;  ///< its gradient to the scores'
  };

  Softmax softmax_of(InstructionId scores, InstructionId relative, const AttentionMask& mask) {
    const hlo::ElementType type = tensors_.precision().activation, wide_type = tensors_.precision().parameter;
    const Gradients gradients{b_.type(scores), relative < 0 ? type : b_.type(relative), scale(), relative >= 0};
    const std::pair<InstructionId, InstructionId> found = exponentials(scores, relative, mask);
    const InstructionId power = found.first, sum = found.second;
    if (options_.late_division) {
      const auto rule = [power, gradients](hlo::build::GraphBuilder& builder, InstructionId g) {
        return gradients.of(builder, power, g);
      };
      const hlo::build::GraphBuilder::Scope scope(b_, "exponentials");
      return {b_.convert(power, type), sum, power, rule};
    }
    const InstructionId wide = divided_powers(power, sum);
    const hlo::build::GraphBuilder::Scope scope(b_, "probabilities");
    const InstructionId p = b_.convert(wide, type);
    const auto rule = [p, wide_type, gradients](hlo::build::GraphBuilder& builder, InstructionId g) {
      const InstructionId wide_p = builder.convert(p, wide_type), wide_g = builder.convert(g, wide_type);
      const InstructionId mean = builder.reduce_add(builder.multiply(wide_g, wide_p), {3});
      const Sizes sizes = builder.shape(wide_p).dimensions;
      return gradients.of(builder, wide_p, builder.subtract(wide_g, builder.broadcast(mean, sizes, {0, 1, 2})));
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
  std::pair<InstructionId, InstructionId> exponentials(InstructionId scores, InstructionId relative,
                                                       const AttentionMask& mask) {
    const hlo::build::GraphBuilder::Scope scope(b_, "softmax");
    const Sizes sizes = b_.shape(scores).dimensions;
    const auto widened = [&](InstructionId value) { return b_.convert(value, tensors_.precision().parameter); };
    InstructionId scaled = options_.narrow_scores ? scores : widened(scores);
    scaled = b_.multiply(scaled, b_.full_like(scaled, scale()));
    if (relative >= 0) {
      scaled = b_.add(scaled, b_.broadcast(b_.convert(relative, b_.type(scaled)), sizes, {1, 2, 3}));
    }
    if (mask.allowed >= 0) scaled = b_.select(mask.allowed, scaled, b_.full_like(scaled, excluded_score));
    const InstructionId highest = widened(b_.reduce_max(scaled, {3}));
    const InstructionId power = b_.exponential(b_.subtract(widened(scaled), b_.broadcast(highest, sizes, {0, 1, 2})));
    return {power, b_.reduce_add(power, {3})};
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
