// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/inference_points.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "base/csv_rows.h"
#include "base/diagnostic.h"
#include "workloads/models/bit_resnet.h"
#include "workloads/models/patch_network.h"
#include "workloads/models/resnet50.h"

namespace podsim::validation::measured {
namespace {

constexpr double largest_batch = 1 << 16;
constexpr std::array<std::int64_t, 3> likely_batches{64, 128, 256};

/// Times of an image.
CoreModel::Times of_image(CoreModel::Times times, std::int64_t batch) {
  return {times.modelled_s / double(batch), times.roofline_s / double(batch)};
}

CoreModel::Times resnet_times(const base::CsvRow& row, CoreModel& core) {
  const double batch = row.positive("batch");
  if (batch > largest_batch) throw base::InputError(fmt::format("{} is not the batch of a core", batch));
  workloads::models::ResNetOptions options;
  options.batch = std::int64_t(batch);
  return of_image(core.times_of(workloads::models::resnet_inference(options).module), options.batch);
}

/// The times at the likely batch with the least time of an image.
template <typename Options>
CoreModel::Times best_times(const base::CsvRow& row, CoreModel& core, Options options,
                            hlo::Module (*forward)(const Options&)) {
  options.precision.activation = row.text("dtype") == "f32" ? hlo::ElementType::f32 : hlo::ElementType::bf16;
  std::optional<CoreModel::Times> best;
  for (const std::int64_t batch : likely_batches) {
    options.batch = batch;
    const CoreModel::Times times = of_image(core.times_of(forward(options)), batch);
    if (!best || times.modelled_s < best->modelled_s) best = times;
  }
  return *best;
}

std::optional<CoreModel::Times> times_of_row(const base::CsvRow& row, CoreModel& core) {
  const std::string& network = row.text("network");
  if (network.starts_with("resnet50")) return resnet_times(row, core);
  if (network.starts_with("bit_resnet50")) {
    return best_times(row, core, workloads::models::BitResNetOptions{}, workloads::models::bit_resnet_forward);
  }
  if (network.starts_with("mixer_b16")) {
    return best_times(row, core,
                      workloads::models::PatchNetworkOptions{.mixing = workloads::models::PatchMixing::perceptron},
                      workloads::models::patch_forward);
  }
  return std::nullopt;
}

}  // namespace

std::vector<PointClass> inference_points(const std::string& file, std::string_view text, Silicon& silicon) {
  PointClass rates{.name = "inference", .machine = "tpu-v3", .file = file, .points = {}};
  base::read_csv_rows(file, text, "network", [&](const base::CsvRow& row) {
    silicon.end_if_interrupted();
    Point point{.name = row.text("network"), .measured = 1 / row.positive("images_per_s_per_core")};
    if (const auto times = times_of_row(row, silicon.core("tpu-v3"))) {
      point.modelled = times->modelled_s;
      point.roofline = times->roofline_s;
      if (!point.name.starts_with("resnet50")) point.weight = 0;
    } else {
      point.reason = "no workload of this network";
    }
    rates.points.push_back(point);
  });
  return {rates};
}

}  // namespace podsim::validation::measured
