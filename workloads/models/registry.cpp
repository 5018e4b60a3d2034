// SPDX-License-Identifier: Apache-2.0
#include "workloads/models/registry.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/diagnostic.h"
#include "workloads/decode_options.h"
#include "workloads/models/amoebanet/amoebanet_workload.h"
#include "workloads/models/bert_workload.h"
#include "workloads/models/gnmt_workload.h"
#include "workloads/models/image_workloads.h"
#include "workloads/models/inception/inception_workload.h"
#include "workloads/models/mask_rcnn/mask_rcnn_workload.h"
#include "workloads/models/mbconv_workload.h"
#include "workloads/models/patch_workloads.h"
#include "workloads/models/perceptron.h"
#include "workloads/models/recommenders/dlrm_workload.h"
#include "workloads/models/recommenders/ncf_workload.h"
#include "workloads/models/resnet50.h"
#include "workloads/models/transformer_workload.h"
#include "workloads/models/wide_resnet/wide_resnet_workload.h"
#include "workloads/pipelines/pipelined_mlp.h"
#include "workloads/pipelines/vectorised_pipeline.h"
#include "workloads/precision_keys.h"

namespace podsim::workloads::models {

namespace {

/// The keys of the workload, bound to the fields of `network`.
ModelKeys resnet_keys(ResNetOptions& network) {
  ModelKeys keys;
  keys.add("model.image_size", network.image_size, 32, 4096, "height and width of an image in pixels");
  keys.add("model.classes", network.classes, 2, 1 << 20, "classes to tell apart");
  keys.add("model.width", network.width, 1, 4096, "channels of the first convolution");
  add_gradient_type_key(keys, network.training.gradient_type);
  return keys;
}

std::vector<ModelKey> resnet_key_list() {
  ResNetOptions defaults;
  return resnet_keys(defaults).list();
}

Workload build_resnet(const WorkloadOptions& options, std::string name, std::array<std::int64_t, 4> blocks) {
  ResNetOptions network;
  network.blocks = blocks;
  resnet_keys(network).apply(name, options.model);
  network.batch = options.batch_per_core.value_or(network.batch);
  network.training.replicas = options.replicas;
  network.training.optimizer.kind = options.optimizer.value_or(network.training.optimizer.kind);
  Workload workload;
  workload.name = std::move(name);
  workload.samples = network.batch * options.replicas;
  workload.step = options.inference ? resnet_inference(network) : resnet_training_step(network);
  return workload;
}

std::vector<ModelKey> pipelined_mlp_key_list() {
  pipelines::PipelinedMlpOptions defaults;
  return pipelines::pipelined_mlp_keys(defaults).list();
}

/// The batch per core is the batch of a pipeline divided by the number of its stages.
Workload build_pipelined_mlp(const WorkloadOptions& options) {
  pipelines::PipelinedMlpOptions network;
  pipelines::pipelined_mlp_keys(network).apply("pipelined_mlp", options.model);
  if (options.replicas > 1 && options.replicas % network.stages != 0) {
    throw base::InputError(fmt::format("{} cores are not a multiple of {} stages", options.replicas, network.stages));
  }
  network.pipelines = std::max<std::int64_t>(1, options.replicas / network.stages);
  network.optimizer.kind = options.optimizer.value_or(network.optimizer.kind);
  if (options.batch_per_core) {
    const std::int64_t batch = *options.batch_per_core * network.stages;
    if (batch % network.microbatches != 0) {
      throw base::InputError(
          fmt::format("{} samples of a pipeline are not a multiple of {} micro-batches", batch, network.microbatches));
    }
    network.microbatch = batch / network.microbatches;
  }
  Workload workload;
  workload.name = "pipelined_mlp";
  workload.samples = network.pipelines * network.microbatches * network.microbatch;
  network.inference = options.inference;
  if (!options.inference) {
    workload.model_flops =
        6.0 * double(network.layers) * double(network.width * network.width) * double(workload.samples);
  }
  if (network.form == pipelines::PipelineForm::vectorised) {
    workload.global = true;
    workload.sharding = pipelines::vectorised_pipeline_sharding(network);
    workload.step = pipelines::vectorised_pipeline_step(network);
  } else {
    workload.step = pipelines::pipelined_mlp_step(network);
  }
  return workload;
}

bool has_decoder(const WorkloadEntry& entry) {
  return std::ranges::any_of(entry.keys, [](const ModelKey& key) { return key.name.starts_with("decode."); });
}

constexpr const char* moving_averages = "the moving averages of statistics, which only evaluations read";

Workload build_resnet50(const WorkloadOptions& options) { return build_resnet(options, "resnet50", {3, 4, 6, 3}); }
Workload build_resnet101(const WorkloadOptions& options) { return build_resnet(options, "resnet101", {3, 4, 23, 3}); }
Workload build_resnet152(const WorkloadOptions& options) { return build_resnet(options, "resnet152", {3, 8, 36, 3}); }

}  // namespace

const std::vector<WorkloadEntry>& workload_registry() {
  static const std::vector<WorkloadEntry> registry = {
      {"resnet50", "ResNet-50 v1.5 training step, 224 x 224 images, bf16 activations, data parallel", resnet_key_list(),
       build_resnet50, moving_averages},
      {"resnet101", "ResNet-101 v1.5, otherwise as resnet50", resnet_key_list(), build_resnet101, moving_averages},
      {"resnet152", "ResNet-152 v1.5, otherwise as resnet50", resnet_key_list(), build_resnet152, moving_averages},
      {"pipelined_mlp", "Multilayer perceptron in GPipe's pipeline, a training step, stages on cores of their own",
       pipelined_mlp_key_list(), build_pipelined_mlp},
      transformer_entry(),
      transformer_mlperf_entry(),
      gnmt_entry(),
      dense_137b_entry(),
      gpt_6b_entry(),
      gshard_entry(),
      moe_decoder_entry(),
      bert_large_entry(),
      recommenders::dlrm_entry(),
      recommenders::dlrm_global_entry(),
      recommenders::ncf_entry(),
      ssd_entry(),
      mask_rcnn::mask_rcnn_entry(),
      vit_entry(),
      mixer_entry(),
      bit_resnet50_entry(),
      wide_resnet::wide_resnet_entry(),
      inception::inception_v3_entry(),
      amoebanet::amoebanet_d_entry(),
      mbconv_entry(),
      perceptron_entry(),
      resnet50_global_entry(),
  };
  return registry;
}

Workload build_workload(std::string_view name, const WorkloadOptions& options) {
  const auto& registry = workload_registry();
  const auto found = std::ranges::find(registry, name, &WorkloadEntry::name);
  if (found == registry.end()) {
    std::vector<std::string> names;
    for (const WorkloadEntry& entry : registry) names.push_back(entry.name);
    throw base::InputError(fmt::format("'{}' is not a workload", name), base::did_you_mean(name, names));
  }
  if (options.batch_per_core.value_or(1) < 1) {
    throw base::InputError(fmt::format("a batch of {} per core is below 1", *options.batch_per_core));
  }
  check_decode_settings(options.model, options.decode);
  if (options.decode && !has_decoder(*found)) {
    std::vector<std::string> names;
    for (const WorkloadEntry& entry : registry) {
      if (has_decoder(entry)) names.push_back(entry.name);
    }
    throw base::InputError(fmt::format("{} has no decoder", name),
                           fmt::format("these have: {}", fmt::join(names, ", ")));
  }
  if (options.replicas < 1) throw base::InputError(fmt::format("{} replicas are below 1", options.replicas));
  return found->build(options);
}

}  // namespace podsim::workloads::models
