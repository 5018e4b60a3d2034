// SPDX-License-Identifier: Apache-2.0
// Host time of one vector, transcendental or cross-lane operation on a register, for every instruction set of the host,
// and of a push and pop without data.
#include <benchmark/benchmark.h>

#include <bit>
#include <span>
#include <string>
#include <systemc>

#include "hw/bundle/results/cross_lane_queue.h"
#include "hw/bundle/results/transcendental_queue.h"
#include "hw/bundle/vector/vector_kernels.h"
#include "workloads/machines/machines.h"

// libsystemc contains a main, which calls sc_main. This program's main comes first in the link, so sc_main is never
// called.
extern "C" int sc_main(int, char**) { return 0; }

namespace podsim::hw {
namespace {

using isa::Opcode;

/// Numbers between -8 and 8.
bundle::vector::VectorRegister operand(int seed) {
  bundle::vector::VectorRegister result;
  for (int i = 0; i < bundle::vector::register_words; ++i) {
    result.words[std::size_t(i)] = std::bit_cast<std::uint32_t>(float((i * 7919 + seed) % 4096 - 2048) / 256);
  }
  return result;
}

bundle::vector::MaskRegister every_third_lane() {
  bundle::vector::MaskRegister result{};
  for (std::size_t i = 0; i < bundle::vector::register_words; i += 3)
    result.bits[i / 64] |= std::uint64_t(1) << (i % 64);
  return result;
}

void operation(benchmark::State& state, const bundle::vector::VectorKernels& kernels, isa::Opcode opcode,
               const bundle::vector::MaskRegister& mask) {
  const bundle::vector::VectorRegister x = operand(1), y = operand(2);
  bundle::vector::VectorRegister d = x;
  for (auto _ : state) {
    kernels.operation(opcode, d, x, y, mask);
    benchmark::ClobberMemory();
  }
}

void comparison(benchmark::State& state, const bundle::vector::VectorKernels& kernels, isa::Opcode opcode) {
  const bundle::vector::VectorRegister x = operand(1), y = operand(2);
  bundle::vector::MaskRegister d;
  for (auto _ : state) {
    kernels.compare(opcode, d, x, y, bundle::vector::MaskRegister::all());
    benchmark::ClobberMemory();
  }
}

void transcendental(benchmark::State& state, const bundle::vector::VectorKernels& kernels, isa::Opcode opcode) {
  const bundle::vector::VectorRegister y = operand(1);
  bundle::vector::VectorRegister d;
  for (auto _ : state) {
    kernels.transcendental(opcode, d, y);
    benchmark::ClobberMemory();
  }
}

void cross_lane(benchmark::State& state, const bundle::vector::VectorKernels& kernels, isa::Opcode opcode) {
  const bundle::vector::VectorRegister x = operand(1);
  bundle::vector::VectorRegister d;
  for (auto _ : state) {
    kernels.cross_lane(opcode, d, x, 5);
    benchmark::ClobberMemory();
  }
}

void permutation(benchmark::State& state) {
  const bundle::vector::VectorRegister x = operand(1), index = operand(2);
  bundle::vector::VectorRegister d;
  for (auto _ : state) {
    bundle::vector::permute_lanes(d, x, index);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(permutation);

void transposition(benchmark::State& state) {
  const std::vector<bundle::vector::VectorRegister> tile(bundle::vector::tile_registers, operand(1));
  bundle::vector::VectorRegister d;
  for (auto _ : state) {
    bundle::vector::transpose(d, std::span<const bundle::vector::VectorRegister, bundle::vector::tile_registers>(tile),
                              3);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(transposition);

/// A push to a unit and a pop from it, each after the readiness check that the core makes.
template <class Queue>
void push_and_pop(benchmark::State& state, isa::Opcode opcode) {
  static const Machine machine = read_machine(workloads::machines::machine_config("tpu-v3"));
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

void register_kernels(const bundle::vector::VectorKernels& kernels) {
  const auto name = [&](isa::Opcode opcode, const char* suffix = "") {
    return std::string(isa::info(opcode).mnemonic) + suffix + "/" + kernels.name;
  };
  for (isa::Opcode opcode : {isa::Opcode::v_add_f32, isa::Opcode::v_mul_f32, isa::Opcode::v_max_f32,
                             isa::Opcode::v_add_s32, isa::Opcode::v_mul_s32, isa::Opcode::v_shl, isa::Opcode::v_mov,
                             isa::Opcode::v_cvt_f32_s32, isa::Opcode::v_cvt_s32_f32, isa::Opcode::v_round_bf16,
                             isa::Opcode::v_pack_bf16, isa::Opcode::v_unpack_lo, isa::Opcode::v_select}) {
    benchmark::RegisterBenchmark(name(opcode).c_str(), operation, kernels, opcode, bundle::vector::MaskRegister::all());
    benchmark::RegisterBenchmark(name(opcode, "/masked").c_str(), operation, kernels, opcode, every_third_lane());
  }
  for (isa::Opcode opcode : {isa::Opcode::v_lt_f32, isa::Opcode::v_eq_s32}) {
    benchmark::RegisterBenchmark(name(opcode).c_str(), comparison, kernels, opcode);
  }
  for (isa::Opcode opcode : {isa::Opcode::e_exp, isa::Opcode::e_log, isa::Opcode::e_tanh, isa::Opcode::e_rsqrt,
                             isa::Opcode::e_sqrt, isa::Opcode::e_recip}) {
    benchmark::RegisterBenchmark(name(opcode).c_str(), transcendental, kernels, opcode);
  }
  for (isa::Opcode opcode :
       {isa::Opcode::x_rotate_lanes, isa::Opcode::x_rotate_sublanes, isa::Opcode::x_broadcast_lane,
        isa::Opcode::x_sum_lanes, isa::Opcode::x_max_lanes, isa::Opcode::x_sum_sublanes, isa::Opcode::x_max_sublanes}) {
    benchmark::RegisterBenchmark(name(opcode).c_str(), cross_lane, kernels, opcode);
  }
}

}  // namespace
}  // namespace podsim::hw

int main(int argc, char** argv) {
  using namespace podsim::hw;
  for (const podsim::hw::bundle::vector::VectorKernels& kernels : podsim::hw::bundle::vector::vector_kernels())
    register_kernels(kernels);
  benchmark::RegisterBenchmark("push_and_pop/cross_lane", push_and_pop<podsim::hw::bundle::results::CrossLaneQueue>,
                               podsim::hw::isa::Opcode::x_sum_lanes);
  benchmark::RegisterBenchmark("push_and_pop/transcendental",
                               push_and_pop<podsim::hw::bundle::results::TranscendentalQueue>,
                               podsim::hw::isa::Opcode::e_exp);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
