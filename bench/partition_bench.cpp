// SPDX-License-Identifier: Apache-2.0 Partitioning the training step of a dense Transformer of 64 layers (dense_137b)
// in two dimensions, for 16 to 8192 partitions: time to propagate and to partition, and the size of the resulting
// program.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include "hlo/spmd/mesh/sharding_file.h"
#include "hlo/spmd/partition/partitioner.h"
#include "workloads/models/registry.h"
#include "workloads/workload.h"

extern "C" int sc_main(int, char**) { return 0; }

namespace podsim {
namespace {

hlo::Module annotated(const hlo::spmd::mesh::Mesh& mesh) {
  workloads::Workload workload = workloads::models::build_workload("dense_137b", {});
  hlo::spmd::mesh::annotate(workload.step.module, mesh,
                            hlo::spmd::mesh::read_sharding_file("dense_137b", workload.sharding));
  workload.step.module.donations = workload.step.donations;
  return std::move(workload.step.module);
}

void partition_step(benchmark::State& state) {
  const hlo::spmd::mesh::Mesh mesh =
      hlo::spmd::mesh::Mesh::parse(fmt::format("x={},y={}", state.range(0), state.range(1)));
  const hlo::Module whole = annotated(mesh);
  hlo::Module cut;
  for (auto _ : state) cut = hlo::spmd::partition::partition(whole, mesh, hlo::spmd::propagate::propagate(whole, mesh));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["instructions_before"] = double(whole.entry_computation().instructions.size());
  state.counters["instructions"] = double(cut.entry_computation().instructions.size());
  state.counters["text_bytes"] = double(hlo::to_string(cut).size());
  state.counters["peak_memory_mb"] = double(usage.ru_maxrss) / 1024;
}

BENCHMARK(partition_step)
    ->Args({4, 4})
    ->Args({8, 8})
    ->Args({16, 16})
    ->Args({32, 32})
    ->Args({32, 64})
    ->Args({64, 64})
    ->Args({64, 128})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace podsim

BENCHMARK_MAIN();
