// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/published/published_points.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>

#include "base/csv_rows.h"
#include "validation/measured/published/row_words.h"
#include "validation/measured/published/software_year.h"
#include "workloads/models/transformer_size.h"

namespace podsim::validation::measured::published {
namespace {

constexpr std::int64_t imagenet_images = 1'281'167;
constexpr double peak_of_a_core = 61.5e12;  ///< FLOP/s of a TPU v3, published

struct Point {
  std::string kind, configuration, unit;
  double value = 0;
  double half_digit = 0;  ///< half a unit of the last digit that is printed
};

double half_of_last_digit(const std::string& number) {
  const std::size_t point = number.find('.');
  return 0.5 * std::pow(10.0, point == std::string::npos ? 0 : -double(number.size() - point - 1));
}

std::string slice_of(std::int64_t chips) {
  switch (chips) {
    case 4:
      return "2x2";
    case 16:
      return "4x4";
    case 64:
      return "8x8";
    case 128:
      return "16x8";
    default:
      return "";
  }
}

/// "v3-32" and "32 v3 cores" count cores, of which a chip has two.
std::int64_t chips_of(std::string_view configuration) {
  if (const auto chips = number_before(configuration, " chips")) return *chips;
  for (const char* name : {"v3-", "v2-"}) {
    if (const auto cores = number_after(configuration, name)) return *cores / 2;
  }
  for (const char* name : {" v3 cores", " v2 cores"}) {
    if (const auto cores = number_before(configuration, name)) return *cores / 2;
  }
  return 0;
}

void set_time(PublishedStep& step, double seconds) { step.min_s = step.max_s = seconds; }

void add_settings(PublishedStep& step, std::initializer_list<std::string> settings) {
  for (const std::string& setting : settings) step.command.insert(step.command.end(), {"--set", setting});
}

std::string setting(std::string_view key, std::int64_t value) { return fmt::format("model.{}={}", key, value); }

/// "GPT-2 345M (d1024 24 L 16 heads s1024); FSDP; v3-256 (128 chips, 16x8)": Levanter's GPT-2, with whole layers
/// recomputed. The source states no batch: 512 sequences, two a core, are those of most of its configurations.
void run_gpt2(PublishedStep& step, const Point& point) {
  constexpr std::int64_t batch = 512;
  const std::string_view text = point.configuration;
  const auto width = number_after(text, "(d"), layers = number_before(text, " L "),
             heads = number_before(text, " heads"), sequence = number_after(text, " s");
  if (!width || !layers || !heads || !sequence || point.unit != "% MFU") {
    step.reason = "the row does not state width, layers, heads, sequence and utilisation";
    return;
  }
  workloads::models::TransformerOptions network;
  network.batch = batch;
  network.sequence = *sequence;
  network.vocabulary = 50257;
  network.layers = *layers;
  network.model = *width;
  network.attention = {*heads, *width / *heads};
  network.feed_forward.hidden = 4 * *width;
  const double cores = 2 * double(step.chips);
  set_time(step, workloads::models::model_flops(network) / (point.value / 100 * cores * peak_of_a_core));
  step.batch = fmt::format("{} assumed", batch);
  step.command = {"run", "transformer", "--slice", step.slice, "--rematerialise", "layer"};
  add_settings(step, {setting("batch", batch), setting("sequence", *sequence),
                      setting("vocabulary", network.vocabulary), setting("layers", *layers), setting("d_model", *width),
                      setting("heads", *heads), setting("d_head", *width / *heads), setting("d_ff", 4 * *width),
                      "model.biases=on", "model.lookup=gather", "model.shard_weights=on"});
}

/// "MaxText default: 16 layers d2048 ff8192 8 heads of 256, vocabulary 32,768, sequence 1024, ...": its blocks read one
/// norm in parallel; norms of queries and keys, relative positions and logits in f32 are left out. 16 sequences a core
/// follow from the FLOPs that the source states.
void run_maxtext(PublishedStep& step, const Point& point) {
  const std::string_view text = point.configuration;
  const auto width = number_after(text, " layers d"), layers = number_before(text, " layers"),
             hidden = number_after(text, " ff"), heads = number_before(text, " heads"),
             head = number_after(text, "heads of "), sequence = number_after(text, "sequence ");
  if (!width || !layers || !hidden || !heads || !head || !sequence) {
    step.reason = "the row does not state the sizes of the network";
    return;
  }
  const std::int64_t batch = 16 * 2 * step.chips;
  step.batch = fmt::format("{} derived", batch);
  step.command = {"run", "transformer", "--slice", step.slice, "--rematerialise", "unbatched-dots"};
  add_settings(
      step,
      {setting("batch", batch), setting("sequence", *sequence), "model.vocabulary=32768", setting("layers", *layers),
       setting("d_model", *width), setting("heads", *heads), setting("d_head", *head), setting("d_ff", *hidden),
       "model.activation=relu", "model.norm=rms_norm", "model.parallel_blocks=on", "model.position_embedding=off",
       "model.relative_buckets=32", "model.query_key_norm=on", "model.lookup=gather", "model.shard_weights=on"});
}

/// "Transformer WMT default, length 256 packed, 32 per core, v3-32"
void run_wmt(PublishedStep& step, const Point& point) {
  const auto length = number_after(point.configuration, "length "),
             batch = number_before(point.configuration, " per core");
  if (!length || !batch) {
    step.reason = "the row states no length or no batch";
    return;
  }
  step.batch = fmt::format("{} per core", *batch);
  step.command = {"run", "transformer_mlperf", "--slice", step.slice, "--batch-per-core", fmt::to_string(*batch)};
  add_settings(step, {"model.vocabulary=32000", setting("sequence", *length), setting("source_sequence", *length),
                      "model.gradient_type=f32"});
}

/// The published code names no narrower type than f32.
void run_bit(PublishedStep& step, const Point& point) {
  const auto batch = number_after(point.configuration, "batch ");
  if (!batch) {
    step.reason = "the row states no batch";
    return;
  }
  step.batch = fmt::to_string(*batch);
  step.command = {"run", "bit_resnet50", "--slice", step.slice};
  add_settings(step, {setting("batch", *batch), "model.activation_type=f32"});
}

/// An epoch in TensorFlow of 2018.
void run_resnet_point(PublishedStep& step, const Point& point) {
  const auto batch = number_after(point.configuration, "batch ");
  const std::int64_t cores = 2 * step.chips;
  if (!batch || *batch % cores != 0) {
    step.reason = "the row states no batch of its cores";
    return;
  }
  step.batch = fmt::to_string(*batch);
  step.command = {"run", "resnet50", "--slice", step.slice, "--batch-per-core", fmt::to_string(*batch / cores)};
  add_settings(step, {"model.gradient_type=f32"});
}

/// "AmoebaNet-D N6F256, batch 1024": 6 normal cells, of 256 filters at first.
void run_amoebanet(PublishedStep& step, const Point& point) {
  const std::string_view text = point.configuration;
  const auto batch = number_after(text, "batch "), cells = number_after(text, " N");
  const auto filters = cells ? number_after(text, fmt::format(" N{}F", *cells)) : std::nullopt;
  const std::int64_t cores = 2 * step.chips;
  if (!batch || *batch % cores != 0 || !filters) {
    step.reason = "the row states no batch of its cores, no cells or no filters";
    return;
  }
  step.batch = fmt::to_string(*batch);
  step.command = {"run", "amoebanet_d", "--slice", step.slice, "--batch-per-core", fmt::to_string(*batch / cores)};
  add_settings(step, {setting("cells", *cells), setting("reduction_size", *filters)});
}

/// "WRN-28-10 CIFAR-10 forward, 8 v2 cores", in ms per example. The source states no batch: 128 images a core, as much
/// as fills the lanes, are assumed. The time of a step is as sure as the digits of an example's.
void run_forward(PublishedStep& step, const Point& point, const char* workload) {
  constexpr std::int64_t batch_per_core = 128;
  if (point.unit != "ms per example") {
    step.reason = fmt::format("'{}' is no time of an example", point.unit);
    return;
  }
  const double images = double(batch_per_core * 2 * step.chips);
  step.min_s = (point.value - point.half_digit) * 1e-3 * images;
  step.max_s = (point.value + point.half_digit) * 1e-3 * images;
  step.batch = fmt::format("{} per core assumed", batch_per_core);
  step.command = {"run",        workload, "--slice", step.slice, "--batch-per-core", fmt::to_string(batch_per_core),
                  "--inference"};
}

void run_wide_resnet(PublishedStep& step, const Point& point) { run_forward(step, point, "wide_resnet"); }
void run_resnet_forward(PublishedStep& step, const Point& point) { run_forward(step, point, "resnet50"); }

/// Its program moves the whole cache by a token, turns all keys again, and sorts the vocabulary three times.
void refuse_gptj_tokens(PublishedStep& step, const Point&) {
  step.reason = "--decode has another program: python/examples/jax_gptj_decode.py has that of the source";
}

struct Configuration {
  std::string_view prefix;
  void (*choose)(PublishedStep& step, const Point& point);
};

constexpr std::array configurations = {Configuration{"GPT-2", run_gpt2},
                                       Configuration{"MaxText default", run_maxtext},
                                       Configuration{"Transformer WMT", run_wmt},
                                       Configuration{"BiT ResNet-50x1", run_bit},
                                       Configuration{"ResNet-50 batch", run_resnet_point},
                                       Configuration{"ResNet-50 ImageNet forward", run_resnet_forward},
                                       Configuration{"GPT-J 6B", refuse_gptj_tokens},
                                       Configuration{"WRN-28-10 CIFAR-10 forward", run_wide_resnet},
                                       Configuration{"AmoebaNet-D", run_amoebanet}};

/// The time of a step, where value and unit state one.
void read_time(PublishedStep& step, const Point& point) {
  const double seconds = point.unit == "ms" ? point.value / 1e3 : point.unit == "s" ? point.value : 0;
  if (seconds == 0) return;
  if (point.kind != "training_epoch") return set_time(step, seconds);
  const std::int64_t batch = number_after(point.configuration, "batch ").value_or(0);
  if (batch == 0) return;
  const std::int64_t steps = (imagenet_images + batch - 1) / batch;
  set_time(step, seconds / double(steps));
}

void choose_point_command(PublishedStep& step, const Point& point) {
  step.reason = "no workload of this network";
  for (const Configuration& configuration : configurations) {
    if (!point.configuration.starts_with(configuration.prefix)) continue;
    step.reason.clear();
    if (step.slice.empty()) {
      step.reason = "the row states no slice of 4, 16, 64 or 128 chips";
    } else {
      configuration.choose(step, point);
    }
    break;
  }
  if (!step.command.empty() && step.min_s == 0) {
    step.command.clear();
    step.reason = fmt::format("'{}' is no time of a step", point.unit);
  }
  if (!step.command.empty() && step.generation == "v2") {
    step.command.insert(step.command.end(), {"--machine", "tpu-v2"});
  }
  if (const int year = software_year(step.source); year > 0) choose_compiler(step, sw::driver::compiler_in(year));
}

}  // namespace

std::vector<PublishedStep> published_points(const std::string& file, std::string_view text) {
  std::vector<PublishedStep> steps;
  base::read_csv_rows(file, text, "configuration", [&](const base::CsvRow& row) {
    const Point point{.kind = row.text("kind"),
                      .configuration = row.text("configuration"),
                      .unit = row.text("unit"),
                      .value = row.positive("value"),
                      .half_digit = half_of_last_digit(row.text("value"))};
    const bool is_step = point.kind.starts_with("training") || point.kind.starts_with("inference");
    if (!is_step) return;
    const std::int64_t chips = chips_of(point.configuration);
    PublishedStep step{.network = point.configuration.substr(0, point.configuration.find_first_of(",(:;")),
                       .generation = row.text("chip"),
                       .slice = slice_of(chips),
                       .chips = chips,
                       .batch = "",
                       .partitioning = point.configuration,
                       .contains = fmt::format("{}: {} {}", point.kind, row.text("value"), point.unit),
                       .source = row.text("source")};
    read_time(step, point);
    choose_point_command(step, point);
    steps.push_back(std::move(step));
  });
  return steps;
}

}  // namespace podsim::validation::measured::published
