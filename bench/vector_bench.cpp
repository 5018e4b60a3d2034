// SPDX-License-Identifier: Apache-2.0
// Host time of one vector, transcendental or cross-lane operation on a register, for every instruction set of the host,
// and of a push and pop without data.
#include <benchmark/benchmark.h>

#include <bit>
#include <span>
#include <string>
#include <systemc>

#include "hw/bundle/cross_lane_queue.h"
#include "hw/bundle/transcendental_queue.h"
#include "hw/bundle/vector_kernels.h"
#include "workloads/machines.h"

// libsystemc brings its own main, which calls sc_main; this program's main comes first and sc_main is never called.
extern "C" int sc_main(int, char**) { return 0; }

namespace podsim::hw {
namespace {

using isa::Opcode;

/// Numbers between -8 and 8.
VectorRegister operand(int seed) {
  VectorRegister result;
  for (int i = 0; i < register_words; ++i) {
    result.words[std::size_t(i)] = std::bit_cast<std::uint32_t>(float((i * 7919 + seed) % 4096 - 2048) / 256);
  }
  return result;
}

MaskRegister every_third_lane() {
  MaskRegister result{};
  for (std::size_t i = 0; i < register_words; i += 3) result.bits[i / 64] |= std::uint64_t(1) << (i % 64);
  return result;
}

void operation(benchmark::State& state, const VectorKernels& kernels, Opcode opcode, const MaskRegister& mask) {
  const VectorRegister x = operand(1), y = operand(2);
  VectorRegister d = x;
  for (auto _ : state) {
    kernels.operation(opcode, d, x, y, mask);
    benchmark::ClobberMemory();
  }
}

void comparison(benchmark::State& state, const VectorKernels& kernels, Opcode opcode) {
  const VectorRegister x = operand(1), y = operand(2);
  MaskRegister d;
  for (auto _ : state) {
    kernels.compare(opcode, d, x, y, MaskRegister::all());
    benchmark::ClobberMemory();
  }
}

void transcendental(benchmark::State& state, const VectorKernels& kernels, Opcode opcode) {
  const VectorRegister y = operand(1);
  VectorRegister d;
  for (auto _ : state) {
    kernels.transcendental(opcode, d, y);
    benchmark::ClobberMemory();
  }
}

void cross_lane(benchmark::State& state, const VectorKernels& kernels, Opcode opcode) {
  const VectorRegister x = operand(1);
  VectorRegister d;
  for (auto _ : state) {
    kernels.cross_lane(opcode, d, x, 5);
    benchmark::ClobberMemory();
  }
}

void permutation(benchmark::State& state) {
  const VectorRegister x = operand(1), index = operand(2);
  VectorRegister d;
  for (auto _ : state) {
    permute_lanes(d, x, index);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(permutation);

void transposition(benchmark::State& state) {
  const std::vector<VectorRegister> tile(tile_registers, operand(1));
  VectorRegister d;
  for (auto _ : state) {
    transpose(d, std::span<const VectorRegister, tile_registers>(tile), 3);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(transposition);

/// A push and a pop through a unit, with what the core asks before each.
template <class Queue>
void push_and_pop(benchmark::State& state, Opcode opcode) {
  static const Machine machine = read_machine(workloads::machine_config("tpu-v3"));
  static const CoreTime time(machine.clock);
  static Queue queue(sc_core::sc_gen_unique_name("queue"), machine, time, {});
  base::Cycles now = queue.ready_to_push(opcode, base::Cycles(0)).cycle;
  for (auto _ : state) {
    now = queue.ready_to_push(opcode, now).cycle;
    queue.push(opcode, now, nullptr, 0, nullptr);
    now = queue.ready_to_pop(now).cycle;
    queue.pop(now, nullptr);
  }
}

void register_kernels(const VectorKernels& kernels) {
  const auto name = [&](Opcode opcode, const char* suffix = "") {
    return std::string(isa::info(opcode).mnemonic) + suffix + "/" + kernels.name;
  };
  for (Opcode opcode : {Opcode::v_add_f32, Opcode::v_mul_f32, Opcode::v_max_f32, Opcode::v_add_s32, Opcode::v_mul_s32,
                        Opcode::v_shl, Opcode::v_mov, Opcode::v_cvt_f32_s32, Opcode::v_cvt_s32_f32,
                        Opcode::v_round_bf16, Opcode::v_pack_bf16, Opcode::v_unpack_lo, Opcode::v_select}) {
    benchmark::RegisterBenchmark(name(opcode).c_str(), operation, kernels, opcode, MaskRegister::all());
    benchmark::RegisterBenchmark(name(opcode, "/masked").c_str(), operation, kernels, opcode, every_third_lane());
  }
  for (Opcode opcode : {Opcode::v_lt_f32, Opcode::v_eq_s32}) {
    benchmark::RegisterBenchmark(name(opcode).c_str(), comparison, kernels, opcode);
  }
  for (Opcode opcode :
       {Opcode::e_exp, Opcode::e_log, Opcode::e_tanh, Opcode::e_rsqrt, Opcode::e_sqrt, Opcode::e_recip}) {
    benchmark::RegisterBenchmark(name(opcode).c_str(), transcendental, kernels, opcode);
  }
  for (Opcode opcode : {Opcode::x_rotate_lanes, Opcode::x_rotate_sublanes, Opcode::x_broadcast_lane,
                        Opcode::x_sum_lanes, Opcode::x_max_lanes, Opcode::x_sum_sublanes, Opcode::x_max_sublanes}) {
    benchmark::RegisterBenchmark(name(opcode).c_str(), cross_lane, kernels, opcode);
  }
}

}  // namespace
}  // namespace podsim::hw

int main(int argc, char** argv) {
  using namespace podsim::hw;
  for (const VectorKernels& kernels : vector_kernels()) register_kernels(kernels);
  benchmark::RegisterBenchmark("push_and_pop/cross_lane", push_and_pop<CrossLaneQueue>, isa::Opcode::x_sum_lanes);
  benchmark::RegisterBenchmark("push_and_pop/transcendental", push_and_pop<TranscendentalQueue>, isa::Opcode::e_exp);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
