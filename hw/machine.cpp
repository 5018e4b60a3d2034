// SPDX-License-Identifier: Apache-2.0
#include "hw/machine.h"

#include <algorithm>
#include <array>

#include "hw/related_values.h"
#include "hw/stream_range.h"

namespace podsim::hw {

namespace {

// Upper bounds, far above anything that is built. Above them numbers overflow, or the simulation does not fit a host.
constexpr std::int64_t most_of_anything = 1'000'000;
constexpr std::int64_t most_registers = 4096;  // of a FIFO
constexpr base::Bytes most_smem{1LL << 30}, most_vmem{1LL << 36}, most_transfer{1LL << 50}, most_packet{1LL << 20},
    most_buffer{1LL << 30};
// Values above or below these are no machine, and a simulation of them does not end.
constexpr std::int64_t most_matrix_units = 1024, most_array_size = 65536, most_stage_cycles = 1000;
constexpr std::int64_t most_cores = 16;          // of a chip: the tag of a message has four bits for each end's
constexpr std::int64_t most_unit_cycles = 4096;  // of a latency within a core: some us
constexpr const char* slow_unit = "no unit of a core takes longer";
/// Machine files state measured rates with a digit behind the point.
constexpr base::Bandwidth rounding_of_rates(0.05e9);
constexpr base::Bytes least_largest_segment{4096};

/// Reads values by type, with the valid range of each kind of value.
class MachineReader {
 public:
  MachineReader(const base::Config& config, base::Frequency clock) : config_(config), clock_(clock) {}

  std::int64_t count(const char* key, std::int64_t most = most_of_anything, const char* why = nullptr) const {
    return between(key, 1, most, why);
  }
  /// For values that other models rely on and that cannot vary yet.
  std::int64_t exactly(const char* key, std::int64_t only, const char* why) const {
    if (config_.integer(key) != only)
      config_.reject(key, std::string("'") + key + "' must be " + std::to_string(only) + ": " + why);
    return only;
  }
  base::Cycles cycles(const char* key, std::int64_t least, std::int64_t most = most_of_anything,
                      const char* why = nullptr) const {
    return base::Cycles(between(key, least, most, why));
  }
  base::Cycles unit_cycles(const char* key, std::int64_t least) const {
    return cycles(key, least, most_unit_cycles, slow_unit);
  }
  double fraction(const char* key) const {
    const double value = config_.number(key);
    if (!(value >= 0 && value <= 1)) config_.reject(key, std::string("'") + key + "' is a share: between 0 and 1");
    return value;
  }
  base::Bytes size(const char* key, base::Bytes most) const {
    const base::Bytes value = config_.bytes(key);
    if (value.value() < 1) config_.reject(key, std::string("'") + key + "' must be more than nothing");
    if (value > most) config_.reject(key, std::string("'") + key + "' must be at most " + base::to_string(most));
    return value;
  }
  base::Bandwidth rate(const char* key) const {
    const base::Bandwidth value = config_.bandwidth(key);
    if (!(value.si() >= 1e6 && value.si() <= 1e15)) {
      config_.reject(key, std::string("'") + key + "' must be between 1 MB/s and 1000000 GB/s");
    }
    return value;
  }
  base::Duration duration(const char* key) const {
    const base::Duration value = config_.duration(key);
    if (!(value.si() >= 0 && value.si() <= 1))
      config_.reject(key, std::string("'") + key + "' must be between 0 and 1 s");
    return value;
  }
  base::Cycles cycles_of(const char* key) const { return clock_.cycles_covering(duration(key)); }

 private:
  /// `why` is the reason for the range; nullptr: values beyond it overflow or do not fit a host.
  std::int64_t between(const char* key, std::int64_t least, std::int64_t most, const char* why) const {
    const std::int64_t value = config_.integer(key);
    if (value < least || value > most) {
      config_.reject(
          key, std::string("'") + key + "' must be between " + std::to_string(least) + " and " + std::to_string(most),
          why == nullptr ? "" : why);
    }
    return value;
  }

