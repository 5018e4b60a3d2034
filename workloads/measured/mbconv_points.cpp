// SPDX-License-Identifier: Apache-2.0
#include "workloads/measured/mbconv_points.h"

#include "workloads/measured/measured_table.h"
#include "workloads/models/mbconv.h"

namespace podsim::workloads::measured {
namespace {

constexpr std::int64_t v3_batch = 128, v2_batch = 64;

Point network_point(const MeasuredRow& row, std::string_view rate, std::int64_t batch, CoreModel& core) {
  models::MbconvOptions options;
  options.batch = batch;
  options.keeps_for_gradients = true;
  options.stages = models::parse_mbconv_stages(row.text("stages"));
  models::MbconvProgram program = models::mbconv_inference(options);
  const CoreModel::Times times = core.times_of(std::move(program.module));
  const hw::HostParameters& host = core.machine().host;
  const double traced = host.traced_step.si() + double(program.framework_ops) * host.traced_op.si();
  return {.name = row.text("stages"),
          .measured = double(batch) / row.positive(rate),
          .modelled = times.modelled_s + traced,
          .roofline = times.roofline_s};
}

}  // namespace

std::vector<PointClass> mbconv_points(const std::string& file, std::string_view text, Silicon& silicon) {
  PointClass v3{.name = "mobile networks", .machine = "tpu-v3", .file = file, .points = {}};
  PointClass v2{.name = "mobile networks", .machine = "tpu-v2", .file = file, .points = {}};
  PointClass ratio{.name = "mobile networks, v2 over v3", .machine = "", .file = file, .points = {}};
  read_rows(file, text, "stages", [&](const MeasuredRow& row) {
    silicon.end_if_interrupted();
    const Point fast = network_point(row, "v3_images_per_s", v3_batch, silicon.core("tpu-v3"));
    const Point slow = network_point(row, "v2_images_per_s", v2_batch, silicon.core("tpu-v2"));
    v3.points.push_back(fast);
    v2.points.push_back(slow);
    ratio.points.push_back({.name = fast.name,
                            .measured = slow.measured / fast.measured,
                            .modelled = *slow.modelled / *fast.modelled,
                            .roofline = slow.roofline / fast.roofline});
  });
  return {v3, v2, ratio};
}

}  // namespace podsim::workloads::measured
