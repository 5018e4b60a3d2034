// SPDX-License-Identifier: Apache-2.0
#include "hw/energy/chip_area.h"

#include "hw/isa/encoding.h"

namespace podsim::hw::energy {
namespace {

double mib(double bytes) { return bytes / double(1 << 20); }

}  // namespace

int links_of_chip(const Machine& machine) { return 2 * int(machine.pod.dimensions.size()); }

PartValues chip_area(const Machine& machine) {
  const parts::energy::AreaParameters& area = machine.area;
  const auto cores = double(machine.cores_per_chip);
  PartValues parts;
  CoreUnits::for_each([&](auto kind) {
    using Unit = typename decltype(kind)::type;
    parts.push_back({Unit::names.name, cores * Unit::area(machine)});
  });
  parts.push_back({"vmem", cores * mib(double(machine.vmem.value())) * area.sram_mib});
  const double links = links_of_chip(machine);
  const double buffers = links * double(machine.ici.packet.router.vcs * machine.ici.packet.vc_buffer.value());
  const double core_memories =
      double(machine.scalar.smem.value()) + double(machine.instruction_memory * isa::bundle_bits) / 8;
  parts.push_back({"memories", mib(cores * core_memories + buffers) * area.sram_mib});
  for (const parts::level::Parameters& level : machine.levels) {
    const double of_chip = double(level.capacity.value()) * (level.shared ? 1 : cores);
    parts.push_back({level.name, mib(of_chip) * area.sram_mib});
  }
  parts.push_back({"hbm", cores * double(machine.dram.organization.channels) * area.hbm_channel});
  parts.push_back({"ici", links * machine.ici.link_rate.si() * 8e-9 * area.link_gbps});
  parts.push_back({"host", area.pcie});
  parts.push_back({"other", area.other});
  return parts;
}

}  // namespace podsim::hw::energy
