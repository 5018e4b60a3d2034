// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sstream>

#include "base/trace/vcd_writer.h"
#include "sw/driver/compile.h"
#include "sw/runtime/session/session.h"
#include "tests/sw/target_machines.h"
#include "tests/wave/waveform.h"
#include "workloads/models/registry.h"
#include "workloads/workload.h"

namespace podsim::test {
namespace {

/// A step of ResNet-50 with one image per core on 2x2 chips.
sw::compiler::Program small_step(const sw::TargetMachine& machine) {
  workloads::WorkloadOptions options;
  options.batch_per_core = 1;
  options.replicas = 8;
  return sw::driver::compile(std::move(workloads::models::build_workload("resnet50", options).step.module), machine)
      .program;
}

// Two paths: the units add up cycles when they are started, the waveform shows them come and go.
TEST(MxuTime, InTheWaveformIsWhatTheOpsAddUpTo) {
  const sw::TargetMachine machine = sw::tpu_v3();
  const sw::compiler::Program program = small_step(machine);
  std::ostringstream text;
  base::trace::VcdWriter writer(text, {"chip(0,0).*.mxu*.busy"});
  sw::runtime::SimulationOptions options;
  options.detail = sw::runtime::Detail::tile;
  options.sink = &writer;
  sw::runtime::session::Session session(machine, noc::Topology({2, 2}, {false, false}), std::move(options));
  const sw::runtime::RunResult result = session.run({.program = session.add(program), .steps = 1}).result;
  writer.finish(session.now());

  base::Cycles counted;
  for (const sw::runtime::ItemResult& item : result.items) counted += item.cost.busy.of<hw::Mxu>();
  EXPECT_GT(counted, base::Cycles(0));
  const base::VcdContent vcd = base::read_vcd(text.str());
  for (const std::string core : {"chip(0,0).core0.", "chip(0,0).core1."}) {
    std::int64_t shown = 0;
    std::size_t edges = 0;
    for (const std::string mxu : {"mxu0.busy", "mxu1.busy"}) {
      shown += time_high(vcd, core + mxu);
      edges += vcd.signals.at(core + mxu).changes.size();
    }
    // Every edge is rounded to a picosecond.
    EXPECT_NEAR(double(shown), double(counted.value()) / machine.clock.si() * 1e12, double(edges)) << core;
  }
}

}  // namespace
}  // namespace podsim::test
