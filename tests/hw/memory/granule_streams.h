// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "hw/memory/dram/memory_system.h"

namespace podsim::hw::memory {

/// Streams of 1 KiB granules, taken from in turn, as a DMA engine sends them: a bounded number outstanding, each of
/// which counts until its answer has come back through the chip.
struct GranuleStreams {
  int reads = 1, writes = 0;  ///< streams
  int outstanding = 128;
  base::Cycles way_back{25};  ///< in clocks of the memory
  unsigned seed = 1;          ///< for the start addresses of the streams
};

struct StreamResult {
  base::Bandwidth rate;    ///< over whole refresh intervals, without the first and before requests run out
  dram::BusShares shares;  ///< over the whole run
  base::Cycles end;        ///< time of the last data
};

inline StreamResult run_streams(const parts::hbm::DramParameters& parameters, const GranuleStreams& streams,
                                int granules) {
  constexpr std::uint64_t granule = 1024;
  dram::MemorySystem memory(parameters);
  std::mt19937_64 random(streams.seed);
  std::vector<std::uint64_t> next;
  for (int i = 0; i < streams.reads + streams.writes; ++i) next.push_back(random() % (15 << 20) * granule);

  std::deque<base::Cycles> coming_back;
  std::vector<std::deque<dram::MemoryRequest>> lines(std::size_t(memory.channels()));  // at the channels
  std::vector<dram::MemoryCompletion> completed;
  int sent = 0, finished = 0, outstanding = 0;
  const base::Cycles interval = parameters.timing.refi;
  std::vector<std::int64_t> by_interval;  // granules
  std::size_t last_full = 0;              // the last interval with requests to send
  base::Cycles end;
  while (finished < granules) {
    for (; !coming_back.empty() && coming_back.front() <= memory.now(); coming_back.pop_front()) --outstanding;
    for (; outstanding < streams.outstanding && sent < granules; ++sent, ++outstanding) {
      const int stream = sent % int(next.size());
      const Direction direction = stream < streams.reads ? Direction::read : Direction::write;
      const std::uint64_t address = next[std::size_t(stream)];
      next[std::size_t(stream)] += granule;
      lines[std::size_t(memory.map().channel_of(address))].push_back(
          {direction, address, base::Bytes(granule), std::uint64_t(sent)});
    }
    for (auto& line : lines) {
      for (; !line.empty() && memory.accepts(line.front()); line.pop_front()) memory.submit(line.front());
    }
    base::Cycles until = *memory.next_event();
    if (!coming_back.empty()) until = std::min(until, std::max(coming_back.front(), memory.now() + base::Cycles(1)));
    completed.clear();
    memory.advance(until, completed);
    for (const dram::MemoryCompletion& done : completed) {
      coming_back.push_back(done.clock + streams.way_back);
      end = done.clock;
      ++finished;
      by_interval.resize(std::size_t(done.clock / interval) + 1);
      ++by_interval.back();
    }
    if (sent < granules) last_full = by_interval.size();
  }
  std::int64_t counted = 0;
  for (std::size_t i = 1; i + 1 < last_full; ++i) counted += by_interval[i];
  const base::Bytes moved(counted * std::int64_t(granule));
  return {moved / (interval * std::int64_t(last_full - 2) / parameters.clock), memory.shares(), end};
}

}  // namespace podsim::hw::memory
