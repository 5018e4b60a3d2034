// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/mbconv_points.h"

#include "base/csv_rows.h"
#include "workloads/models/mbconv.h"

namespace podsim::validation::measured {
namespace {

constexpr std::int64_t v3_batch = 128, v2_batch = 64;

Point network_point(const base::CsvRow& row, std::string_view rate, std::int64_t batch, CoreModel& core) {
  workloads::models::MbconvOptions options;
  options.batch = batch;
  options.keeps_for_gradients = true;
  options.stages = workloads::models::parse_mbconv_stages(row.text("stages"));
  workloads::models::MbconvProgram program = workloads::models::mbconv_inference(options);
  const CoreModel::Times times = core.times_of(std::move(program.module));
  const sw::FrameworkHost& host = core.machine().framework;
  const double traced = host.traced_step.si() + double(program.framework_ops) * host.traced_op.si();
  return {.name = row.text("stages"),
          .measured = double(batch) / row.positive(rate),
          .modelled = times.modelled_s + traced,
          .core_alone = times.modelled_s,
          .roofline = times.roofline_s};
}

}  // namespace

std::vector<PointClass> mbconv_points(const std::string& file, std::string_view text, Silicon& silicon) {
  PointClass v3{.name = "mobile networks", .machine = "tpu-v3", .file = file, .points = {}};
  PointClass v2{.name = "mobile networks", .machine = "tpu-v2", .file = file, .points = {}};
  PointClass ratio{.name = "mobile networks, v2 over v3", .machine = "", .file = file, .points = {}};
  base::read_csv_rows(file, text, "stages", [&](const base::CsvRow& row) {
    silicon.end_if_interrupted();
    const Point fast = network_point(row, "v3_images_per_s", v3_batch, silicon.core("tpu-v3"));
    const Point slow = network_point(row, "v2_images_per_s", v2_batch, silicon.core("tpu-v2"));
    v3.points.push_back(fast);
    v2.points.push_back(slow);
    ratio.points.push_back({.name = fast.name,
                            .measured = slow.measured / fast.measured,
                            .modelled = *slow.modelled / *fast.modelled,
                            .core_alone = *slow.core_alone / *fast.core_alone,
                            .roofline = slow.roofline / fast.roofline});
  });
  return {v3, v2, ratio};
}

}  // namespace podsim::validation::measured
