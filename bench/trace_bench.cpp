// SPDX-License-Identifier: Apache-2.0
// Host time of a waveform: the same step without and with the signals of all chips, or of chip (0,0). In every
// iteration the two are run in turn; `ratio` is that of their times.
#include <benchmark/benchmark.h>

#include <filesystem>

#include "base/host/host_clock.h"
#include "base/trace/vcd_writer.h"
#include "noc/slice.h"
#include "sw/driver/compile.h"
#include "sw/runtime/session/session.h"
#include "sw/target_machine.h"
#include "workloads/machines/machines.h"
#include "workloads/models/registry.h"
#include "workloads/workload.h"

extern "C" int sc_main(int, char**) { return 0; }

namespace podsim {
namespace {

void simulate(const sw::compiler::Program& program, const sw::TargetMachine& machine, const noc::Topology& slice,
              base::trace::VcdWriter* writer) {
  sw::runtime::SimulationOptions options;
  options.detail = sw::runtime::Detail::automatic;
  options.sink = writer;
  sw::runtime::session::Session session(machine, slice, options);
  benchmark::DoNotOptimize(session.run({.program = session.add(program)}));
  if (writer != nullptr) writer->finish(session.now());
}

void trace_step(benchmark::State& state, const std::vector<std::string>& patterns) {
  const sw::TargetMachine machine = sw::read_target(workloads::machines::machine_config("tpu-v3"));
  const sw::compiler::Program program =
      sw::driver::compile(workloads::models::build_workload("resnet50", {}).step.module, machine).program;
  const noc::Topology slice =
      noc::slice_topology({machine.pod.dimensions, machine.pod.pods}, {state.range(0), state.range(0)});
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "podsim_trace_bench.vcd";
  double without = 0, with = 0;
  for (auto _ : state) {
    const auto begin = base::host::HostClock::now();
    simulate(program, machine, slice, nullptr);
    without += base::host::seconds_since(begin);
    const auto traced = base::host::HostClock::now();
    base::trace::VcdWriter writer(file, patterns);
    simulate(program, machine, slice, &writer);
    with += base::host::seconds_since(traced);
  }
  state.counters["ratio"] = with / without;
  state.counters["bytes"] = double(std::filesystem::file_size(file));
  std::filesystem::remove(file);
}
BENCHMARK_CAPTURE(trace_step, all_chips, {})->Arg(4)->Arg(16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(trace_step, one_chip, {"chip(0,0).*"})->Arg(4)->Arg(16)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace podsim

BENCHMARK_MAIN();
