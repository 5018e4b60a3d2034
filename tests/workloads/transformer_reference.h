// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hlo/literal.h"
#include "workloads/models/transformer.h"

/// A decoder's loss written out in loops over numbers, straight from the formulas of the papers; the oracle of the
/// graph.
namespace podsim::workloads::testing {

/// [rows, columns]
struct Matrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<double> values;
  Matrix(std::int64_t r, std::int64_t c) : rows(r), columns(c), values(r * c) {}
  double& operator()(std::int64_t i, std::int64_t j) { return values[i * columns + j]; }
  double operator()(std::int64_t i, std::int64_t j) const { return values[i * columns + j]; }
};

class ReferenceTransformer {
 public:
  using Tensors = std::map<std::string, hlo::Literal>;

  ReferenceTransformer(const models::TransformerOptions& options, const Tensors& tensors)
      : options_(options), tensors_(tensors) {}

  double loss() const {
    double total = 0;
    for (std::int64_t sample = 0; sample < options_.batch; ++sample) total += sample_loss(sample);
    return total / double(options_.batch * options_.sequence);
  }

 protected:
  /// True if query i may attend to key j.
  using Allowed = std::function<bool(std::int64_t i, std::int64_t j)>;
  static bool all(std::int64_t, std::int64_t) { return true; }
  static bool earlier(std::int64_t i, std::int64_t j) { return j <= i; }

  const std::vector<double>& tensor(const std::string& name) const { return tensors_.at(name).values; }

  /// x times a weight whose first dimensions make x's columns and whose last ones make `columns`.
  Matrix times(const Matrix& x, const std::string& weight, std::int64_t columns) const {
    const std::vector<double>& w = tensor(weight);
    Matrix y(x.rows, columns);
    for (std::int64_t i = 0; i < x.rows; ++i) {
      for (std::int64_t k = 0; k < x.columns; ++k) {
        for (std::int64_t j = 0; j < columns; ++j) y(i, j) += x(i, k) * w[k * columns + j];
      }
    }
    return y;
  }

  Matrix plus_bias(Matrix x, const std::string& name, bool has_bias) const {
    for (std::int64_t i = 0; has_bias && i < x.rows; ++i) {
      for (std::int64_t j = 0; j < x.columns; ++j) x(i, j) += tensor(name)[j];
    }
    return x;
  }

