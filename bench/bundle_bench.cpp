// Host time of a core simulated bundle by bundle; items are simulated cycles. Kernels: a matmul's inner loop with both
// matrix units in steady state, an elementwise loop with a store every other cycle, a scalar loop, and generated
// kernels from HBM to HBM. All with data and without.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <map>
#include <stdexcept>
#include <string>

#include "hw/bundle/bundle_run.h"
#include "hw/isa/pasm/assembler.h"
#include "sw/codegen/families/kernel.h"
#include "sw/codegen/kernel_families.h"
#include "workloads/machines/machines.h"

// libsystemc contains a main, which calls sc_main. This program's main comes first in the link, so sc_main is never
// called.
extern "C" int sc_main(int, char**) { return 0; }

namespace podsim {
namespace {

const hw::Machine& machine() {
  static const hw::Machine resolved = hw::read_machine(workloads::machines::machine_config("tpu-v3"));
  return resolved;
}

/// 100 trips through `body` for each of `rounds`; the address registers s1 to s4 are reset in each round.
hw::isa::Program loop_program(const std::string& before, int rounds, const std::string& body) {
  const std::string text = fmt::format(
      "{}\n  s.mov s9, {}\n"
      "round:\n  {{ s.mov s1, 0 ; s.mov s2, 8192 }}\n  {{ s.mov s3, 12288 ; s.mov s4, 20480 }}\n  s.mov s8, 100\n"
      "trip:\n{}  s.loop s8, trip\n  s.loop s9, round\n  halt\n",
      before, rounds, body);
  return hw::isa::pasm::assemble("bench.pasm", text);
}

/// Every eight cycles a push to and a pop from each matrix unit, two accumulations with their loads and stores.
hw::isa::Program matmul(int rounds) {
  std::string before;
  for (const char* unit : {"mxu0", "mxu1"}) {
    for (int i = 0; i < 16; ++i) before += fmt::format("  mxu.weights {}, v1\n", unit);
    before += fmt::format("  mxu.latch {}\n", unit);
    for (int i = 0; i < 17; ++i) before += fmt::format("  mxu.lhs {}, v1\n", unit);
  }
  const std::string eight =
      "  { vld v1, [s1] ; pop v4, mxu0 ; vst [s4 + 4096], v7 ; s.add s1, s1, 8 }\n"
      "  { vld v2, [s2] ; pop v5, mxu1 ; s.add s4, s4, 8 }\n"
      "  { vld v3, [s3] ; s.add s2, s2, 8 ; s.add s3, s3, 8 }\n"
      "  nop\n"
      "  mxu.lhs mxu0, v1\n"
      "  { mxu.lhs mxu1, v1 ; v.add.f32 v6, v2, v4 }\n"
      "  v.add.f32 v7, v3, v5\n"
      "  vst [s4], v6\n";
  std::string body;
  for (int i = 0; i < 4; ++i) body += eight;
  return loop_program(before, rounds, body);
}

/// out = (a + b) * a, four registers a trip.
hw::isa::Program elementwise(int rounds) {
  std::string body;
  for (int i = 0; i < 4; ++i) {
    body += fmt::format("  {{ vld v{0}, [s1 + {1}] ; v.add.f32 v{2}, v{3}, v{4} }}\n", 1 + i, 8 * i, 9 + (i + 1) % 4,
                        1 + (i + 1) % 4, 5 + (i + 1) % 4);
    body += fmt::format("  {{ vld v{0}, [s2 + {1}] ; v.mul.f32 v{2}, v{3}, v{4} ; vst [s3 + {1}], v{5} }}\n", 5 + i,
                        8 * i, 13 + (i + 2) % 4, 9 + (i + 2) % 4, 1 + (i + 2) % 4, 13 + (i + 3) % 4);
  }
  body += "  { s.add s1, s1, 32 ; s.add s2, s2, 32 }\n  s.add s3, s3, 32\n";
  return loop_program("", rounds, body);
}

hw::isa::Program scalar(int rounds) {
  std::string body;
  for (int i = 0; i < 16; ++i) body += "  { s.add s1, s1, s2 ; s.xor s3, s3, s1 }\n";
  return loop_program("", rounds, body);
}

void run(benchmark::State& state, const hw::isa::Program& program, bool functional) {
  hw::bundle::BundleRunOptions options;
  options.functional = functional;
  std::int64_t cycles = 0;
  for (auto _ : state) {
    hw::memory::DeviceMemory hbm(machine().hbm.capacity_per_core);
    cycles += hw::bundle::run_bundles(machine(), program, hbm, options).cycles.value();
  }
  state.SetItemsProcessed(cycles);
}

void MatmulLoop(benchmark::State& state) { run(state, matmul(20), state.range(0) != 0); }
void ElementwiseLoop(benchmark::State& state) { run(state, elementwise(50), state.range(0) != 0); }
void ScalarLoop(benchmark::State& state) { run(state, scalar(50), state.range(0) != 0); }

/// A family's kernel with its preset arguments, except for those given.
sw::codegen::families::Kernel kernel(const std::string& family_name,
                                     const std::map<std::string, std::string>& arguments) {
  for (const sw::codegen::families::KernelFamily& family : sw::codegen::kernel_families()) {
    if (family.name != family_name) continue;
    sw::codegen::families::KernelArguments all;
    for (const sw::codegen::families::KernelParameter& parameter : family.parameters)
      all.values[parameter.name] = parameter.preset;
    for (const auto& [name, value] : arguments) all.values.at(name) = value;
    return family.build(machine(), all);
  }
  throw std::invalid_argument(family_name);
}

void MatmulKernel(benchmark::State& state) {
  run(state, kernel("matmul", {{"m", "1024"}, {"n", "1024"}, {"k", "1024"}}).program, state.range(0) != 0);
}
void ConvolutionKernel(benchmark::State& state) { run(state, kernel("conv2d", {}).program, state.range(0) != 0); }
void SoftmaxKernel(benchmark::State& state) { run(state, kernel("softmax", {}).program, state.range(0) != 0); }
void LayerNormKernel(benchmark::State& state) { run(state, kernel("layernorm", {}).program, state.range(0) != 0); }
void ElementwiseKernel(benchmark::State& state) { run(state, kernel("elementwise", {}).program, state.range(0) != 0); }

BENCHMARK(MatmulLoop)->ArgName("data")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(ElementwiseLoop)->ArgName("data")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(ScalarLoop)->ArgName("data")->Arg(0)->Unit(benchmark::kMillisecond);
BENCHMARK(MatmulKernel)->ArgName("data")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(ConvolutionKernel)->ArgName("data")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(SoftmaxKernel)->ArgName("data")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(LayerNormKernel)->ArgName("data")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(ElementwiseKernel)->ArgName("data")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace podsim

BENCHMARK_MAIN();
