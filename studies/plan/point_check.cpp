// SPDX-License-Identifier: Apache-2.0
#include "studies/plan/point_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text/counted.h"
#include "hw/memory/dram/stream_calibration.h"
#include "noc/slice.h"
#include "sw/collectives/collective_groups.h"
#include "sw/placement/mesh_placement.h"
#include "workloads/importers/importer.h"
#include "workloads/machines/model_settings.h"
#include "workloads/models/registry.h"

namespace podsim::studies::plan {

namespace {

constexpr std::int64_t max_chips = 1 << 16;  // limit of `podsim collective`

const LocatedValue* find(const std::vector<LocatedValue>& values, std::string_view key) {
  const auto found = std::ranges::find_if(values, [&](const LocatedValue& v) { return v.value->key == key; });
  return found == values.end() || found->value->text.empty() ? nullptr : &*found;
}

std::string text(const std::vector<LocatedValue>& values, std::string_view key, std::string_view otherwise = "") {
  const LocatedValue* value = find(values, key);
  return std::string(value == nullptr ? otherwise : value->value->text);
}

bool is_machine_key(const std::string& key) {
  return key.find('.') != std::string::npos && !workloads::machines::is_model_setting(key);
}

/// The value of the point that a diagnostic of the machine is about: the --set assignment that it points into, else a
/// value with a key that the message names, else the machine. nullptr if it is none of the point's values.
const LocatedValue* culprit(const std::vector<LocatedValue>& values, const base::Diagnostic& d) {
  const std::string& line = d.location.line_text;
  if (d.location.file == "--set") return find(values, line.substr(0, line.find('=')));
  for (const LocatedValue& v : values) {
    if (d.message.find("'" + v.value->key + "'") != std::string::npos) return &v;
  }
  return find(values, "machine");
}

std::vector<std::int64_t> sizes_of_slice(const LocatedValue& slice) {
  return noc::parse_slice_sizes(slice.value->text, slice.place);
}

bool is_too_large(const std::vector<std::int64_t>& sizes) {
  std::int64_t chips = 1;
  for (std::int64_t size : sizes) {
    if (size > max_chips / chips) return true;
    chips *= size;
  }
  return int(sizes.size()) > noc::max_dimensions;
}

}  // namespace

std::string PointCheck::machine_identity(const std::vector<LocatedValue>& values) const {
  std::string identity = text(values, "machine", "tpu-v3");
  for (const LocatedValue& v : values) {
    if (is_machine_key(v.value->key)) identity += fmt::format("\n{}={}", v.value->key, v.value->text);
  }
  return identity;
}

void PointCheck::check(const std::vector<LocatedValue>& values, const std::string& at) {
  const sw::TargetMachine* machine = nullptr;
  check_machine(values, at, machine);
  check_model(values, at);
  if (machine == nullptr) return;
  check_slice(values, *machine, at);
}

void PointCheck::check_machine(const std::vector<LocatedValue>& values, const std::string& at,
                               const sw::TargetMachine*& machine) {
  const std::string identity = machine_identity(values);
  const auto [known, is_new] = built_.try_emplace(identity);
  if (!is_new) {
    machine = known->second ? &*known->second : nullptr;
    return;
  }
  base::Config config = machines_.get(text(values, "machine", "tpu-v3"));
  bool fits = true;
  for (const LocatedValue& v : values) {
    if (!is_machine_key(v.value->key)) continue;
    try {
      config.set(v.value->key + "=" + v.value->text);
    } catch (const base::InputError& error) {
      errors_.add(base::InputError(error.diagnostics().front().message, error.diagnostics().front().hint), v.place);
      fits = false;
    }
  }
  if (!fits) return;
  try {
    // The machine that runs: rates of streams follow from what the point sets of the memory.
    hw::memory::dram::recalibrate_streams(config);
    known->second = sw::read_target(config);
    machine = &*known->second;
  } catch (const base::InputError& error) {
    for (const base::Diagnostic& d : error.diagnostics()) {
      const LocatedValue* value = culprit(values, d);
      errors_.error(value == nullptr ? d.location : value->place, d.message, d.hint.empty() ? at : d.hint);
    }
  }
}

void PointCheck::check_slice(const std::vector<LocatedValue>& values, const sw::TargetMachine& machine,
                             const std::string& at) {
  const LocatedValue* slice = find(values, "slice");
  if (slice == nullptr) return;
  const noc::PodShape pod{machine.pod.dimensions, machine.pod.pods};
  const std::vector<std::int64_t> sizes = sizes_of_slice(*slice);
  const std::string question = fmt::format("{} {} {} {}", fmt::format("{}", fmt::join(pod.dimensions, "x")), pod.pods,
                                           machine.cores_per_chip, slice->value->text);
  if (study_.command == "collective") {
    if (is_too_large(sizes)) {
      errors_.error(slice->place, fmt::format("'{}' is no slice", slice->value->text),
                    fmt::format("at most {} chips", max_chips));
    } else if (is_new(fmt::format("groups {} {} {}", question, text(values, "kind"), text(values, "groups")))) {
      check_groups(values, machine);
    }
    return;
  }
  if (is_new("slice " + question)) {
    if (const std::string problem = noc::slice_problem(pod, sizes); !problem.empty()) {
      errors_.error(slice->place,
                    fmt::format("{} cannot form a slice of {}: {}", machine.name, slice->value->text, problem));
      return;
    }
  }
  const LocatedValue* mesh = find(values, "mesh");
  if (mesh == nullptr || !is_new(fmt::format("mesh {} {}", question, mesh->value->text))) return;
  const std::int64_t partitions = sw::placement::parse_mesh(mesh->value->text).mesh.partitions();
  std::int64_t cores = machine.cores_per_chip;
  for (std::int64_t size : sizes) cores *= size;
  if (partitions == cores) return;
  errors_.error(
      mesh->place,
      fmt::format("the mesh {} has {}, a slice of {} has {}", mesh->value->text,
                  base::text::counted(partitions, "partition"), slice->value->text, base::text::counted(cores, "core")),
      at);
}

void PointCheck::check_groups(const std::vector<LocatedValue>& values, const sw::TargetMachine& machine) {
  const LocatedValue* groups = find(values, "groups");
  if (groups == nullptr) return;
  const noc::Topology slice =
      noc::hypothetical_topology({machine.pod.dimensions, machine.pod.pods}, sizes_of_slice(*find(values, "slice")));
  const int cores = int(machine.cores_per_chip);
  errors_.collect(groups->place, [&] {
    if (text(values, "kind") == "collective-permute") {
      static_cast<void>(sw::collectives::CollectiveGroups::parse_pairs(groups->value->text, slice, cores));
    } else {
      static_cast<void>(sw::collectives::CollectiveGroups::parse(groups->value->text, slice, cores));
    }
  });
}

/// Checks keys of the model. A workload that is a file of HLO has none; nets and functions of Python check their own.
void PointCheck::check_model(const std::vector<LocatedValue>& values, const std::string& at) {
  const std::string workload = text(values, "workload");
  if (workloads::importers::has_keys(workload)) return;
  const auto& registry = workloads::models::workload_registry();
  const auto entry = std::ranges::find(registry, workload, &workloads::WorkloadEntry::name);
  for (const LocatedValue& v : values) {
    const std::string& key = v.value->key;
    if (!workloads::machines::is_model_setting(key) || v.value->text.empty()) continue;
    if (!is_new(fmt::format("model {} {} {}", workload, key, v.value->text))) continue;
    const bool is_file = entry == registry.end();
    const auto model = is_file ? std::vector<workloads::ModelKey>::const_iterator()
                               : std::ranges::find(entry->keys, key, &workloads::ModelKey::name);
    if (is_file || model == entry->keys.end()) {
      errors_.error(v.place, fmt::format("'{}' is not a key of {}", key, workload), at);
    } else if (const std::string problem = model->problem(v.value->text); !problem.empty()) {
      errors_.error(v.place, problem, fmt::format("{}: {}, {}", key, model->help, model->values));
    }
  }
}

}  // namespace podsim::studies::plan
