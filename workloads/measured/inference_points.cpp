// SPDX-License-Identifier: Apache-2.0
#include "workloads/measured/inference_points.h"

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "workloads/measured/measured_table.h"
#include "workloads/models/resnet50.h"

namespace podsim::workloads::measured {
namespace {

constexpr double largest_batch = 1 << 16;

}  // namespace

std::vector<PointClass> inference_points(const std::string& file, std::string_view text, Silicon& silicon) {
  PointClass rates{.name = "inference", .machine = "tpu-v3", .file = file, .points = {}};
  read_rows(file, text, "network", [&](const MeasuredRow& row) {
    silicon.end_if_interrupted();
    Point point{.name = row.text("network"), .measured = 1 / row.positive("images_per_s_per_core")};
    if (!point.name.starts_with("resnet50")) {
      point.reason = "no workload of this network";
      rates.points.push_back(point);
      return;
    }
    const double batch = row.positive("batch");
    if (batch > largest_batch) throw base::InputError(fmt::format("{} is not the batch of a core", batch));
    models::ResNetOptions options;
    options.batch = std::int64_t(batch);
    const CoreModel::Times times = silicon.core("tpu-v3").times_of(models::resnet_inference(options));
    point.modelled = times.modelled_s / double(options.batch);
    point.roofline = times.roofline_s / double(options.batch);
    rates.points.push_back(point);
  });
  return {rates};
}

}  // namespace podsim::workloads::measured
