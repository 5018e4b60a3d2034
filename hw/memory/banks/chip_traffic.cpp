// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/chip_traffic.h"

#include <fmt/format.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "base/diagnostic.h"
#include "base/host/interrupt.h"
#include "base/systemc/fresh_context.h"
#include "base/systemc/sliced_run.h"
#include "base/systemc/systemc_time.h"
#include "hw/host/host_port.h"
#include "hw/memory/banks/bank_memory.h"
#include "noc/ici/ici_port.h"
#include "noc/ici/message_fabric.h"

namespace podsim::hw::memory::banks {
namespace {

/// Stands for a core's engine, which issues no descriptors of its own.
class NoEngine : public sc_core::sc_module {
 public:
  explicit NoEngine(const sc_core::sc_module_name& name) : sc_module(name) {}
  tlm_utils::simple_initiator_socket<NoEngine> to_hbm{"to_hbm"};
};

/// The part of a chip that its memory traffic passes.
struct TrafficChip {
  TrafficChip(const Machine& machine, int number, const Trace& trace)
      : host(fmt::format("host{}", number).c_str(), machine.host, machine.cores_per_chip, trace.below("host")),
        memory(fmt::format("memory{}", number).c_str(), machine, host, trace) {
    for (int core = 0; core < int(machine.cores_per_chip); ++core) {
      engines.emplace_back(fmt::format("engine{}_{}", number, core).c_str());
      engines.back().to_hbm.bind(memory.from_dma(core));
    }
  }

  host::HostPort host;
  BankMemory memory;
  std::deque<NoEngine> engines;
};

/// The dimension along which a chip has a neighbour; empty if none has.
std::optional<std::size_t> dimension_of_neighbour(const Machine& machine) {
  const std::vector<std::int64_t>& chips = machine.pod.dimensions;
  const auto found = std::ranges::find_if(chips, [](std::int64_t count) { return count > 1; });
  return found == chips.end() ? std::nullopt : std::optional(std::size_t(found - chips.begin()));
}

/// A chip and, if the traffic reaches it, its neighbour.
noc::Topology chips_of(const Machine& machine, TrafficEnd end) {
  std::vector<std::int64_t> sizes(machine.pod.dimensions.size(), 1);
  if (end == TrafficEnd::neighbour) sizes[*dimension_of_neighbour(machine)] = 2;
  return noc::Topology(sizes, std::vector<bool>(sizes.size(), false));
}

/// The half that a core accesses; cores count from 0.
int half_of(TrafficEnd end, int core, int cores) {
  if (end == TrafficEnd::other) return (core + 1) % cores;
  return end == TrafficEnd::one ? 0 : core;
}

/// The streams of one core.
HalfTraffic streams_of_core(const Machine& machine, const ChipTraffic& traffic, int core) {
  if (traffic.end != TrafficEnd::one) return dram::streams_of(traffic.pattern, machine.hbm.capacity_per_core);
  constexpr std::int64_t region_step = 4096;
  const base::Bytes part = machine.hbm.capacity_per_core / machine.cores_per_chip / region_step * region_step;
  HalfTraffic streams = dram::streams_of(traffic.pattern, part);
  for (dram::MemoryStream& stream : streams) stream.pattern.base += std::uint64_t((part * core).value());
  return streams;
}

class ChipTrafficRun {
 public:
  ChipTrafficRun(const Machine& machine, const ChipTraffic& traffic, base::trace::ProbeSink* sink,
                 const ChipTrafficWatch& watch)
      : machine_(machine),
        end_(traffic.end),
        watch_(watch),
        topology_(chips_of(machine, traffic.end)),
        fabric_("fabric", topology_, machine.ici, sink),
        cores_(std::size_t(machine.cores_per_chip)) {
    for (noc::NodeId chip = 0; chip < topology_.nodes(); ++chip) {
      const Trace trace{sink, nullptr, "chip" + topology_.name(chip)};
      chips_.push_back(std::make_unique<TrafficChip>(machine, int(chip), trace));
      links_.emplace_back(fmt::format("ici{}", chip).c_str(), chip).bind(fabric_);
      chips_.back()->memory.connect(links_.back());
    }
    for (int core = 0; core < int(cores_.size()); ++core) watch_core(core);
    for (int core = 0; core < int(cores_.size()); ++core) {
      for (const dram::MemoryStream& stream : streams_of_core(machine, traffic, core)) start(core, stream);
    }
  }

  ChipTrafficResult run() {
    base::systemc::run_in_slices([this] {
      if (watch_.progress) watch_.progress(double(moved().value()) / double(to_move_.value()));
      return base::host::interrupt_pending();
    });
    if (base::host::interrupt_pending()) {
      if (watch_.partial != nullptr) *watch_.partial = result();
      base::host::end_if_interrupted(
          fmt::format("with {} of {} moved", base::to_string(moved()), base::to_string(to_move_)));
    }
    return result();
  }

 private:
  struct CoreState {
    base::Bytes moved;
    std::int64_t left = 0;  ///< streams
    base::Time end;
  };

  BankMemory& memory() { return chips_.front()->memory; }

  void watch_core(int core) {
    CoreState& state = cores_[std::size_t(core)];
    memory().dma(core).on_granule([this, &state](base::Bytes bytes, base::Cycles latency) {
      state.moved += bytes;
      latencies_.push_back(latency);
    });
    memory().dma(core).on_completion([&state](std::uint64_t) {
      if (--state.left == 0) state.end = base::systemc::now();
    });
  }

