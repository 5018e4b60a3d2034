// SPDX-License-Identifier: Apache-2.0
// Part of validation/measured/published/published_steps.h.
#include <fmt/format.h>

#include <array>

#include "validation/measured/published/published_steps.h"
#include "validation/measured/published/row_words.h"
#include "validation/measured/published/software_year.h"
#include "validation/measured/published/submission.h"

namespace podsim::validation::measured::published {
namespace {

constexpr std::int64_t cores_of_chip = 2;  // TPU v2 and v3

/// A network whose published batch is a number of samples.
void run_with_batch_per_core(PublishedStep& step, const std::string& workload) {
  const std::int64_t cores = step.chips * cores_of_chip;
  const std::optional<std::int64_t> batch = leading_number(step.batch);
  if (!batch || *batch % cores != 0) {
    step.reason = fmt::format("a batch of '{}' is not one of {} cores", step.batch, cores);
    return;
  }
  step.command = {"run", workload, "--slice", step.slice, "--batch-per-core", fmt::to_string(*batch / cores)};
}

/// What MLPerf's logs have between two evaluations.
struct Loop {
  std::int64_t samples = 0;     ///< trained with
  std::int64_t evaluation = 0;  ///< evaluated
};

/// A cadence that holds a share of evaluation is that of a loop on the device, which hosts feed.
void run_as_loop(PublishedStep& step, const Loop& loop) {
  const std::optional<std::int64_t> batch = leading_number(step.batch);
  if (step.command.empty() || !batch || step.contains.find("eval") == std::string::npos) return;
  const auto steps_of = [&](std::int64_t samples) { return (samples + *batch - 1) / *batch; };
  step.command.insert(step.command.end(),
                      {"--loop", fmt::format("steps={} eval={}", steps_of(loop.samples), steps_of(loop.evaluation))});
}

/// ImageNet; evaluated every four epochs.
void run_resnet50(PublishedStep& step) {
  run_with_batch_per_core(step, "resnet50");
  run_as_loop(step, {.samples = 4 * 1'281'167, .evaluation = 50'000});
}

void run_bert(PublishedStep& step) {
  run_with_batch_per_core(step, "bert_large");
  if (!step.command.empty() && step.partitioning.find("sharded update") != std::string::npos) {
    step.command.insert(step.command.end(), {"--weight-update-sharding", "on"});
  }
}

/// "data parallel 256 x spatial 4": four cores share the images of a part of the batch.
void run_with_spatial_cut(PublishedStep& step, const std::string& workload) {
  const std::optional<std::int64_t> batch = leading_number(step.batch);
  const std::optional<std::int64_t> spatial = number_after(step.partitioning, "spatial ");
  if (!spatial) return run_with_batch_per_core(step, workload);
  if (!batch) {
    step.reason = "the row states no batch";
    return;
  }
  step.command = {"run",     workload,
                  "--slice", step.slice,
                  "--set",   fmt::format("model.batch={}", *batch),
                  "--set",   fmt::format("model.spatial={}", *spatial)};
}

/// COCO; the log on 16 chips has 625 steps of 1024 images between evaluations.
void run_ssd(PublishedStep& step) {
  run_with_spatial_cut(step, "ssd");
  run_as_loop(step, {.samples = 640'000, .evaluation = 5'000});
}
/// COCO of 2017; evaluated after every epoch.
void run_mask_rcnn(PublishedStep& step) {
  run_with_spatial_cut(step, "mask_rcnn");
  run_as_loop(step, {.samples = 118'287, .evaluation = 5'000});
}

/// The published profile of DLRM does not name the batch: the workload's own is that of the profile.
void run_dlrm(PublishedStep& step) {
  if (!step.batch.empty()) return run_with_batch_per_core(step, "dlrm");
  step.command = {"run", "dlrm", "--slice", step.slice};
}

/// "128 sequences of 1024; mesh 16 x 32; Adafactor; full rematerialisation"
void run_dense(PublishedStep& step) {
  const std::optional<std::int64_t> x = number_after(step.partitioning, "mesh "),
                                    y = number_after(step.partitioning, " x ");
  const std::optional<std::int64_t> batch = leading_number(step.batch);
  if (!x || !y || !batch) {
    step.reason = "the row states no mesh or no batch";
    return;
  }
  step.command = {"run",     step.network,
                  "--slice", step.slice,
                  "--mesh",  fmt::format("x={},y={}", *x, *y),
                  "--set",   fmt::format("model.batch={}", *batch)};
  if (const auto sequence = number_after(step.partitioning, "sequences of ")) {
    step.command.insert(step.command.end(), {"--set", fmt::format("model.sequence={}", *sequence)});
  }
  if (step.partitioning.find("full rematerialisation") != std::string::npos) {
    step.command.insert(step.command.end(), {"--rematerialise", "layer"});
  }
}

void run_transformer_mlperf(PublishedStep& step) { run_with_batch_per_core(step, "transformer_mlperf"); }

/// "5 length buckets": on average those of the published profile on 64 cores, nmt.csv. By occurrences, updates follow
/// batches of 18, 24, 30, 42 and 48 tokens (rows of the output products) in 1.4, 25.3, 33.2, 25.3 and 14.8 % of the
/// steps, 34.0 on average, and loops of 24 to 48 tokens take 19, 29, 39 and 48 trips, 31.6 on average.
void run_gnmt(PublishedStep& step) {
  run_with_batch_per_core(step, "gnmt");
  if (step.command.empty() || step.partitioning.find("length buckets") == std::string::npos) return;
  step.command.insert(step.command.end(), {"--set", "model.length=34", "--set", "model.longest=32"});
}

/// "64 sequences of 2048"; "tensor parallel 8 x data parallel 4; ... full rematerialisation; gradients accumulated over
/// 8"
void run_gpt(PublishedStep& step) {
  const auto batch = leading_number(step.batch), sequence = number_after(step.batch, "sequences of ");
  const auto model = number_after(step.partitioning, "tensor parallel "),
             data = number_after(step.partitioning, "data parallel ");
  if (!batch || !sequence || !model || !data) {
    step.reason = "the row does not state the sequences and how they and the model are cut";
    return;
  }
  step.command = {"run",     step.network,
                  "--slice", step.slice,
                  "--mesh",  fmt::format("data={},model={}", *data, *model),
                  "--set",   fmt::format("model.batch={}", *batch),
                  "--set",   fmt::format("model.sequence={}", *sequence)};
  const auto parts = number_after(step.partitioning, "accumulated over ");
  step.command.insert(step.command.end(), {"--set", fmt::format("model.accumulate={}", parts.value_or(1))});
  if (step.partitioning.find("full rematerialisation") != std::string::npos) {
    step.command.insert(step.command.end(), {"--rematerialise", "layer"});
  }
}

/// "gshard_36_layers_128_experts": half of the layers are in the encoder. "1M tokens" are 2^20 of source and target, in
/// pairs of the workload's sequences of 512.
void run_gshard(PublishedStep& step) {
  const auto layers = number_after(step.network, "gshard_"), experts = number_after(step.network, "_layers_");
  const std::optional<std::int64_t> millions = leading_number(step.batch);
  if (!layers || !experts || !millions || *layers % 2 != 0 || step.batch.find("M tokens") == std::string::npos) {
    step.reason = "the row does not state layers, experts and millions of tokens";
    return;
  }
  step.command = {"run", "gshard", "--slice", step.slice};
  for (const std::string& setting :
       {fmt::format("model.batch={}", *millions * 1024), fmt::format("model.layers={}", *layers / 2),
        fmt::format("model.encoder_layers={}", *layers / 2), fmt::format("model.experts={}", *experts)}) {
    step.command.insert(step.command.end(), {"--set", setting});
  }
}

/// Networks by the name that a row begins with.
struct Network {
  std::string_view prefix;
  void (*choose)(PublishedStep& step);
};

constexpr std::array networks = {
    Network{"resnet50", run_resnet50}, Network{"bert_large", run_bert},
    Network{"ssd_resnet34", run_ssd},  Network{"mask_rcnn", run_mask_rcnn},
    Network{"dlrm", run_dlrm},         Network{"dense_137b", run_dense},
    Network{"gshard_", run_gshard},    Network{"transformer_big_mlperf", run_transformer_mlperf},
    Network{"gnmt", run_gnmt},         Network{"gpt_6b", run_gpt}};

}  // namespace

void choose_command(PublishedStep& step) {
  if (step.generation != "v2" && step.generation != "v3") {
    step.reason = fmt::format("'{}' is no built-in machine", step.generation);
    return;
  }
  step.reason = "no workload of this network";
  for (const Network& network : networks) {
    if (!step.network.starts_with(network.prefix)) continue;
    step.reason.clear();
    network.choose(step);
    break;
  }
  if (step.command.empty()) return;
  for (const std::string& setting : submitted_settings(step)) {
    step.command.insert(step.command.end(), {"--set", setting});
  }
  if (step.generation == "v2") {
    step.command.insert(step.command.end(), {"--machine", "tpu-v2"});
  }
  if (const int year = software_year(step.source); year > 0) choose_compiler(step, sw::driver::compiler_in(year));
}

}  // namespace podsim::validation::measured::published
