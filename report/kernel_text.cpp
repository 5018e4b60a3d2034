// SPDX-License-Identifier: Apache-2.0
// Part of report/kernel_report.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/text/percent.h"
#include "base/text/text_table.h"
#include "report/kernel_report.h"
#include "report/run/joules_text.h"
#include "report/slot_names.h"

namespace podsim::report {
namespace {

using Align = base::text::TextTable::Align;

std::string share_of(double part, double whole) { return base::text::percent(whole > 0 ? part / whole : 0); }
std::string duration(double seconds) { return base::to_string(base::Duration(seconds)); }

/// A count with an SI prefix, such as "10.21 TFLOP".
std::string scaled(double value, const char* unit) {
  constexpr const char* prefixes[] = {"", "k", "M", "G", "T", "P"};
  std::size_t i = 0;
  for (; value >= 1000 && i + 1 < std::size(prefixes); ++i) value /= 1000;
  return fmt::format("{:.4g} {}{}", value, prefixes[i], unit);
}

std::string headline(const KernelReport& r) {
  return fmt::format("{} on a core of {}{}{}\n\n", r.kernel, r.machine.name,
                     r.matrix_view == hw::bundle::matrix::MatrixUnitView::rows ? ", matrix units row by row" : "",
                     r.functional ? "" : ", time only");
}

std::string work(const KernelReport& r) {
  const double rate = r.generated->flops / r.time_s();
  return fmt::format("{} at {}, {} of the peak", scaled(r.generated->flops, "FLOP"), scaled(rate, "FLOP/s"),
                     base::text::percent(rate / r.machine.peak_flops_per_core()));
}

std::string with_error(const KernelReport& r, double seconds) {
  return fmt::format("{} ({})", duration(seconds), base::text::signed_percent(seconds / r.time_s() - 1));
}

std::string closed_forms(const KernelReport& r) {
  const ClosedForm& form = r.generated->closed_form;
  return fmt::format("{} if arithmetic and HBM overlap, {} if not", with_error(r, form.roofline_s()),
                     with_error(r, form.serial_s()));
}

std::string tile_level(const KernelReport& r) {
  const double cycles = double(r.generated->tile_level.value());
  return fmt::format("{} cycles ({})", r.generated->tile_level.value(),
                     base::text::signed_percent(cycles / double(r.result.cycles.value()) - 1));
}

std::string in_a_program(const KernelReport& r) {
  const validation::kernels::CompiledRun& run = r.generated->program;
  if (run.ops == 0) return "no op: the compiler chooses another layout instead";
  return fmt::format("{} cycles ({}) in {} {}, {} moved", run.cycles.value(),
                     base::text::signed_percent(double(run.cycles.value()) / double(r.result.cycles.value()) - 1),
                     run.ops, run.ops == 1 ? "op" : "ops", base::to_string(run.moved));
}

std::string energy(const KernelReport& r) {
  std::string text = fmt::format("{} of events, {:.1f} W of the core", run::joules_text(r.joules()), r.watts());
  if (!r.generated) return text;
  return text + fmt::format("; {} at tile level ({})", run::joules_text(r.tile_joules()),
                            base::text::signed_percent(r.tile_joules() / r.joules() - 1));
}

std::string checked(const KernelReport& r) {
  if (!r.verified) return "";
  if (!r.verification) return *r.verified ? "memory holds what the program expects" : "FAILED, see the errors";
  const validation::kernels::Verification& v = *r.verification;
  if (!*r.verified) {
    return fmt::format("FAILED: {} of {} elements differ from the reference, seed {}", v.differing, v.elements, v.seed);
  }
  if (v.worst.output.empty()) return fmt::format("{} elements equal the reference's, seed {}", v.elements, v.seed);
  return fmt::format("{} elements, seed {}; largest error {:.2g} of what is allowed, {}[{}]: {:.9g} for {:.9g}",
                     v.elements, v.seed, v.worst_ratio, v.worst.output, fmt::join(v.worst.index, ", "), v.worst.found,
                     v.worst.expected);
}

std::string figures(const KernelReport& r) {
  const hw::bundle::BundleRunResult& result = r.result;
  base::text::TextTable table({Align::left, Align::left});
  table.row({"time", fmt::format("{}, {} cycles at {}", duration(r.time_s()), result.cycles.value(),
                                 base::to_string(r.machine.clock))});
  if (r.generated && r.generated->flops > 0) table.row({"work", work(r)});
  table.row({"utilisation",
             fmt::format("MXU {}, HBM {}, vector ALUs {}", base::text::percent(r.mxu_utilization()),
                         base::text::percent(r.hbm_utilization()), base::text::percent(r.valu_utilization()))});
  table.row({"HBM", fmt::format("{} read, {} written by {} DMAs, busy {}", base::to_string(result.hbm_read),
                                base::to_string(result.hbm_written), result.dmas,
                                share_of(double(result.hbm_busy.value()), double(result.cycles.value())))});
  table.row({"energy", energy(r)});
  if (r.generated) {
    table.row({"closed form", closed_forms(r)});
    table.row({"tile level", tile_level(r)});
    table.row({"in a program", in_a_program(r)});
    table.row({"passes", r.generated->passes});
  }
  if (r.verified) table.row({"verified", checked(r)});
  return table.text();
}

const char* meaning(hw::bundle::Stall stall) {
  switch (stall) {
    case hw::bundle::Stall::branch:
      return "after a taken branch";
    case hw::bundle::Stall::sync_flag:
      return "waiting for a sync flag, which a DMA raises";
    case hw::bundle::Stall::dma_queue:
      return "no room for another DMA descriptor";
    case hw::bundle::Stall::matrix_operands:
      return "a matrix unit cannot take an operand yet";
    case hw::bundle::Stall::matrix_results:
      return "a matrix unit's result is not available yet";
    case hw::bundle::Stall::cross_lane:
      return "the cross-lane unit is behind";
    case hw::bundle::Stall::transcendental:
      return "the transcendental unit is behind";
    case hw::bundle::Stall::scalar_path:
      return "a word on its way from the vector to the scalar unit";
    case hw::bundle::Stall::vmem_bank:
      return "a bank of VMEM is busy";
    case hw::bundle::Stall::fence:
      return "stores on their way";
  }
  return "";
}

/// A table in which every cycle counts once: the rows add up to the last one.
std::string cycles_table(const KernelReport& r) {
  const double all = double(r.result.cycles.value());
  base::text::TextTable table({Align::left, Align::right, Align::right, Align::left});
  const auto row = [&](const std::string& name, std::int64_t cycles, const char* details) {
    table.row({"  " + name, std::to_string(cycles), share_of(double(cycles), all), details});
  };
  row("issue", r.result.bundles, "a bundle issued");
  for (int i = 0; i < hw::bundle::stall_reasons; ++i) {
    const std::int64_t cycles = r.result.stalls[std::size_t(i)].value();
    if (cycles > 0) row(hw::bundle::to_string(hw::bundle::Stall(i)), cycles, meaning(hw::bundle::Stall(i)));
  }
  row("total", r.result.cycles.value(), "");
  return "\nwhere the cycles go\n" + table.text();
}

std::string slots_table(const KernelReport& r) {
  base::text::TextTable table({Align::left, Align::right, Align::right});
  for (int i = 0; i < hw::isa::slots; ++i) {
    const std::int64_t operations = r.result.slot_use[std::size_t(i)];
    table.row({std::string("  ") + slot_name(hw::isa::Slot(i)), std::to_string(operations),
               share_of(double(operations), double(r.result.bundles))});
  }
  return fmt::format("\noperations by slot, and their share of {} bundles\n", r.result.bundles) + table.text();
}

}  // namespace

std::string kernel_text(const KernelReport& report) {
  std::string text = headline(report) + figures(report) + cycles_table(report) + slots_table(report);
  if (!report.warnings.empty()) text += "\n";
  for (const std::string& warning : report.warnings) text += "warning: " + warning + "\n";
  return text;
}

}  // namespace podsim::report
