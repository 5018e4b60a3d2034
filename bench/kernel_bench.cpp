// Simulated cycles per second of host time for generated kernels, bundle by bundle from the first bundle to the halt,
// without the time to generate them. Functional runs compute every value; timing-only runs compute only the times at
// which values would be ready.
#include <benchmark/benchmark.h>

#include <map>
#include <string>

#include "hw/bundle/bundle_run.h"
#include "sw/codegen/families/kernel.h"
#include "sw/codegen/kernel_families.h"
#include "sw/target_machine.h"
#include "validation/kernels/verify.h"
#include "workloads/machines/machines.h"

extern "C" int sc_main(int, char**) { return 0; }

namespace podsim {
namespace {

using Values = std::map<std::string, std::string>;

sw::codegen::families::Kernel build(const sw::TargetMachine& machine, const std::string& name, Values values) {
  for (const sw::codegen::families::KernelFamily& family : sw::codegen::kernel_families()) {
    if (family.name != name) continue;
    for (const sw::codegen::families::KernelParameter& parameter : family.parameters)
      values.emplace(parameter.name, parameter.preset);
    return family.build(machine, {values});
  }
  throw base::InputError("no kernel is called " + name);
}

void run(benchmark::State& state, const std::string& family, const Values& values,
         hw::bundle::BundleRunOptions options) {
  const sw::TargetMachine machine = sw::read_target(workloads::machines::machine_config("tpu-v3"));
  const sw::codegen::families::Kernel kernel = build(machine, family, values);
  hw::memory::DeviceMemory hbm(machine.hbm.capacity_per_core);
  const std::vector<hlo::Literal> inputs =
      validation::kernels::random_inputs(kernel, 1, validation::kernels::InputKind::finite);
  for (std::size_t i = 0; i < inputs.size(); ++i) sw::codegen::families::write_array(hbm, kernel.inputs[i], inputs[i]);
  options.before = kernel.before;
  options.after = kernel.after;
  std::int64_t cycles = 0;
  for (auto _ : state) cycles += hw::bundle::run_bundles(machine, kernel.program, hbm, options).cycles.value();
  state.SetItemsProcessed(cycles);
}

void functional(benchmark::State& state, const std::string& family, const Values& values) {
  run(state, family, values, {});
}
void timing_only(benchmark::State& state, const std::string& family, const Values& values) {
  hw::bundle::BundleRunOptions options;
  options.functional = false;
  run(state, family, values, options);
}
void every_row(benchmark::State& state, const std::string& family, const Values& values) {
  hw::bundle::BundleRunOptions options;
  options.matrix_view = hw::bundle::matrix::MatrixUnitView::rows;
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