  static Matrix sum(Matrix x, const Matrix& y) {
    for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] += y.values[i];
    return x;
  }

  Matrix norm(const Matrix& x, const std::string& scope) const {
    Matrix y = x;
    for (std::int64_t i = 0; i < x.rows; ++i) {
      double mean = 0, square = 0;
      for (std::int64_t j = 0; j < x.columns; ++j) mean += x(i, j) / double(x.columns);
      if (options_.norm == layers::NormKind::rms_norm) mean = 0;
      for (std::int64_t j = 0; j < x.columns; ++j) square += (x(i, j) - mean) * (x(i, j) - mean) / double(x.columns);
      for (std::int64_t j = 0; j < x.columns; ++j) {
        y(i, j) = (x(i, j) - mean) / std::sqrt(square + 1e-6) * tensor(scope + "/scale")[j];
        if (options_.norm == layers::NormKind::layer_norm) y(i, j) += tensor(scope + "/bias")[j];
      }
    }
    return y;
  }

  /// Raffel et al. 2020: half of the buckets are distances, the others logarithms of distances up to 128.
  static std::int64_t bucket(std::int64_t distance, std::int64_t buckets) {
    const std::int64_t exact = buckets / 2;
    if (distance < exact) return distance;
    const double share = std::log(double(distance) / double(exact)) / std::log(128.0 / double(exact));
    return std::min(buckets - 1, exact + std::int64_t(share * double(buckets - exact)));
  }

  /// Each head of every row divided by the root of its mean square, times the scale.
  Matrix scored(Matrix x, const std::string& norm) const {
    if (!options_.attention.query_key_norm) return x;
    const std::int64_t size = options_.attention.head_size;
    for (std::int64_t begin = 0; begin < x.rows * x.columns; begin += size) {
      double square = 0;
      for (std::int64_t d = 0; d < size; ++d) square += x.values[begin + d] * x.values[begin + d] / double(size);
      for (std::int64_t d = 0; d < size; ++d) {
        x.values[begin + d] *= tensor(norm + "/scale")[d] / std::sqrt(square + 1e-6);
      }
    }
    return x;
  }

  /// The first elements of every head turned by the number of the row (Su et al. 2021), in pairs half of them apart.
  Matrix turned(Matrix x, std::int64_t size) const {
    const std::int64_t half = options_.attention.rotary / 2;
    for (std::int64_t i = 0; i < x.rows; ++i) {
      for (std::int64_t begin = 0; begin < x.columns; begin += size) {
        for (std::int64_t d = 0; d < half; ++d) {
          const double angle = double(i) / std::pow(10000.0, double(d) / double(half));
          const double low = x(i, begin + d), high = x(i, begin + d + half);
          x(i, begin + d) = low * std::cos(angle) - high * std::sin(angle);
          x(i, begin + d + half) = high * std::cos(angle) + low * std::sin(angle);
        }
      }
    }
    return x;
  }

  /// Keys and values of all heads that are products of a latent vector (DeepSeek-AI 2024).
  std::pair<Matrix, Matrix> of_latents(const Matrix& y, const std::string& scope) const {
    const std::int64_t heads = options_.attention.heads, size = options_.attention.head_size;
    const std::int64_t rotary = options_.attention.rotary, latent = options_.attention.latent;
    const Matrix down = turned(times(y, scope + "/w_down", rotary + latent), rotary + latent);
    Matrix c(y.rows, latent), k(y.rows, heads * (rotary + size));
    for (std::int64_t i = 0; i < y.rows; ++i) {
      double square = 0;
      for (std::int64_t j = 0; j < latent; ++j) square += down(i, rotary + j) * down(i, rotary + j) / double(latent);
      for (std::int64_t j = 0; j < latent; ++j) {
        c(i, j) = down(i, rotary + j) / std::sqrt(square + 1e-6) * tensor(scope + "/latent_norm/scale")[std::size_t(j)];
      }
    }
    const Matrix own = times(c, scope + "/w_uk", heads * size);
    for (std::int64_t i = 0; i < y.rows; ++i) {
      for (std::int64_t h = 0; h < heads; ++h) {
        for (std::int64_t d = 0; d < rotary; ++d) k(i, h * (rotary + size) + d) = down(i, d);
        for (std::int64_t d = 0; d < size; ++d) k(i, h * (rotary + size) + rotary + d) = own(i, h * size + d);
      }
    }
    return {k, times(c, scope + "/w_uv", heads * size)};
  }

  Matrix attended(const Matrix& x, const Matrix& y, const std::string& scope, const Allowed& reach) const {
    const std::int64_t window = options_.attention.window;
    const Allowed allowed = [&](std::int64_t i, std::int64_t j) {
      return reach(i, j) && (window == 0 || i - j < window);
    };
    const std::int64_t heads = options_.attention.heads, size = options_.attention.head_size;
    const bool biased = options_.attention.biases;
    const std::int64_t key_heads = options_.attention.key_heads > 0 ? options_.attention.key_heads : heads;
    const auto project = [&](const Matrix& from, const std::string& name, std::int64_t count) {
      return plus_bias(times(from, scope + "/w_" + name, count), scope + "/b_" + name, biased);
    };
    const std::int64_t width = options_.attention.latent > 0 ? options_.attention.rotary + size : size;
    const Matrix q = turned(scored(project(x, "q", heads * width), scope + "/q_norm"), width);
    const auto [k, v] = options_.attention.latent > 0
                            ? of_latents(y, scope)
                            : std::pair{turned(scored(project(y, "k", key_heads * size), scope + "/k_norm"), size),
                                        project(y, "v", key_heads * size)};
    Matrix context(x.rows, heads * size);
    for (std::int64_t h = 0; h < heads; ++h) {
      const std::int64_t shared = h * key_heads / heads;
      for (std::int64_t i = 0; i < x.rows; ++i) {
        std::vector<double> weight;
        double sum_of_weights = 0;
        for (std::int64_t j = 0; j < y.rows; ++j) {
          double score = 0;
          for (std::int64_t d = 0; d < width; ++d) score += q(i, h * width + d) * k(j, shared * width + d);
          score /= std::sqrt(double(width));
          const std::int64_t buckets = options_.attention.relative_buckets;
          if (buckets > 0 && allowed(i, j)) {
            score += tensor(scope + "/relative_positions")[h * buckets + bucket(i - j, buckets)];
          }
          weight.push_back(allowed(i, j) ? std::exp(score) : 0);
          sum_of_weights += weight.back();
        }
        for (std::size_t j = 0; j < weight.size(); ++j) {
          for (std::int64_t d = 0; d < size; ++d) {
            context(i, h * size + d) += weight[j] / sum_of_weights * v(std::int64_t(j), shared * size + d);
          }
        }
      }
    }
    return plus_bias(times(context, scope + "/w_o", options_.model), scope + "/b_o", biased);
  }

  double bent(double x) const {
    switch (options_.feed_forward.activation) {
      case layers::Activation::relu:
        return x > 0 ? x : 0;
      case layers::Activation::swiglu:
        return x / (1 + std::exp(-x));
      default:
        return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    }
  }

  Matrix feed_forward(const Matrix& x, const std::string& scope) const {
    const std::int64_t hidden = options_.feed_forward.hidden;
    const bool biased = options_.feed_forward.biases;
    Matrix y = plus_bias(times(x, scope + "/w_in", hidden), scope + "/b_in", biased);
    for (double& value : y.values) value = bent(value);
    if (layers::is_gated(options_.feed_forward.activation)) {
      const Matrix gate = times(x, scope + "/w_gate", hidden);
      for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] *= gate.values[i];
    }
    return plus_bias(times(y, scope + "/w_out", options_.model), scope + "/b_out", biased);
  }

  Matrix embedded(const std::string& tokens, std::int64_t sample, const std::string& scope) const {
    const std::int64_t length = tensors_.at(tokens).shape.dimensions[1];
    Matrix x(length, options_.model);
    for (std::int64_t i = 0; i < length; ++i) {
      const auto token = std::int64_t(tensor(tokens)[sample * length + i]);
      for (std::int64_t j = 0; j < options_.model; ++j) {
        x(i, j) = tensor("embedding")[token * options_.model + j];
        if (options_.position_embedding) x(i, j) += tensor(scope + "position_embedding")[i * options_.model + j];
      }
    }
    return x;
  }

  /// Which tokens of a packed sequence may attend to which: those of one sentence for which `order` holds.
  Allowed packed(const std::string& queries, const std::string& keys, std::int64_t sample, const Allowed& order) const {
    if (!options_.packed) return order;
    const auto sentence = [this, sample](const std::string& name, std::int64_t i) {
      return tensor(name)[std::size_t(sample * tensors_.at(name).shape.dimensions[1] + i)];
    };
    return [=](std::int64_t i, std::int64_t j) { return order(i, j) && sentence(queries, i) == sentence(keys, j); };
  }

  Matrix encoded(std::int64_t sample) const {
    Matrix x = embedded("source_tokens", sample, "encoder/");
    for (std::int64_t i = 0; i < options_.encoder_layers; ++i) {
      const std::string layer = "encoder/layer" + std::to_string(i);
      const Matrix y = norm(x, layer + "/attention/norm");
      x = sum(x, attended(y, y, layer + "/attention", packed("source_sentences", "source_sentences", sample, all)));
      x = sum(x, feed_forward(norm(x, layer + "/ffn/norm"), layer + "/ffn"));
    }
    return norm(x, "encoder/final_norm");
  }

  double sample_loss(std::int64_t sample) const {
    Matrix x = embedded("tokens", sample, "");
    const Matrix memory = options_.encoder_layers > 0 ? encoded(sample) : Matrix(0, 0);
    for (std::int64_t i = 0; i < options_.layers; ++i) {
      const std::string layer = "layer" + std::to_string(i);
      if (options_.parallel_blocks) {
        const Matrix read = norm(x, layer + "/norm");
        const Matrix found = attended(read, read, layer + "/attention", earlier);
        x = sum(x, sum(found, feed_forward(read, layer + "/ffn")));
        continue;
      }
      const Matrix y = norm(x, layer + "/attention/norm");
      x = sum(x, attended(y, y, layer + "/attention", packed("sentences", "sentences", sample, earlier)));
      if (options_.encoder_layers > 0) {
        x = sum(x, attended(norm(x, layer + "/cross_attention/norm"), memory, layer + "/cross_attention",
                            packed("sentences", "source_sentences", sample, all)));
      }
      x = sum(x, feed_forward(norm(x, layer + "/ffn/norm"), layer + "/ffn"));
    }
    return cross_entropy(norm(x, "final_norm"), sample);
  }

  double cross_entropy(const Matrix& x, std::int64_t sample) const {
    const std::vector<double>& table = tensor(options_.tied_embedding ? "embedding" : "unembedding");
    double total = 0;
    for (std::int64_t i = 0; i < x.rows; ++i) {
      std::vector<double> logits(options_.vocabulary);
      double all = 0, mean = 0;
      for (std::int64_t v = 0; v < options_.vocabulary; ++v) {
        for (std::int64_t j = 0; j < options_.model; ++j) logits[v] += x(i, j) * table[v * options_.model + j];
        all += std::exp(logits[v]);
        mean += logits[v] / double(options_.vocabulary);
      }
      const double of_target = logits[std::size_t(tensor("targets")[sample * x.rows + i])];
      total += std::log(all) - (1 - options_.label_smoothing) * of_target - options_.label_smoothing * mean;
    }
    return total;
  }

  const models::TransformerOptions& options_;
  const Tensors& tensors_;
};

}  // namespace podsim::workloads::testing