  void start(int core, const dram::MemoryStream& stream) {
    ++cores_[std::size_t(core)].left;
    to_move_ += stream.bytes();
    const AccessPattern& pattern = stream.pattern;
    const DmaEnd own{{}, 0, pattern.row_bytes.value()};
    const DmaEnd far{port_for(core), pattern.base, pattern.stride, pattern.seed, pattern.span};
    const bool reads = stream.direction == Direction::read;
    memory().dma(core).start({reads ? far : own, reads ? own : far, pattern.rows, pattern.row_bytes}, 0);
  }

  DmaPort port_for(int core) {
    if (end_ == TrafficEnd::host) return memory().host();
    noc::Coordinates hops{};
    if (end_ == TrafficEnd::neighbour) hops[*dimension_of_neighbour(machine_)] = 1;
    return memory().hbm(half_of(end_, core, int(cores_.size())), hops);
  }

  base::Bytes moved() const {
    base::Bytes sum;
    for (const CoreState& core : cores_) sum += core.moved;
    return sum;
  }

  ChipTrafficResult result() {
    ChipTrafficResult result;
    for (const CoreState& core : cores_) {
      result.cores.push_back({core.moved, core.left == 0 ? core.end : base::systemc::now()});
      result.time = std::max(result.time, result.cores.back().end);
    }
    result.latencies = latencies_;
    std::ranges::sort(result.latencies);
    BankMemory& used = chips_.back()->memory;  // the neighbour's, if there is one
    for (int half = 0; half < int(cores_.size()); ++half) add_half(used.half(half), result);
    add_ports(result);
    return result;
  }

  /// Adds what a half did, if it served anything.
  static void add_half(BankHbm& half, ChipTrafficResult& result) {
    std::int64_t bursts = 0;
    for (int channel = 0; channel < half.channels(); ++channel) {
      const dram::ChannelController& controller = half.channel(channel).controller();
      bursts += controller.bursts();
      result.activates += controller.activates();
    }
    if (bursts == 0) return;
    result.bursts += bursts;
    result.shares += half.shares();
    for (int channel = 0; channel < half.channels(); ++channel) {
      result.refreshes += half.channel(channel).controller().refreshes();
    }
  }

  void add_ports(ChipTrafficResult& result) {
    const ChipPorts& ports = memory().ports();
    const noc::chip_switch::OnChipSwitch& chip_switch = memory().chip_switch();
    const auto share = [&result](base::Time busy) {
      return result.time > base::Time(0) ? double(busy.value()) / double(result.time.value()) : 0;
    };
    for (int port = 0; port < ports.count(); ++port) {
      result.ports.push_back(
          {ports.name(port), share(chip_switch.input_busy(port)), share(chip_switch.output_busy(port))});
    }
  }

  const Machine& machine_;
  TrafficEnd end_;
  const ChipTrafficWatch& watch_;
  noc::Topology topology_;
  noc::ici::MessageFabric fabric_;
  std::deque<noc::ici::IciPort> links_;
  std::vector<std::unique_ptr<TrafficChip>> chips_;
  std::vector<CoreState> cores_;
  std::vector<base::Cycles> latencies_;
  base::Bytes to_move_;
};

}  // namespace

std::string_view to_string(TrafficEnd end) {
  switch (end) {
    case TrafficEnd::own:
      return "own";
    case TrafficEnd::other:
      return "other";
    case TrafficEnd::one:
      return "one";
    case TrafficEnd::host:
      return "host";
    case TrafficEnd::neighbour:
      break;
  }
  return "neighbour";
}

std::vector<HalfTraffic> halves_of(const Machine& machine, const ChipTraffic& traffic) {
  const int cores = int(machine.cores_per_chip);
  if (traffic.end == TrafficEnd::other && cores == 1)
    throw base::InputError("a chip with one core has no other half", "own, host or neighbour");
  if (traffic.end == TrafficEnd::neighbour && !dimension_of_neighbour(machine))
    throw base::InputError("a pod of one chip has no neighbours", "own, other, one or host");
  std::vector<HalfTraffic> halves(std::size_t(cores), HalfTraffic{});
  for (int core = 0; core < cores; ++core) {
    const HalfTraffic streams = streams_of_core(machine, traffic, core);
    if (traffic.end == TrafficEnd::host) continue;
    HalfTraffic& half = halves[std::size_t(half_of(traffic.end, core, cores))];
    half.insert(half.end(), streams.begin(), streams.end());
  }
  std::erase_if(halves, [](const HalfTraffic& half) { return half.empty(); });
  return halves;
}

base::Bytes ChipTrafficResult::moved() const {
  base::Bytes sum;
  for (const Core& core : cores) sum += core.moved;
  return sum;
}

ChipTrafficResult run_chip_traffic(const Machine& machine, const ChipTraffic& traffic, base::trace::ProbeSink* sink,
                                   const ChipTrafficWatch& watch) {
  const base::systemc::FreshContext context;
  return ChipTrafficRun(machine, traffic, sink, watch).run();
}

base::Time stream_time(const Machine& machine, std::span<const HalfTraffic> halves) {
  base::Cycles last;
  for (const HalfTraffic& streams : halves) {
    timing::HbmStream half(machine);
    for (const dram::MemoryStream& stream : streams) {
      half.submit(stream.direction, stream.bytes(), base::Cycles(0), 0, stream.pattern.shape());
    }
    std::vector<timing::HbmStream::Completion> completed;
    while (!half.idle()) last = std::max(last, half.complete_next(completed));
  }
  return machine.core_clock().time_of(last);
}

}  // namespace podsim::hw::memory::banks
