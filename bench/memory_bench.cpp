// SPDX-License-Identifier: Apache-2.0
// Speed of the bank-level memory on the host: how many requests per second one channel's controller schedules at full
// load, by access pattern, and bytes per second of the banks of a core's half against streams.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "hw/hbm_stream.h"
#include "hw/machine.h"
#include "hw/memory/bank_stream.h"
#include "hw/memory/channel_controller.h"
#include "workloads/machines.h"

extern "C" int sc_main(int, char**) { return 0; }

namespace podsim {
namespace {

hw::DramParameters hbm2() { return hw::read_machine(workloads::machine_config("tpu-v3")).dram; }

// Requests that fall on one channel.
std::vector<hw::MemoryRequest> requests_of_one_channel(const hw::AddressMap& map, base::Bytes size, bool random,
                                                       int writes_in_four) {
  std::vector<hw::MemoryRequest> requests;
  std::mt19937_64 bits(1);
  const std::uint64_t bytes = std::uint64_t(size.value());
  std::uint64_t address = 0;
  while (requests.size() < 1 << 18) {
    address = random ? bits() % (std::uint64_t(16) << 30) / bytes * bytes : address + bytes;
    if (map.channel_of(address) != 0) continue;
    const bool write = int(bits() % 4) < writes_in_four;
    requests.push_back({write ? hw::Direction::write : hw::Direction::read, address, size, requests.size()});
  }
  return requests;
}

// Keeps the controller's queues full.
void full_load(benchmark::State& state, base::Bytes size, bool random, int writes_in_four) {
  const hw::DramParameters parameters = hbm2();
  const auto requests = requests_of_one_channel(hw::AddressMap(parameters), size, random, writes_in_four);
  hw::ChannelController channel(parameters);
  std::vector<hw::MemoryCompletion> completed;
  std::size_t sent = 0;
  std::int64_t answered = 0;
  for (auto _ : state) {
    for (const std::int64_t until = answered + 10'000; answered < until;) {
      for (; channel.accepts(requests[sent % requests.size()]); ++sent)
        channel.submit(requests[sent % requests.size()]);
      channel.advance(*channel.next_room(), completed);
      answered += std::int64_t(completed.size());
      completed.clear();
    }
  }
  state.SetItemsProcessed(answered);
  state.SetBytesProcessed(answered * size.value());
  state.counters["pin_share"] =
      double(channel.shares().of(hw::BusShare::read).value() + channel.shares().of(hw::BusShare::write).value()) /
      double(channel.shares().total().value());
}

void sequential_reads_of_32_bytes(benchmark::State& state) { full_load(state, base::Bytes(32), false, 0); }
void random_reads_of_32_bytes(benchmark::State& state) { full_load(state, base::Bytes(32), true, 0); }
void random_reads_and_writes_of_32_bytes(benchmark::State& state) { full_load(state, base::Bytes(32), true, 2); }
void sequential_reads_of_1_KiB(benchmark::State& state) { full_load(state, base::Bytes(1024), false, 0); }
BENCHMARK(sequential_reads_of_32_bytes);
BENCHMARK(random_reads_of_32_bytes);
BENCHMARK(random_reads_and_writes_of_32_bytes);
BENCHMARK(sequential_reads_of_1_KiB);

// The same transfers, reads and writes of 1 MiB side by side, over the banks of a core's half and over its streams.
template <class Memory>
void transfers_of_1_MiB(benchmark::State& state) {
  const hw::Machine machine = hw::read_machine(workloads::machine_config("tpu-v3"));
  const base::Bytes size(1 << 20);
  Memory memory(machine);
  std::vector<hw::HbmStream::Completion> completed;
  base::Cycles now;
  for (auto _ : state) {
    memory.submit(hw::Direction::read, size, now, 0);
    memory.submit(hw::Direction::write, size, now, 1);
    while (!memory.idle()) now = memory.complete_next(completed);
    completed.clear();
  }
  state.SetBytesProcessed(state.iterations() * 2 * size.value());
}
BENCHMARK(transfers_of_1_MiB<hw::BankStream>);
BENCHMARK(transfers_of_1_MiB<hw::HbmStream>);

}  // namespace
}  // namespace podsim

BENCHMARK_MAIN();
