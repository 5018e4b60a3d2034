// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/transformer_size.h"

namespace podsim::workloads::models {

namespace {

struct TransformerSizes {
  explicit TransformerSizes(const TransformerOptions& o)
      : heads(o.attention.heads * o.attention.head_size),
        key_heads(o.attention.heads_of_keys() * o.attention.head_size),
        queries(o.attention.heads * o.attention.query_size()),
        projections(o.attention.latent == 0 ? 2 * o.model * (heads + key_heads)
                                            : o.model * (queries + o.attention.rotary + o.attention.latent + heads) +
                                                  2 * o.attention.latent * heads),
        feed_forward((layers::is_gated(o.feed_forward.activation) ? 3 : 2) * o.model * o.feed_forward.hidden),
        embedding(o.vocabulary * o.model),
        norm((o.norm == layers::NormKind::layer_norm ? 2 : 1) * o.model),
        attention_biases(o.attention.relative_buckets * o.attention.heads +
                         (o.attention.query_key_norm ? 2 * o.attention.head_size : 0) + o.attention.latent +
                         (o.attention.biases ? heads + 2 * key_heads + o.model : 0)),
        feed_forward_biases(o.feed_forward.biases ? o.feed_forward.hidden + o.model : 0),
        mixtures(o.mixture.experts > 0 ? o.layers / o.mixture.interval : 0),
        encoder_mixtures(o.mixture.experts > 0 ? o.encoder_layers / o.mixture.interval : 0),
        gating(o.model * o.mixture.experts),
        one_norm(o.parallel_blocks) {}

  /// Elements of a layer with one attention, and of another attention in it.
  std::int64_t layer() const { return attention() + feed_forward + (one_norm ? 0 : norm) + feed_forward_biases; }
  std::int64_t attention() const { return projections + norm + attention_biases; }

  /// Additional elements of a layer whose feed-forward block is replaced by a mixture of experts.
  std::int64_t more_of_mixture(const TransformerOptions& o) const {
    return gating + (o.mixture.experts - 1) * feed_forward - feed_forward_biases;
  }

  std::int64_t heads, key_heads;  ///< elements of a token in all query heads, and in all key heads
  std::int64_t queries;           ///< elements of a token's queries, which have turned ones next to a latent
  std::int64_t projections, feed_forward, embedding, norm, attention_biases, feed_forward_biases;
  std::int64_t mixtures, encoder_mixtures;  ///< number of layers with a mixture
  std::int64_t gating;
  bool one_norm;  ///< for both blocks of a layer
};

}  // namespace

std::int64_t parameter_count(const TransformerOptions& o) {
  const TransformerSizes sizes(o);
  std::int64_t count = (o.tied_embedding ? 1 : 2) * sizes.embedding + o.layers * sizes.layer() + sizes.norm;
  if (o.position_embedding) count += o.sequence * o.model;
  if (o.encoder_layers > 0) {
    count += o.encoder_layers * sizes.layer() + sizes.norm + o.layers * sizes.attention();
    if (o.position_embedding) count += o.source_sequence * o.model;
    count += o.source_vocabulary * o.model;
  }
  count += (sizes.mixtures + (o.encoder_layers > 0 ? sizes.encoder_mixtures : 0)) * sizes.more_of_mixture(o);
  return count;
}

double model_flops(const TransformerOptions& o) {
  const TransformerSizes sizes(o);
  const double targets = double(o.batch * o.sequence), pair = 6 * double(sizes.queries + sizes.heads);
  const double layer = double(sizes.projections + sizes.feed_forward);
  const double more_of_mixture = double(sizes.feed_forward + sizes.gating);  // a token passes through two experts
  double flops = 6 * targets * (double(o.layers) * layer + double(sizes.embedding)) +
                 pair * double(o.layers) * targets * double(o.sequence) +
                 6 * targets * double(sizes.mixtures) * more_of_mixture;
  if (o.encoder_layers > 0) {
    const double sources = double(o.batch * o.source_sequence);
    flops += 6 * sources * double(sizes.encoder_mixtures) * more_of_mixture;
    flops += double(o.encoder_layers) * (6 * sources * layer + pair * sources * double(o.source_sequence));
    flops += double(o.layers) *
             (6 * double(o.model) * 2 * (targets * double(sizes.heads) + sources * double(sizes.key_heads)) +
              pair * targets * double(o.source_sequence));
  }
  return flops;
}

}  // namespace podsim::workloads::models
