// SPDX-License-Identifier: Apache-2.0
#include "hw/energy/event_energy.h"

#include <cmath>

#include "hw/energy/operating_point.h"
#include "hw/memory_levels.h"

namespace podsim::hw::energy {
namespace {

double bits(base::Bytes bytes) { return 8 * double(bytes.value()); }

/// Calls visit(name of a part, its joules) for each part.
template <class Visit>
void for_each_part(const Machine& machine, const Activity& activity, const Visit& visit) {
  const parts::energy::Parameters& energy = machine.energy;
  const double scale = OperatingPoint(machine).event_scale();
  CoreUnits::for_each([&](auto kind) {
    using Unit = typename decltype(kind)::type;
    visit(Unit::names.name, Unit::joules(machine, activity.units.of<Unit>()) * scale);
  });
  visit("vmem", bits(activity.vmem_read + activity.vmem_written) * sram_joules(machine, machine.vmem) * scale);
  base::Bytes on_chip;
  for (int number = level::first_declared; const parts::level::Parameters& declared : machine.levels) {
    const base::Bytes moved = activity.level_read[number] + activity.level_written[number];
    visit(declared.name.c_str(), bits(moved) * sram_joules(machine, declared.capacity) * scale);
    on_chip += moved;
    ++number;
  }
  const base::Bytes transfers = activity.transfer_read + activity.transfer_written;
  const base::Bytes hbm = activity.op_bytes() + transfers;
  const double rows =
      double(activity.op_rows) + double(transfers.value()) / double(machine.dram.organization.row.value());
  visit("hbm", bits(hbm) * (energy.hbm_bit + energy.hbm_path * scale) + rows * energy.hbm_activate);
  visit("wires", bits(hbm + on_chip) * energy.travel_bit * scale);
  visit("ici", bits(activity.link_bytes) * energy.link_bit * scale);
  visit("host", bits(activity.host_in + activity.host_out) * energy.pcie_bit);
}

}  // namespace

double sram_joules(const Machine& machine, base::Bytes capacity) {
  const parts::energy::Parameters& energy = machine.energy;
  const double bank = double(capacity.value()) / double(machine.vector.lanes);
  return energy.sram_bit * std::pow(bank / double(energy.sram_bank.value()), energy.sram_exponent);
}

double flop_joules(const Machine& machine) {
  Activity one;
  one.units.of<Mxu>().multiply_accumulates = 1;
  return event_total(machine, one) / 2;
}

double hbm_byte_joules(const Machine& machine) {
  const base::Bytes row = machine.dram.organization.row;
  Activity streamed;
  streamed.op_read = streamed.vmem_written = row;
  streamed.op_rows = 1;
  return event_total(machine, streamed) / double(row.value());
}

PartValues event_joules(const Machine& machine, const Activity& activity) {
  PartValues joules;
  for_each_part(machine, activity, [&](const char* part, double value) { joules.push_back({part, value}); });
  return joules;
}

double event_total(const Machine& machine, const Activity& activity) {
  double total = 0;
  for_each_part(machine, activity, [&](const char*, double value) { total += value; });
  return total;
}

}  // namespace podsim::hw::energy
