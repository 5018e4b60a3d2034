// Speed of the bank-level memory on the host: requests per second that one channel's controller schedules at full load,
// by access pattern, and bytes per second over the banks of a core's half compared with streams.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "hw/memory/banks/bank_stream.h"
#include "hw/memory/dram/channel_controller.h"
#include "hw/timing/hbm_stream.h"
#include "sw/target_machine.h"
#include "workloads/machines/machines.h"

extern "C" int sc_main(int, char**) { return 0; }

namespace podsim {
namespace {

hw::parts::hbm::DramParameters hbm2() { return sw::read_target(workloads::machines::machine_config("tpu-v3")).dram; }

// Requests that map to one channel.
std::vector<hw::memory::dram::MemoryRequest> requests_of_one_channel(const hw::memory::dram::AddressMap& map,
                                                                     base::Bytes size, bool random,
                                                                     int writes_in_four) {
  std::vector<hw::memory::dram::MemoryRequest> requests;
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
  const hw::parts::hbm::DramParameters parameters = hbm2();
  const auto requests = requests_of_one_channel(hw::memory::dram::AddressMap(parameters), size, random, writes_in_four);
  hw::memory::dram::ChannelController channel(parameters);
  std::vector<hw::memory::dram::MemoryCompletion> completed;
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
  state.counters["pin_share"] = double(channel.shares().of(hw::memory::dram::BusShare::read).value() +
                                       channel.shares().of(hw::memory::dram::BusShare::write).value()) /
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

// Reads and writes of 1 MiB, concurrently, over the banks of a core's half or over its streams.
template <class Memory>
void transfers_of_1_MiB(benchmark::State& state) {
  const sw::TargetMachine machine = sw::read_target(workloads::machines::machine_config("tpu-v3"));
  const base::Bytes size(1 << 20);
  Memory memory(machine);
  std::vector<hw::timing::HbmStream::Completion> completed;
  base::Cycles now;
  for (auto _ : state) {
    memory.submit(hw::Direction::read, size, now, 0);
    memory.submit(hw::Direction::write, size, now, 1);
    while (!memory.idle()) now = memory.complete_next(completed);
    completed.clear();
  }
  state.SetBytesProcessed(state.iterations() * 2 * size.value());
}
BENCHMARK(transfers_of_1_MiB<hw::memory::banks::BankStream>);
BENCHMARK(transfers_of_1_MiB<hw::timing::HbmStream>);

}  // namespace
}  // namespace podsim

BENCHMARK_MAIN();
