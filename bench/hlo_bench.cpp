// SPDX-License-Identifier: Apache-2.0
// Reading and printing HLO text, reading StableHLO, and making a graph: bytes of text per second, and what the module
// holds in memory per byte of text. The text is generated: a chain of layers as a compiler prints them, 4 MB and 20 MB;
// or PODSIM_HLO names a file.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "hlo/text/graph/to_graph.h"
#include "hlo/text/printer.h"
#include "hlo/text/reader.h"

extern "C" int sc_main(int, char**) { return 0; }

namespace podsim {
namespace {

std::string layer(int i) {
  return fmt::format(
      "  %w.{0} = bf16[4096,4096]{{1,0:T(8,128)(2,1)}} parameter({1}), sharding={{devices=[8,1]<=[8]}}\n"
      "  %dot.{0} = bf16[128,4096]{{1,0:T(8,128)(2,1)S(1)}} convolution(%act.{2}, %w.{0}), dim_labels=bf_io->bf, "
      "metadata={{op_name=\"jit(step)/layer{0}/dot_general\" source_file=\"model.py\" source_line={0}}}\n"
      "  %sum.{0} = bf16[128,4096]{{1,0:T(8,128)(2,1)}} all-reduce(%dot.{0}), channel_id={1}, "
      "replica_groups={{{{0,1,2,3}},{{4,5,6,7}}}}, use_global_device_ids=true, to_apply=%add\n"
      "  %act.{0} = bf16[128,4096]{{1,0:T(8,128)(2,1)}} tanh(%sum.{0})\n",
      i, i, i - 1);
}

std::string generated(std::size_t bytes) {
  std::string text =
      "HloModule bench, is_scheduled=true\n\n%add (a: bf16[], b: bf16[]) -> bf16[] {\n  %a = bf16[] parameter(0)\n"
      "  %b = bf16[] parameter(1)\n  ROOT %s = bf16[] add(%a, %b)\n}\n\nENTRY %main {\n"
      "  %act.0 = bf16[128,4096]{1,0:T(8,128)(2,1)} parameter(0)\n";
  for (int i = 1; text.size() < bytes; ++i) text += layer(i);
  return text + "}\n";
}

/// A training step's worth of decoder layers as JAX prints them, 10 MB: attention and a gated product, with the lines
/// of the source.
std::string stablehlo_layer(int i) {
  return fmt::format(
      R"(    %n{0} = stablehlo.multiply %x{1}, %x{1} : tensor<8x2048x4096xbf16> loc(#loc2)
    %r{0} = stablehlo.reduce(%n{0} init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<8x2048x4096xbf16>, tensor<bf16>) -> tensor<8x2048xbf16> loc(#loc2)
    %s{0} = stablehlo.broadcast_in_dim %r{0}, dims = [0, 1] : (tensor<8x2048xbf16>) -> tensor<8x2048x4096xbf16> loc(#loc2)
    %q{0} = stablehlo.dot_general %s{0}, %wq, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x2048x4096xbf16>, tensor<4096x32x128xbf16>) -> tensor<8x2048x32x128xbf16> loc(#loc2)
    %a{0} = stablehlo.dot_general %q{0}, %q{0}, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x2048x32x128xbf16>, tensor<8x2048x32x128xbf16>) -> tensor<8x32x2048x2048xbf16> loc(#loc2)
    %e{0} = stablehlo.exponential %a{0} : tensor<8x32x2048x2048xbf16> loc(#loc2)
    %v{0} = stablehlo.dot_general %e{0}, %q{0}, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<8x32x2048x2048xbf16>, tensor<8x2048x32x128xbf16>) -> tensor<8x32x2048x128xbf16> loc(#loc2)
    %t{0} = stablehlo.transpose %v{0}, dims = [0, 2, 1, 3] : (tensor<8x32x2048x128xbf16>) -> tensor<8x2048x32x128xbf16> loc(#loc2)
    %o{0} = stablehlo.reshape %t{0} : (tensor<8x2048x32x128xbf16>) -> tensor<8x2048x4096xbf16> loc(#loc2)
    %x{0} = stablehlo.add %o{0}, %x{1} : tensor<8x2048x4096xbf16> loc(#loc2)
)",
      i, i - 1);
}

std::string generated_stablehlo(std::size_t bytes) {
  std::string text =
      "#loc1 = loc(\"model.py\":12:4)\n#loc2 = loc(\"jit(step)/layer/dot_general\"(#loc1))\nmodule @jit_step {\n"
      "  func.func public @main(%x0: tensor<8x2048x4096xbf16>, %wq: tensor<4096x32x128xbf16>) -> "
      "tensor<8x2048x4096xbf16> {\n    %zero = stablehlo.constant dense<0.0> : tensor<bf16>\n";
  int layers = 0;
  while (text.size() < bytes) text += stablehlo_layer(++layers);
  return text + fmt::format("    return %x{} : tensor<8x2048x4096xbf16>\n  }}\n}}\n", layers);
}

std::string text_of(const benchmark::State& state) {
  const char* file = std::getenv("PODSIM_HLO");
  if (file == nullptr) return generated(std::size_t(state.range(0)) << 20);
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

void read_text(benchmark::State& state) {
  const std::string text = text_of(state);
  std::size_t held = 0;
  for (auto _ : state) {
    const hlo::text::ReadResult result = hlo::text::read("bench", text);
    if (!result.ok()) return state.SkipWithError(result.diagnostics.front().message.c_str());
    held = text.size();  // the module keeps the text itself
    for (const hlo::text::Module& module : result.modules) held += hlo::text::memory_bytes(module);
  }
  state.SetBytesProcessed(std::int64_t(text.size()) * std::int64_t(state.iterations()));
  state.counters["memory_per_text"] = double(held) / double(text.size());
}

/// From StableHLO text to the module of the HLO text that it becomes.
void read_stablehlo(benchmark::State& state) {
  const std::string text = generated_stablehlo(std::size_t(state.range(0)) << 20);
  for (auto _ : state) {
    const hlo::text::ReadResult result = hlo::text::read("bench", text);
    if (!result.ok()) return state.SkipWithError(result.diagnostics.front().message.c_str());
  }
  state.SetBytesProcessed(std::int64_t(text.size()) * std::int64_t(state.iterations()));
}

void print_text(benchmark::State& state) {
  const hlo::text::ReadResult result = hlo::text::read("bench", text_of(state));
  std::size_t printed = 0;
  for (auto _ : state) printed += hlo::text::print(result.modules).size();
  state.SetBytesProcessed(std::int64_t(printed));
}

void make_graph(benchmark::State& state) {
  const std::string text = text_of(state);
  const hlo::text::ReadResult result = hlo::text::read("bench", text);
  for (auto _ : state) {
    for (const hlo::text::Module& module : result.modules) benchmark::DoNotOptimize(hlo::text::graph::to_graph(module));
  }
  state.SetBytesProcessed(std::int64_t(text.size()) * std::int64_t(state.iterations()));
}

BENCHMARK(read_text)->Arg(4)->Arg(20)->Unit(benchmark::kMillisecond);
BENCHMARK(read_stablehlo)->Arg(10)->Unit(benchmark::kMillisecond);
BENCHMARK(print_text)->Arg(4)->Unit(benchmark::kMillisecond);
BENCHMARK(make_graph)->Arg(4)->Arg(20)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace podsim

BENCHMARK_MAIN();
