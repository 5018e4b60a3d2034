// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/patch_workloads.h"

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "workloads/global_batch.h"
#include "workloads/models/patch_network.h"

namespace podsim::workloads::models {

namespace {

constexpr std::int64_t images_per_core = 64;

PatchNetworkOptions patch_defaults(PatchMixing mixing) {
  PatchNetworkOptions options;
  options.batch = 0;
  options.mixing = mixing;
  return options;
}

/// The keys of the workload, bound to the fields of `o`.
ModelKeys patch_keys(PatchNetworkOptions& o) {
  constexpr std::int64_t most = 1 << 20;
  ModelKeys keys;
  add_batch_key(keys, o.batch);
  keys.add("model.image_size", o.image_size, 1, 4096, "height and width of an image in pixels");
  keys.add("model.patch", o.patch, 1, 4096, "height and width of a patch in pixels");
  keys.add("model.classes", o.classes, 2, most, "classes to tell apart");
  keys.add("model.layers", o.layers, 1, 1024, "layers");
  keys.add("model.d_model", o.model, 1, most, "width of a patch in the network");
  keys.add("model.d_ff", o.feed_forward.hidden, 1, most, "hidden width of the blocks over channels");
  if (o.mixing == PatchMixing::attention) {
    keys.add("model.heads", o.attention.heads, 1, most, "attention heads");
    keys.add("model.d_head", o.attention.head_size, 1, most, "width of a head");
  } else {
    keys.add("model.d_patches", o.hidden_patches, 1, most, "hidden width of the blocks over patches");
  }
  keys.add("model.activation_type", o.precision.activation,
           {{"f32", hlo::ElementType::f32}, {"bf16", hlo::ElementType::bf16}}, "type of products and their results");
  keys.add("model.dropout", o.dropout, 0, 0.99, "rate for embedded patches, hidden values and results of blocks");
  return keys;
}

std::vector<ModelKey> patch_key_list(PatchMixing mixing) {
  PatchNetworkOptions defaults = patch_defaults(mixing);
  return patch_keys(defaults).list();
}

Workload build_patch_network(const WorkloadOptions& options, std::string name, PatchMixing mixing) {
  PatchNetworkOptions network = patch_defaults(mixing);
  patch_keys(network).apply(name, options.model);
  if (network.image_size % network.patch != 0) {
    throw base::InputError(
        fmt::format("model.image_size, {}, is not a multiple of model.patch, {}", network.image_size, network.patch));
  }
  network.batch = global_batch(options, network.batch, images_per_core);
  if (options.inference) network.dropout = 0;
  network.feed_forward.dropout = network.dropout;
  network.optimizer.kind = options.optimizer.value_or(network.optimizer.kind);
  Workload workload;
  workload.name = std::move(name);
  workload.samples = network.batch;
  workload.global = true;
  if (!options.inference) workload.model_flops = patch_flops(network);
  workload.batched = {"images", "labels"};
  workload.step = patch_training_step(network);
  return workload;
}

}  // namespace

WorkloadEntry vit_entry() {
  return {"vit", "Vision Transformer training step, ViT-B/16, 224 x 224 images, to be partitioned",
          patch_key_list(PatchMixing::attention),
          [](const WorkloadOptions& options) { return build_patch_network(options, "vit", PatchMixing::attention); }};
}

WorkloadEntry mixer_entry() {
  return {"mixer", "MLP-Mixer training step, Mixer-B/16, 224 x 224 images, to be partitioned",
          patch_key_list(PatchMixing::perceptron), [](const WorkloadOptions& options) {
            return build_patch_network(options, "mixer", PatchMixing::perceptron);
          }};
}

}  // namespace podsim::workloads::models
