// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/attention.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "workloads/layers/dropout.h"
#include "workloads/layers/embedding.h"
#include "workloads/layers/key_value_cache.h"
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

/// The period of the slowest pair of rotary positions is nearly 2 pi times this.
constexpr double rotary_base = 10000;

/// How far each key is before a query: s32[queries, keys].
InstructionId distances(hlo::build::GraphBuilder& b, const Sizes& sizes) {
  const hlo::Shape shape = hlo::make_shape(hlo::ElementType::s32, sizes);
  return b.subtract(b.iota(shape, 0), b.iota(shape, 1));
}

/// The buckets of distances from keys to later queries, by the elements of `before`; later keys have 0.
InstructionId distance_buckets(hlo::build::GraphBuilder& b, InstructionId before, std::int64_t buckets) {
  const hlo::Shape shape = b.shape(before);
  const std::int64_t exact = (buckets + 1) / 2;
  const InstructionId distance = b.maximum(before, b.full(shape, 0));
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
    const InstructionId places = options_.rotary > 0 ? row_of_positions(b_.shape(x).dimensions[1]) : -1;
    const InstructionId q = rotated(scored(projected(x, "q", options_.heads), "q_norm"), places);
    InstructionId k = -1, v = -1;
    if (options_.latent > 0) {
      std::tie(k, v) = expanded(rotated(latents(y), places));
    } else {
      k = for_queries(rotated(scored(projected(y, "k", options_.heads_of_keys()), "k_norm"), places));
      v = for_queries(projected(y, "v", options_.heads_of_keys()));
    }
    const InstructionId scores = named_dot("scores", q, k, {{0, 2}, {0, 2}, {3}, {3}});
    const Sizes sizes = b_.shape(scores).dimensions;
    const InstructionId relative = options_.relative_buckets > 0 ? relative_scores([&] {
      return distances(b_, {sizes[2], sizes[3]});
    })
                                                                 : -1;
    const Softmax softmax = softmax_of(scores, relative, mask);
    const InstructionId weights = dropped_by_bits(b_, softmax.weights, options_.dropout);
    const InstructionId product = named_dot("context", weights, v, {{0, 1}, {0, 2}, {3}, {1}});
    const InstructionId context = softmax.divisor < 0 ? product : divided(product, softmax.divisor);
    return {output(context, b_.shape(x).dimensions[2]),
            {softmax.differentiated, inputs_of(scores, relative), softmax.rule}};
  }

  InstructionId cached(InstructionId x, std::span<KeyValueCache> caches) {
    const InstructionId q = scored(projected(x, "q", options_.heads), "q_norm");
    const bool has_latents = options_.latent > 0;
    const InstructionId fresh_k =
        has_latents ? latents(x) : scored(projected(x, "k", options_.heads_of_keys()), "k_norm");
    const InstructionId fresh_v = has_latents ? -1 : projected(x, "v", options_.heads_of_keys());
    Ids contexts;
    std::int64_t row = 0;
    for (KeyValueCache& cache : caches) {
      const std::int64_t rows = cache.options().sequences * cache.options().new_tokens;
      const auto part = [&, first = row](InstructionId all) {
        return caches.size() == 1 ? all : rows_of(all, first, rows, cache.options().sequences);
      };
      row += rows;
      const InstructionId places = cache.positions();
      if (has_latents) {
        contexts.push_back(over_latents(rotated(part(q), places), rotated(part(fresh_k), places), cache));
        continue;
      }
      const KeyValueCache::Side keys = cache.append("k", rotated(part(fresh_k), places));
      const KeyValueCache::Side values = cache.append("v", part(fresh_v));
      const InstructionId relative =
          options_.relative_buckets > 0 ? relative_scores([&] { return cache.distances(); }) : -1;
      contexts.push_back(attended(rotated(part(q), places), keys, values, relative, cache.mask(options_.heads)));
    }
    return output(caches.size() == 1 ? contexts.front() : together(contexts, row), b_.shape(x).dimensions[2]);
  }

  InstructionId cached_cross(InstructionId x, InstructionId memory, std::int64_t source, KeyValueCache& cache) {
    const InstructionId q = scored(projected(x, "q", options_.heads), "q_norm");
    InstructionId k = -1, v = -1;
    if (memory >= 0) {
      k = scored(projected(memory, "k", options_.heads_of_keys()), "k_norm");
      v = projected(memory, "v", options_.heads_of_keys());
    }
    const hlo::Shape shape =
        hlo::make_shape(tensors_.precision().activation,
                        {b_.shape(x).dimensions[0], options_.heads_of_keys(), source, options_.head_size});
    const KeyValueCache::Side keys{cache.kept("k", shape, k)}, values{cache.kept("v", shape, v)};
    return output(attended(q, keys, values, -1, {}), b_.shape(x).dimensions[2]);
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

  /// [batch, length, M] -> [batch, length, heads, D], of queries with more elements if there are latents
  InstructionId projected(InstructionId x, const std::string& name, std::int64_t heads) {
    const std::int64_t size = name == "q" ? options_.query_size() : options_.head_size;
    const InstructionId w = tensors_.weight("w_" + name, {b_.shape(x).dimensions[2], heads, size});
    return biased(named_dot(name, x, w, {{}, {}, {2}, {0}}), "b_" + name, 2);
  }

  /// Elements `from` to `to` of the last dimension.
  InstructionId elements(InstructionId x, std::int64_t from, std::int64_t to) {
    std::vector<hlo::SliceDimension> slice;
    for (const std::int64_t size : b_.shape(x).dimensions) slice.push_back({0, size, 1});
    slice.back() = {from, to, 1};
    return b_.slice(x, std::move(slice));
  }

  /// [batch, length, M] -> [batch, length, 1, rotary + C]: what is turned, then the normalised latent.
  InstructionId latents(InstructionId x) {
    const std::int64_t turned = options_.rotary, all = turned + options_.latent;
    const InstructionId w = tensors_.weight("w_down", {b_.shape(x).dimensions[2], all});
    const InstructionId down = named_dot("latent", x, w, {{}, {}, {2}, {0}});
    const InstructionId latent = [&] {
      const hlo::build::GraphBuilder::Scope scope(b_, "latent_norm");
      return normalized(tensors_, elements(down, turned, all), NormKind::rms_norm);
    }();
    const Sizes sizes = b_.shape(x).dimensions;
    return b_.reshape(b_.concatenate({elements(down, 0, turned), latent}, 2), {sizes[0], sizes[1], 1, all});
  }

  /// "w_uk" or "w_uv", which all caches have in common.
  InstructionId up_weight(const char* name) {
    const auto [known, is_new] = up_weights_.try_emplace(name);
    if (is_new) known->second = tensors_.weight(name, {options_.latent, options_.heads, options_.head_size});
    return known->second;
  }

  /// Keys [B, T, N, rotary + D] and values [B, T, N, D] of turned latents [B, T, 1, rotary + C].
  std::pair<InstructionId, InstructionId> expanded(InstructionId latent) {
    const Sizes s = b_.shape(latent).dimensions;
    const InstructionId rows = b_.reshape(latent, {s[0], s[1], s[3]});
    const InstructionId own = elements(rows, options_.rotary, s[3]);
    const InstructionId k = named_dot("k", own, up_weight("w_uk"), {{}, {}, {2}, {0}});
    const InstructionId v = named_dot("v", own, up_weight("w_uv"), {{}, {}, {2}, {0}});
    const InstructionId common =
        b_.broadcast(elements(rows, 0, options_.rotary), {s[0], s[1], options_.heads, options_.rotary}, {0, 1, 3});
    return {b_.concatenate({common, k}, 3), v};
  }

  /// Contexts [B, N, T, D] of queries [B, T, N, rotary + D] over a cache to which latents [B, T, 1, rotary + C] come.
  InstructionId over_latents(InstructionId q, InstructionId latent, KeyValueCache& cache) {
    const KeyValueCache::Side all = cache.append("latent", latent);
    const AttentionMask mask = cache.mask(options_.heads);
    if (cache.options().starts) {
      const auto [k, v] = expanded(latent);
      return attended(q, {b_.transpose(k, {0, 2, 1, 3})}, {b_.transpose(v, {0, 2, 1, 3})}, -1, mask);
    }
    const std::int64_t turned = options_.rotary, size = options_.query_size();
    // [N, B, T, C] -> [B, T, N, C]
    const InstructionId own = b_.transpose(
        named_dot("latent_q", elements(q, turned, size), up_weight("w_uk"), {{2}, {1}, {3}, {2}}), {1, 2, 0, 3});
    const InstructionId sums = attended(b_.concatenate({elements(q, 0, turned), own}, 3), all, all, -1, mask);
    const InstructionId latents_of = elements(sums, turned, turned + options_.latent);  // [B, N, T, C]
    return b_.transpose(named_dot("latent_context", latents_of, up_weight("w_uv"), {{1}, {1}, {3}, {0}}), {1, 0, 2, 3});
  }

  /// Queries or keys as products take them.
  InstructionId scored(InstructionId x, std::string_view norm) {
    if (options_.query_key_norm) {
      const hlo::build::GraphBuilder::Scope scope(b_, norm);
      x = normalized(tensors_, x, NormKind::rms_norm);
    }
    return options_.wide_scores ? b_.convert(x, tensors_.precision().parameter) : x;
  }

  /// The trained number of every distance, as a product with the buckets' one-hot rows: [N, queries, keys], or for
  /// distances [B, queries, keys] with B above 1 [B, N, queries, keys].
  InstructionId relative_scores(const std::function<InstructionId()>& distances_of) {
    const std::int64_t buckets = options_.relative_buckets;
    if (relative_weights_ < 0) relative_weights_ = tensors_.weight("relative_positions", {options_.heads, buckets});
    const InstructionId weights = relative_weights_;
    const hlo::build::GraphBuilder::Scope scope(b_, "relative");
    InstructionId before = distances_of();
    Sizes sizes = b_.shape(before).dimensions;
    if (sizes.size() == 3 && sizes[0] == 1) before = b_.reshape(before, {sizes[1], sizes[2]});
    const InstructionId numbers = distance_buckets(b_, before, buckets);
    const InstructionId rows = one_hot(b_, numbers, buckets, b_.type(weights));
    const int last = b_.shape(before).rank();
    const InstructionId product = b_.dot(weights, rows, {{}, {}, {1}, {last}});
    return last == 3 ? b_.transpose(product, {1, 0, 2, 3}) : product;
  }

  /// s32[1, length]: 0, 1, ....
  InstructionId row_of_positions(std::int64_t length) {
    return b_.iota(hlo::make_shape(hlo::ElementType::s32, {1, length}), 1);
  }

  /// Queries or keys [B, T, heads, D] turned by `positions` s32[B or 1, T].
  InstructionId rotated(InstructionId x, InstructionId positions) {
    const std::int64_t rotary = options_.rotary;
    if (rotary == 0) return x;
    const hlo::build::GraphBuilder::Scope scope(b_, "rotary");
    const hlo::ElementType wide = tensors_.precision().parameter;
    const Sizes sizes = b_.shape(x).dimensions;
    const Sizes half{sizes[0], sizes[1], sizes[2], rotary / 2};
    const auto part = [&](std::int64_t from, std::int64_t to) {
      return b_.slice(x, {{0, sizes[0], 1}, {0, sizes[1], 1}, {0, sizes[2], 1}, {from, to, 1}});
    };
    const Sizes places = b_.shape(positions).dimensions;
    const Sizes angle_sizes{places[0], places[1], rotary / 2};
    const InstructionId pair = b_.convert(b_.iota(hlo::make_shape(hlo::ElementType::s32, angle_sizes), 2), wide);
    const InstructionId rate =
        b_.exponential(b_.multiply(pair, b_.full_like(pair, -2 * std::log(rotary_base) / double(rotary))));
    const InstructionId angle = b_.multiply(b_.broadcast(b_.convert(positions, wide), angle_sizes, {0, 1}), rate);
    const auto over_heads = [&](InstructionId value) {
      return places[0] == sizes[0] ? b_.broadcast(value, half, {0, 1, 3})
                                   : b_.broadcast(b_.reshape(value, {places[1], rotary / 2}), half, {1, 3});
    };
    const InstructionId cosine = over_heads(b_.unary(hlo::Opcode::cosine, angle));
    const InstructionId sine = over_heads(b_.unary(hlo::Opcode::sine, angle));
    const InstructionId low = b_.convert(part(0, rotary / 2), wide);
    const InstructionId high = b_.convert(part(rotary / 2, rotary), wide);
    Ids parts{b_.convert(b_.subtract(b_.multiply(low, cosine), b_.multiply(high, sine)), b_.type(x)),
              b_.convert(b_.add(b_.multiply(high, cosine), b_.multiply(low, sine)), b_.type(x))};
    if (rotary < sizes[3]) parts.push_back(part(rotary, sizes[3]));
    return b_.concatenate(parts, 3);
  }

  /// [B, T, N, D] -> [B, K, rows, D]: the rows of a key head are its query heads, each with all its tokens.
  InstructionId by_key_head(InstructionId q, std::int64_t heads) {
    const Sizes s = b_.shape(q).dimensions;
    const std::int64_t repeats = options_.heads / heads;
    const InstructionId grouped = b_.transpose(b_.reshape(q, {s[0], s[1], heads, repeats, s[3]}), {0, 2, 3, 1, 4});
    return b_.reshape(grouped, {s[0], heads, repeats * s[1], s[3]});
  }

  /// `x` [B, N, T, keys] times scales [B, K, keys].
  InstructionId scaled(InstructionId x, InstructionId scale) {
    if (scale < 0) return x;
    const Sizes s = b_.shape(x).dimensions;
    const std::int64_t heads = b_.shape(scale).dimensions[1];
    const InstructionId wide =
        b_.broadcast(b_.convert(scale, b_.type(x)), {s[0], heads, s[1] / heads, s[2], s[3]}, {0, 1, 4});
    return b_.multiply(x, b_.reshape(wide, s));
  }

  /// Rows of [1, all rows, heads, D] as those of `sequences` sequences: [B, T, heads, D].
  InstructionId rows_of(InstructionId x, std::int64_t first, std::int64_t rows, std::int64_t sequences) {
    const Sizes s = b_.shape(x).dimensions;
    const InstructionId part = b_.slice(x, {{0, 1, 1}, {first, first + rows, 1}, {0, s[2], 1}, {0, s[3], 1}});
    return b_.reshape(part, {sequences, rows / sequences, s[2], s[3]});
  }

  /// Contexts [B, N, T, D] of several caches as one, [1, N, rows, D].
  InstructionId together(const Ids& contexts, std::int64_t rows) {
    Ids parts;
    for (const InstructionId context : contexts) {
      const Sizes s = b_.shape(context).dimensions;
      parts.push_back(b_.reshape(b_.transpose(context, {1, 0, 2, 3}), {1, s[1], s[0] * s[2], s[3]}));
    }
    const Sizes s = b_.shape(parts.front()).dimensions;
    const InstructionId all = b_.concatenate(parts, 2);
    return b_.reshape(all, {1, s[1], rows, s[3]});
  }

  /// The contexts [B, N, T, D] of queries [B, T, N, D] over all keys and values.
  InstructionId attended(InstructionId q, const KeyValueCache::Side& keys, const KeyValueCache::Side& values,
                         InstructionId relative, const AttentionMask& mask) {
    const Sizes s = b_.shape(q).dimensions, all = b_.shape(keys.numbers).dimensions;
    const bool by_page = all.size() == 5;  // [B, pages, K, page, D]
    const int head = by_page ? 2 : 1, features = by_page ? 4 : 3;
    const std::int64_t length = by_page ? all[1] * all[3] : all[2], heads = all[std::size_t(head)];
    const std::int64_t size = b_.shape(values.numbers).dimensions.back();
    const std::int64_t repeats = s[2] / heads;
    const InstructionId k = b_.convert(keys.numbers, b_.type(q));
    const InstructionId v = b_.convert(values.numbers, tensors_.precision().activation);
    const InstructionId product = named_dot("scores", by_key_head(q, heads), k, {{0, 1}, {0, head}, {3}, {features}});
    const InstructionId scores = scaled(b_.reshape(product, {s[0], s[2], s[1], length}), keys.scale);
    const Softmax softmax = softmax_of(scores, relative, mask);
    const InstructionId weights = scaled(softmax.weights, values.scale);
    Sizes rows{s[0], heads, repeats * s[1], length};
    hlo::DotDimensions over_keys{{0, 1}, {0, head}, {3}, {2}};
    if (by_page) {
      rows = {s[0], heads, repeats * s[1], all[1], all[3]};
      over_keys.lhs_contracting = {3, 4};
      over_keys.rhs_contracting = {1, 3};
    }
    const InstructionId sum = named_dot("context", b_.reshape(weights, rows), v, over_keys);
    const InstructionId context = b_.reshape(sum, {s[0], s[2], s[1], size});
    return softmax.divisor < 0 ? context : divided(context, softmax.divisor);
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

  double scale() const { return 1 / std::sqrt(double(options_.query_size())); }

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
      const Sizes dimensions = b_.shape(relative).rank() == 4 ? Sizes{0, 1, 2, 3} : Sizes{1, 2, 3};
      scaled = b_.add(scaled, b_.broadcast(b_.convert(relative, b_.type(scaled)), sizes, dimensions));
    }
    if (mask.allowed >= 0) scaled = b_.select(mask.allowed, scaled, b_.full_like(scaled, excluded_score));
    const InstructionId highest = widened(b_.reduce_max(scaled, {3}));
    const InstructionId power = b_.exponential(b_.subtract(widened(scaled), b_.broadcast(highest, sizes, {0, 1, 2})));
    return {power, b_.reduce_add(power, {3})};
  }

  TrainedTensors& tensors_;
  const AttentionOptions& options_;
  hlo::build::GraphBuilder& b_;
  InstructionId relative_weights_ = -1;  ///< [N, buckets], once it is read
  std::map<std::string, InstructionId> up_weights_;
};

}  // namespace

AttentionMask causal_mask(hlo::build::GraphBuilder& b, std::int64_t batch, std::int64_t heads, std::int64_t length,
                          std::int64_t window) {
  const hlo::Shape square = hlo::make_shape(hlo::ElementType::s32, {length, length});
  const InstructionId queries = b.iota(square, 0), keys = b.iota(square, 1);
  InstructionId allowed = b.compare(queries, keys, hlo::ComparisonDirection::ge);
  if (window > 0) {
    const InstructionId reach = b.add(keys, b.full_like(keys, double(window)));
    allowed = b.logical_and(allowed, b.compare(queries, reach, hlo::ComparisonDirection::lt));
  }
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

InstructionId cached_attention(TrainedTensors& tensors, InstructionId x, std::span<KeyValueCache> caches,
                               const AttentionOptions& options) {
  return Attention(tensors, options).cached(x, caches);
}

InstructionId cached_cross_attention(TrainedTensors& tensors, InstructionId x, InstructionId memory,
                                     std::int64_t source, KeyValueCache& cache, const AttentionOptions& options) {
  return Attention(tensors, options).cached_cross(x, memory, source, cache);
}

}  // namespace podsim::workloads::layers
