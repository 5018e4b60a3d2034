// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "report/run/run_report.h"
#include "tests/sw/target_machines.h"

namespace podsim::report::testing {

/// A run with round numbers: a step of 10 ms, of which 6 compute, 3 collective, 1 infeed, on 16 chips.
inline run::RunReport sample_report() {
  using base::Bytes;
  using base::Time;
  run::RunReport report;
  report.workload = "resnet50";
  report.machine = sw::tpu_v3();
  report.slice = "4x4";
  report.detail = "replay";
  report.chips = 16;
  report.batch_per_core = 128;
  auto item = [&](sw::compiler::ProgramItem::Kind kind, const char* hlo, const char* op, const char* category,
                  double flops, std::int64_t bytes) {
    sw::compiler::ProgramItem added;
    added.kind = kind;
    added.hlo_name = hlo;
    added.op_name = op;
    added.category = category;
    added.hlo_text = std::string("%") + hlo + " = (f32[256]{0}, bf16[8]{0}) fusion(bf16[8]{0} %\"x\", f32[] %y)";
    added.flops = flops;
    added.bytes = Bytes(bytes);
    report.program.items.push_back(added);
  };
  item(sw::compiler::ProgramItem::Kind::infeed, "infeed.0", "", "infeed", 0, 1000);
  item(sw::compiler::ProgramItem::Kind::op, "fusion.1", "block0/conv1, a", "convolution fusion", 6.16e9, 1 << 20);
  item(sw::compiler::ProgramItem::Kind::op, "fusion.2", "block0/\"relu\"", "loop fusion", 1e6, 1 << 20);
  item(sw::compiler::ProgramItem::Kind::collective, "all-reduce.3", "gradients", "all-reduce", 0, 2000);
  report.program.items[1].products = "f32 in 6 passes";
  report.program.flops = 130e9;
  report.program.matmul_flops = 123.2e9;
  report.program.ops.resize(2);
  report.memory.arguments = Bytes(std::int64_t(1) << 30);
  report.memory.peak = Bytes(std::int64_t(4) << 30);
  sw::runtime::RunResult& result = report.result;
  result.steps = 2;
  result.step_times = {Time(11'000'000'000), Time(10'000'000'000)};
  result.step_time = Time(10'000'000'000);
  result.items = {{0, Time(1'000'000'000), {}, sw::runtime::Bound::host},
                  {1, Time(4'000'000'000), {}, sw::runtime::Bound::unit<hw::Mxu>()},
                  {2, Time(2'000'000'000), {}, sw::runtime::Bound::hbm},
                  {3, Time(3'000'000'000), {}, sw::runtime::Bound::ici}};
  result.items[1].cost.cycles = base::Cycles(1000);
  result.items[1].cost.start_up = base::Cycles(100);
  result.items[1].cost.drain = base::Cycles(150);
  result.compute = Time(6'000'000'000);
  result.collective = Time(3'000'000'000);
  result.infeed = Time(1'000'000'000);
  result.activity.core.op_read =
      Bytes(std::llround(0.005 * report.machine.hbm.stream_rate.si()));  // half of the bytes that 10 ms could move
  result.ici_utilization = 0.125;
  result.collectives = {{"all-reduce", "bf16", Bytes(51'106'384), 1, Time(2'900'000'000), Time(3'000'000'000), 32,
                         "2-colour x line, y line", false}};
  result.simulated_chips = 16;
  result.notes = {"a note"};
  report.warnings = {"a warning"};
  report.compile_s = 0.25;
  report.wall_s = 1.5;
  return report;
}

}  // namespace podsim::report::testing
