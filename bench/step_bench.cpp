// SPDX-License-Identifier: Apache-2.0
// Host time of a whole run: building and compiling ResNet-50's training step, and simulating two steps of it.
#include <benchmark/benchmark.h>

#include <filesystem>

#include "noc/slice.h"
#include "sw/compiler/op_cache.h"
#include "sw/driver/compile.h"
#include "sw/runtime/session/session.h"
#include "sw/target_machine.h"
#include "workloads/machines/machines.h"
#include "workloads/models/registry.h"
#include "workloads/workload.h"

extern "C" int sc_main(int, char**) { return 0; }

namespace podsim {
namespace {

sw::TargetMachine tpu_v3() { return sw::read_target(workloads::machines::machine_config("tpu-v3")); }

sw::compiler::Program compile_resnet50(const sw::TargetMachine& machine, std::int64_t batch,
                                       sw::compiler::OpCache* cache = nullptr) {
  workloads::WorkloadOptions options;
  options.batch_per_core = batch;
  return sw::driver::compile(workloads::models::build_workload("resnet50", options).step.module, machine, cache)
      .program;
}

/// Graph, gradients, fusion, tile search.
void compile_step(benchmark::State& state) {
  sw::TargetMachine machine = tpu_v3();
  for (auto _ : state) benchmark::DoNotOptimize(compile_resnet50(machine, state.range(0)));
}
BENCHMARK(compile_step)->ArgName("batch")->Arg(128)->Arg(8)->Unit(benchmark::kMillisecond);

/// As above, with the tiles of all ops in a cache.
void compile_known_step(benchmark::State& state) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "podsim_step_bench.cache";
  std::filesystem::remove(file);
  sw::TargetMachine machine = tpu_v3();
  sw::compiler::OpCache cache(file);
  compile_resnet50(machine, state.range(0), &cache);
  for (auto _ : state) benchmark::DoNotOptimize(compile_resnet50(machine, state.range(0), &cache));
  std::filesystem::remove(file);
}
BENCHMARK(compile_known_step)->ArgName("batch")->Arg(128)->Unit(benchmark::kMillisecond);

void simulate_step(benchmark::State& state, sw::runtime::Detail detail) {
  sw::TargetMachine machine = tpu_v3();
  sw::compiler::Program program = compile_resnet50(machine, state.range(2));
  noc::PodShape pod{machine.pod.dimensions, machine.pod.pods};
  noc::Topology slice = noc::slice_topology(pod, {state.range(0), state.range(1)});
  for (auto _ : state) {
    sw::runtime::SimulationOptions options;
    options.detail = detail;
    sw::runtime::session::Session session(machine, slice, options);
    benchmark::DoNotOptimize(session.run({.program = session.add(program)}));
  }
}
BENCHMARK_CAPTURE(simulate_step, replay, sw::runtime::Detail::replay)
    ->ArgNames({"x", "y", "batch"})
    ->Args({4, 4, 128})
    ->Args({32, 32, 128})
    ->Args({128, 32, 8})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(simulate_step, tile, sw::runtime::Detail::tile)
    ->ArgNames({"x", "y", "batch"})
    ->Args({2, 2, 128})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace podsim

BENCHMARK_MAIN();
