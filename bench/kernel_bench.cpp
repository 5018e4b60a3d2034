// SPDX-License-Identifier: Apache-2.0
// Simulated cycles per second of host time, bundle by bundle: generated kernels from the first bundle to the halt,
// without generating them. Functional runs compute every value, the others only when it would be there.
#include <benchmark/benchmark.h>

#include <map>
#include <string>

#include "hw/bundle/bundle_run.h"
#include "hw/machine.h"
#include "sw/kernels/kernel.h"
#include "sw/kernels/verify.h"
#include "workloads/machines.h"

extern "C" int sc_main(int, char**) { return 0; }

namespace podsim {
namespace {

using Values = std::map<std::string, std::string>;

sw::Kernel build(const hw::Machine& machine, const std::string& name, Values values) {
  for (const sw::KernelFamily& family : sw::kernel_families()) {
    if (family.name != name) continue;
    for (const sw::KernelParameter& parameter : family.parameters) values.emplace(parameter.name, parameter.preset);
    return family.build(machine, {values});
  }
  throw base::InputError("no kernel is called " + name);
}

void run(benchmark::State& state, const std::string& family, const Values& values, hw::BundleRunOptions options) {
  const hw::Machine machine = hw::read_machine(workloads::machine_config("tpu-v3"));
  const sw::Kernel kernel = build(machine, family, values);
  hw::DeviceMemory hbm(machine.hbm.capacity_per_core);
  const std::vector<sw::Literal> inputs = sw::random_inputs(kernel, 1, sw::InputKind::finite);
  for (std::size_t i = 0; i < inputs.size(); ++i) write_array(hbm, kernel.inputs[i], inputs[i]);
  options.before = kernel.before;
  options.after = kernel.after;
  std::int64_t cycles = 0;
  for (auto _ : state) cycles += run_bundles(machine, kernel.program, hbm, options).cycles.value();
  state.SetItemsProcessed(cycles);
}

void functional(benchmark::State& state, const std::string& family, const Values& values) {
  run(state, family, values, {});
}
void timing_only(benchmark::State& state, const std::string& family, const Values& values) {
  hw::BundleRunOptions options;
  options.functional = false;
  run(state, family, values, options);
}
void every_row(benchmark::State& state, const std::string& family, const Values& values) {
  hw::BundleRunOptions options;
  options.matrix_view = hw::MatrixUnitView::rows;
  run(state, family, values, options);
}

Values cube(const std::string& size) { return {{"m", size}, {"n", size}, {"k", size}}; }

BENCHMARK_CAPTURE(functional, matmul_256, "matmul", cube("256"))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(functional, matmul_1024, "matmul", cube("1024"))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timing_only, matmul_256, "matmul", cube("256"))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timing_only, matmul_1024, "matmul", cube("1024"))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(every_row, matmul_256, "matmul", cube("256"))->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(functional, gelu, "elementwise", Values{{"op", "gelu"}})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(functional, softmax, "softmax", Values{})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(functional, layernorm, "layernorm", Values{})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timing_only, gelu, "elementwise", Values{{"op", "gelu"}})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timing_only, softmax, "softmax", Values{})->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(timing_only, layernorm, "layernorm", Values{})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace podsim

BENCHMARK_MAIN();