  const base::Config& config_;
  base::Clock clock_;
};

base::Frequency read_clock(const base::Config& config) {
  const base::Frequency clock = config.frequency("core.clock");
  if (!(clock.si() >= 1e6 && clock.si() <= 1e11)) {
    config.reject("core.clock", "'core.clock' must be between 1 MHz and 100 GHz");
  }
  return clock;
}

MxuParameters read_mxu(const base::Config& config, const MachineReader& read) {
  MxuParameters mxu;
  mxu.count = read.count("mxu.count", most_matrix_units, "no core holds more arrays");
  mxu.size = read.count("mxu.size", most_array_size, "no array is larger");
  if (mxu.size % 8 != 0) config.reject("mxu.size", "'mxu.size' must be a multiple of 8, the rows of a register");
  const std::int64_t rows = read.count("mxu.weight_rows_per_cycle");
  if (rows > mxu.size) {
    reject_together(config, {"mxu.weight_rows_per_cycle", "mxu.size"},
                    "an array has fewer rows of weights than load in a cycle");
  }
  mxu.weight_load = base::Cycles(base::divide_round_up(mxu.size, rows));
  mxu.first_result_latency = base::Cycles(mxu.size) + read.unit_cycles("mxu.result_skew_cycles", 7);
  mxu.operand_fifo = read.count("mxu.operand_fifo_registers", most_registers);
  mxu.result_fifo = read.count("mxu.result_fifo_registers", most_registers);
  return mxu;
}

ScalarParameters read_scalar(const MachineReader& read) {
  return {read.size("scalar.smem", most_smem), read.unit_cycles("scalar.alu_latency_cycles", 1),
          read.unit_cycles("scalar.load_latency_cycles", 1), read.unit_cycles("scalar.branch_penalty_cycles", 0)};
}

VectorParameters read_vector(const MachineReader& read) {
  VectorParameters vector;
  vector.lanes = read.exactly("vector.lanes", 128, "arrays are laid out in tiles of 8 x 128");
  vector.sublanes = read.exactly("vector.sublanes", 8, "arrays are laid out in tiles of 8 x 128");
  vector.alus = read.count("vector.alus");
  vector.loads = read.count("vector.loads");
  vector.stores = read.count("vector.stores");
  vector.transcendental_interval = read.unit_cycles("vector.transcendental_interval_cycles", 1);
  vector.load_latency = read.unit_cycles("vector.load_latency_cycles", 1);
  vector.alu_latency = read.unit_cycles("vector.alu_latency_cycles", 1);
  vector.store_to_load = read.unit_cycles("vector.store_to_load_cycles", 1);
  vector.transcendental_latency = read.unit_cycles("vector.transcendental_latency_cycles", 1);
  vector.transcendental_fifo = read.count("vector.transcendental_fifo_registers", most_registers);
  return vector;
}

DmaParameters read_dma(const base::Config& config, const MachineReader& read) {
  DmaParameters dma;
  dma.granules = read_outstanding_granules(config);
  dma.read_latency = read.cycles_of("dma.read_latency");
  dma.write_latency = read.cycles_of("dma.write_latency");
  dma.issue_interval = read.cycles("dma.issue_interval_cycles", 0);
  dma.queue_depth = read.count("dma.queue_depth");
  return dma;
}

/// The rate at which a core streams its memory, at most that of the pins.
base::Bandwidth read_stream_rate(const base::Config& config, const MachineReader& read, base::Bandwidth pins) {
  const char* const key = "hbm.stream_rate";
  const base::Bandwidth rate = read.rate(key);
  if (rate < least_stream_rate) config.reject(key, "'hbm.stream_rate' must be at least 1 GB/s");
  if (rate > pins + rounding_of_rates) {
    reject_together(config, {key, "hbm.clock", "hbm.channels", "hbm.pseudo_channels", "hbm.burst", "hbm.burst_clocks"},
                    "'hbm.stream_rate' is above the rate of the memory's pins, " + base::to_string(pins),
                    "more channels or a higher clock carry more, and the rates of streams follow from them");
  }
  return rate;
}

HbmParameters read_hbm(const base::Config& config, const MachineReader& read, base::Bandwidth pins) {
  HbmParameters hbm;
  hbm.capacity_per_core = config.bytes("hbm.capacity_per_core");  // its range is checked by read_dram_parameters()
  hbm.reserved_per_core = config.bytes("hbm.reserved_per_core");
  if (hbm.reserved_per_core < base::Bytes(0)) {
    config.reject("hbm.reserved_per_core", "'hbm.reserved_per_core' must not be negative");
  }
  if (hbm.reserved_per_core >= hbm.capacity_per_core) {
    reject_together(config, {"hbm.reserved_per_core", "hbm.capacity_per_core"},
                    "more memory is reserved than there is: 'hbm.reserved_per_core' must be less than "
                    "'hbm.capacity_per_core'");
  }
  hbm.stream_rate = read_stream_rate(config, read, pins);
  hbm.write_cost = config.number("hbm.write_cost");
  if (!(hbm.write_cost >= least_write_cost && hbm.write_cost <= most_write_cost)) {
    config.reject("hbm.write_cost", "'hbm.write_cost' must be between 0.1 and 10");
  }
  hbm.turnaround = config.number("hbm.turnaround");
  if (!(hbm.turnaround >= 0 && hbm.turnaround <= most_turnaround)) {
    config.reject("hbm.turnaround", "'hbm.turnaround' must be between 0 and 10 bytes per byte");
  }
  return hbm;
}

template <class Choice, std::size_t count>
Choice read_choice(const base::Config& config, const char* key, const std::array<Choice, count>& choices) {
  std::string names;
  for (Choice choice : choices) {
    if (config.string(key) == to_string(choice)) return choice;
    names += (names.empty() ? "" : ", ") + std::string(to_string(choice));
  }
  config.reject(key, std::string("'") + key + "' must be one of " + names);
}

noc::router::RouterParameters read_router(const base::Config& config, const MachineReader& read,
                                          const noc::ici::PacketParameters& packet) {
  using enum noc::router::Switching;
  using enum noc::router::Allocation;
  noc::router::RouterParameters router;
  router.vcs = int(read.count("ici.virtual_channels"));
  router.buffer_flits = int(packet.vc_buffer / packet.flit);
  router.switching = read_choice(config, "ici.switching", std::array{virtual_cut_through, wormhole});
  router.allocation = read_choice(config, "ici.allocation", std::array{islip, round_robin});
  router.iterations = int(read.count("ici.allocation_iterations"));
  router.arbitration = read_choice(config, "ici.arbitration",
                                   std::array{noc::router::Arbitration::rotary, noc::router::Arbitration::fair});
  router.vc_classes = read_choice(
      config, "ici.vc_classes",
      std::array{noc::router::VcClasses::dateline, noc::router::VcClasses::destination, noc::router::VcClasses::none});
  const auto stage = [&](const char* key, std::int64_t least) {
    return read.cycles(key, least, most_stage_cycles, "a stage of a router's pipeline takes a few cycles").value();
  };
  router.route_cycles = int(stage("ici.route_cycles", 0));
  router.vc_cycles = int(stage("ici.vc_allocation_cycles", 1));
  router.switch_cycles = int(stage("ici.switch_allocation_cycles", 1));
  router.traversal_cycles = int(stage("ici.traversal_cycles", 1));
  const std::string problem = noc::router::router_problem(router, packet.flits(packet.payload));
  if (!problem.empty()) {
    reject_together(config,
                    {"ici.vc_buffer", "ici.flit", "ici.packet_payload", "ici.packet_header", "ici.virtual_channels",
                     "ici.switching", "ici.vc_classes"},
                    problem);
  }
  return router;
}

noc::ici::PacketParameters read_packet(const base::Config& config, const MachineReader& read) {
  noc::ici::PacketParameters packet;
  packet.flit = read.size("ici.flit", most_packet);
  packet.payload = read.size("ici.packet_payload", most_packet);
  packet.header = read.size("ici.packet_header", most_packet);
  packet.vc_buffer = read.size("ici.vc_buffer", most_buffer);
  if ((packet.payload + packet.header) % packet.flit != base::Bytes(0)) {
    reject_together(config, {"ici.packet_payload", "ici.packet_header", "ici.flit"},
                    "payload and header of a full packet must fill its flits");
  }
  packet.router = read_router(config, read, packet);
  packet.row_and_column_only = config.boolean("ici.row_and_column_only");
  return packet;
}

/// `crossing` is that of a packet through the on-chip switch.
noc::ici::IciParameters read_ici(const base::Config& config, const MachineReader& read, base::Duration crossing) {
  noc::ici::IciParameters ici;
  ici.link_rate = read.rate("ici.link_rate");
  ici.payload_fraction = read.fraction("ici.payload_fraction");
  if (ici.payload_fraction < 0.001) config.reject("ici.payload_fraction", "a link without payload moves nothing");
  ici.hop_latency = read.duration("ici.hop_latency");
  ici.remote_dma_latency = read.duration("ici.remote_dma_latency");
  if (ici.hop_latency.si() < 1e-12) config.reject("ici.hop_latency", "'ici.hop_latency' must be at least 1 ps");
  ici.cross_pod_latency = read.duration("ici.cross_pod_latency");
  ici.switch_crossing = crossing;
  ici.packet = read_packet(config, read);
  const double of_header = double(ici.packet.header.value()) / double(ici.packet.payload.value());
  if (ici.payload_fraction * (1 + of_header) > 1) {
    reject_together(config, {"ici.packet_header", "ici.packet_payload", "ici.payload_fraction"},
                    "payload and header together are more than a link carries",
                    "'ici.payload_fraction' is what remains for payload");
  }
  return ici;
}

HostParameters read_host(const base::Config& config, const MachineReader& read, base::Bandwidth pins) {
  HostParameters host;
  host.pcie_rate = read.rate("host.pcie_rate");
  host.pcie_latency = read.duration("host.pcie_latency");
  host.infeed_copy_rate = read.rate("host.infeed_copy_rate");
  if (host.infeed_copy_rate > pins) {
    reject_together(
        config,
        {"host.infeed_copy_rate", "hbm.clock", "hbm.channels", "hbm.pseudo_channels", "hbm.burst", "hbm.burst_clocks"},
        "'host.infeed_copy_rate' is above the rate of the memory's pins, " + base::to_string(pins),
        "a batch is copied into the HBM; set it as well");
  }
  host.infeed_tensor_overhead = read.duration("host.infeed_tensor_overhead");
  host.infeed_queue_depth = read.count("host.infeed_queue_depth");
  host.outfeed_queue_depth = read.count("host.outfeed_queue_depth");
  host.batch_interval = read.duration("host.batch_interval");
  host.traced_op = read.duration("host.traced_op");
  host.traced_step = read.duration("host.traced_step");
  return host;
}

PodParameters read_pod(const base::Config& config, const MachineReader& read) {
  PodParameters pod;
  pod.dimensions = config.integers("pod.dimensions");
  const auto too_few_or_many = [](std::int64_t chips) { return chips < 1 || chips > most_of_anything; };
  if (pod.dimensions.empty() || std::ranges::any_of(pod.dimensions, too_few_or_many)) {
    config.reject("pod.dimensions",
                  "'pod.dimensions' needs at least one dimension, each of at least one chip and at most 1000000");
  }
  pod.host_chips = read.count("pod.host_chips");
  pod.pods = read.count("pod.pods");
  return pod;
}

base::Bytes read_largest_segment(const base::Config& config, const MachineReader& read) {
  const char* const key = "compiler.largest_segment";
  const base::Bytes segment = read.size(key, most_transfer);
  if (segment >= least_largest_segment) return segment;
  config.reject(key, std::string("'") + key + "' must be at least " + base::to_string(least_largest_segment),
                "shorter messages are more headers and launches than data");
}

}  // namespace

double Machine::peak_flops_per_core() const { return 2.0 * double(mxu.count * mxu.size * mxu.size) * clock.si(); }

Machine read_machine(const base::Config& config) {
  Machine machine;
  machine.name = config.string("machine.name");
  machine.clock = read_clock(config);
  const MachineReader read(config, machine.clock);
  machine.cores_per_chip = read.count("core.cores_per_chip", most_cores, "a message over ICI names one of 16 cores");
  machine.vmem = read.size("core.vmem", most_vmem);
  machine.sync_flags = read.count("core.sync_flags");
  if (machine.sync_flags < 4) config.reject("core.sync_flags", "an op's double buffers need 4 of 'core.sync_flags'");
  machine.instruction_memory = read.count("core.instruction_memory_bundles");
  if (machine.instruction_memory > 65536)
    config.reject("core.instruction_memory_bundles", "a bundle's address has 16 bits: at most 65536");
  machine.scalar = read_scalar(read);
  machine.mxu = read_mxu(config, read);
  machine.vector = read_vector(read);
  machine.cross_lane = {read.unit_cycles("cross_lane.interval_cycles", 1),
                        read.unit_cycles("cross_lane.latency_cycles", 1),
                        read.count("cross_lane.result_fifo_registers", most_registers)};
  machine.dma = read_dma(config, read);
  machine.dram = read_dram_parameters(config);
  machine.hbm = read_hbm(config, read, machine.dram.pin_rate());
  machine.chip_switch = {read.count("switch.bytes_per_cycle"), read.cycles("switch.crossing_latency_cycles", 0),
                         read.count("switch.queue_packets")};
  machine.hbm.port_rate = base::Bandwidth(double(machine.chip_switch.bytes_per_cycle) * machine.clock.si());
  machine.ici = read_ici(config, read, machine.chip_switch.crossing_latency / machine.clock);
  machine.host = read_host(config, read, machine.dram.pin_rate());
  machine.compiler = {read.fraction("compiler.exposed_vector_fraction"),
                      read.count("compiler.prologue_columns"),
                      read.size("compiler.least_tile", most_transfer),
                      read.cycles("compiler.op_launch_cycles", 0),
                      read.size("compiler.combine_all_reduce", most_transfer),
                      read.size("compiler.least_segment", most_transfer),
                      read_largest_segment(config, read),
                      read.duration("compiler.collective_launch"),
                      read.duration("compiler.collective_launch_doubling"),
                      read.cycles("compiler.row_lookup_cycles", 0),
                      read.cycles("compiler.row_read_cycles", 0),
                      read.cycles("compiler.row_update_cycles", 0),
                      read.count("compiler.moved_row_operations"),
                      read.fraction("compiler.packing_share"),
                      read.size("compiler.resident_table", most_transfer),
                      read.fraction("compiler.small_op_share"),
                      read.size("compiler.small_operand", most_transfer),
                      read.fraction("compiler.tile_penalty"),
                      config.bytes("compiler.vmem_for_values"),
                      config.boolean("compiler.transfers_in_turns"),
                      read.fraction("compiler.recompute_above"),
                      read.fraction("compiler.order_gain"),
                      config.number("compiler.reshape_padding"),
                      read.rate("compiler.partition_link_rate"),
                      config.number("compiler.partition_products_per_s"),
                      read.rate("compiler.partition_memory_rate")};
  if (!(machine.compiler.reshape_padding > 0))
    config.reject("compiler.reshape_padding", "'compiler.reshape_padding' must be more than 0");
  if (!(machine.compiler.partition_products >= 1))
    config.reject("compiler.partition_products_per_s", "'compiler.partition_products_per_s' must be at least 1");
  if (machine.compiler.vmem_for_values < base::Bytes(0) || machine.compiler.vmem_for_values >= machine.vmem)
    reject_together(config, {"compiler.vmem_for_values", "core.vmem"},
                    "'compiler.vmem_for_values' must be less than 'core.vmem'");
  if (machine.compiler.small_op_share < 1e-6)
    config.reject("compiler.small_op_share", "'compiler.small_op_share' must be at least 1e-6");
  machine.tile_level = {read.cycles("tile_level.tile_cycles", 0), read.cycles("tile_level.transfer_cycles", 0),
                        read.cycles("tile_level.vector_loop_cycles", 0),
                        read.cycles("tile_level.matrix_phase_cycles", 0),
                        read.cycles("tile_level.cross_lane_phase_cycles", 0)};
  machine.pod = read_pod(config, read);
  return machine;
}

}  // namespace podsim::hw
