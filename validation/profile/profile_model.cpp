// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/profile_model.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/diagnostic.h"
#include "base/host/interrupt.h"
#include "hlo/text/attribute_value.h"
#include "hw/host/host_copy_timing.h"
#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/collectives/engine/collective_simulation.h"
#include "sw/compiler/collective_op.h"
#include "sw/compiler/tiles/core_op.h"
#include "sw/compiler/tiles/product_arithmetic.h"
#include "validation/profile/not_modelled.h"
#include "validation/profile/rebuilt_op.h"

namespace podsim::validation::profile {
namespace {

constexpr const char* no_text = "the text does not say what the op does";

/// The groups as lists of devices; empty if the text has none, or is truncated in them. Throws SyntaxError.
std::vector<hlo::text::Integers> groups_of(const OpText& text) {
  auto found = text.attributes.find("replica_groups");
  if (found == text.attributes.end()) return {};
  hlo::text::Scanner scanner(found->second);
  return hlo::text::expand(hlo::text::read_replica_groups(scanner));
}

void require_cores(const std::vector<hlo::text::Integers>& groups, std::int64_t cores) {
  for (const hlo::text::Integers& group : groups) {
    if (std::ranges::any_of(group, [&](std::int64_t core) { return core < 0 || core >= cores; })) {
      throw NotModelled("the groups name a core that the slice does not have");
    }
  }
}

std::string as_text(const std::vector<hlo::text::Integers>& groups) {
  std::string text = "{";
  for (const hlo::text::Integers& group : groups) {
    text += text.size() > 1 ? ",{" : "{";
    for (std::size_t i = 0; i < group.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(group[i]);
    text += "}";
  }
  return text + "}";
}

bool is_control_flow(hlo::Opcode opcode) {
  return opcode == hlo::Opcode::while_loop || opcode == hlo::Opcode::conditional || opcode == hlo::Opcode::call;
}

/// True for the beginning or the end of an op that runs concurrently with others.
bool is_asynchronous(const OpText& text) {
  return std::ranges::any_of(std::array{"-start", "-update", "-done"},
                             [&](const char* suffix) { return text.opcode_text.ends_with(suffix); });
}

base::Bytes operand_bytes(const OpText& text) {
  base::Bytes bytes;
  for (const OpText::Operand& operand : text.operands) {
    if (operand.shape) bytes += hlo::padded_bytes(*operand.shape);
  }
  return bytes;
}

}  // namespace

double ComparedOp::waiting_s() const {
  return is_collective && modelled_s ? std::max(0.0, measured_s - *modelled_s) : 0;
}

ProfileModel::ProfileModel(sw::compiler::OpCosts& costs, std::optional<noc::Topology> slice, RebuiltOps* kept)
    : machine_(costs.machine()), costs_(costs), slice_(std::move(slice)), kept_(kept) {}

ProfileModel::ProfileModel(const sw::TargetMachine& machine, std::optional<noc::Topology> slice,
                           sw::compiler::OpCache* cache)
    : machine_(machine),
      own_costs_(std::in_place, machine_, cache),
      costs_(*own_costs_),
      slice_(std::move(slice)),
      kept_(nullptr) {}

std::vector<ComparedOp> ProfileModel::compare(const Profile& profile,
                                              const std::function<void(const ComparedOp&)>& done) {
  for (const ProfileOp& op : profile.ops) {
    if (std::optional<OpText> text = read_op_text(op.hlo_text)) results_.try_emplace(text->name, text->result);
  }
  std::vector<ComparedOp> compared;
  for (const ProfileOp& op : profile.ops) {
    base::host::end_if_interrupted(fmt::format("after {} of {} ops", compared.size(), profile.ops.size()));
    compared.push_back(compare(op));
    if (done) done(compared.back());
  }
  return compared;
}

ComparedOp ProfileModel::compare(const ProfileOp& op) {
  ComparedOp result{.name = op.category,
                    .category = op.category,
                    .hlo_text = op.hlo_text,
                    .occurrences = op.occurrences,
                    .measured_s = op.self_time_s,
                    .modelled_s = {},
                    .not_modelled = {},
                    .line = op.line};
  std::optional<OpText> text = read_op_text(op.hlo_text);
  if (!text) {
    result.not_modelled = no_text;
    return result;
  }
  result.name = text->name;
  complete_operands(*text);
  try {
    result.modelled_s = seconds(*text, op, result);
    if (!result.modelled_s) result.not_modelled = no_text;
  } catch (const NotModelled& reason) {
    result.not_modelled = reason.what();
  } catch (const hlo::text::SyntaxError&) {
    result.not_modelled = "the groups cannot be read";
  } catch (const base::InputError&) {
    result.not_modelled = "the groups name a core twice";
  } catch (const base::SimulationError&) {
    result.not_modelled = "no tiling of what the text says fits VMEM";
  }
  return result;
}

void ProfileModel::complete_operands(OpText& text) const {
  for (OpText::Operand& operand : text.operands) {
    if (operand.shape) continue;
    if (auto found = results_.find(operand.name); found != results_.end()) operand.shape = found->second;
  }
}

std::optional<double> ProfileModel::seconds(const OpText& text, const ProfileOp& op, ComparedOp& result) {
  if (is_asynchronous(text)) throw NotModelled("an asynchronous op takes what the ops beside it leave of its time");
  if (sw::compiler::collective_kind(text.opcode)) {
    result.is_collective = true;
    return collective_seconds(text);
  }
  if (is_control_flow(text.opcode)) throw NotModelled("the ops in the bodies of control flow are rows of their own");
  if (text.opcode == hlo::Opcode::infeed) return host_seconds(text.result);
  if (text.opcode == hlo::Opcode::outfeed) {
    double sum = 0;
    for (const OpText::Operand& operand : text.operands) {
      if (operand.shape) sum += host_seconds(*operand.shape);
    }
    return sum;
  }
  const auto rebuilt_now = [&] { return rebuild(text, {op.flops, op.bytes, op.category}); };
  if (!kept_ || op.line == 0) {
    const std::optional<RebuiltOp> rebuilt = rebuilt_now();
    return rebuilt ? std::optional(rebuilt_seconds(*rebuilt, text, result)) : std::nullopt;
  }
  auto known = kept_->find(op.line);
  if (known == kept_->end()) known = kept_->emplace(op.line, rebuilt_now()).first;
  return known->second ? std::optional(rebuilt_seconds(*known->second, text, result)) : std::nullopt;
}

double ProfileModel::rebuilt_seconds(const RebuiltOp& rebuilt, const OpText& text, ComparedOp& result) {
  result.by_counts = rebuilt.by_counts;
  const hlo::Computation& entry = rebuilt.module.entry_computation();
  result.products = sw::compiler::tiles::products_text(rebuilt.module, entry, entry.root, machine_);
  if (!sw::compiler::tiles::is_core_op(entry[entry.root]) && text.opcode != hlo::Opcode::reshape) return 0.0;
  const sw::compiler::tiles::OpWork work = sw::compiler::tiles::op_work(rebuilt.module, entry, entry.root, machine_);
  return double(costs_.cycles(work, text.name).value()) / machine_.clock.si();
}

double ProfileModel::host_seconds(const hlo::Shape& shape) const {
  const std::vector<hlo::Shape> arrays = arrays_of(shape);
  if (arrays.empty()) return 0;
  base::Bytes bytes;
  for (const hlo::Shape& array : arrays) bytes += hlo::logical_bytes(array);
  return double(hw::host::host_copy_cycles(machine_, bytes, std::int64_t(arrays.size())).value()) / machine_.clock.si();
}

std::optional<double> ProfileModel::collective_seconds(const OpText& text) {
  if (!slice_) throw NotModelled("a collective needs a slice");
  const std::vector<hlo::Shape> arrays = arrays_of(text.result);
  const base::Bytes bytes = std::max(operand_bytes(text), hlo::padded_bytes(text.result));
  if (arrays.empty() || bytes == base::Bytes(0)) return std::nullopt;
  if (bytes > machine_.hbm.usable_per_core()) throw NotModelled("the arrays are larger than a core's memory");
  const hlo::ElementType type = arrays.front().element_type;
  const int cores = int(machine_.cores_per_chip);
  const std::vector<hlo::text::Integers> groups = groups_of(text);
  require_cores(groups, slice_->nodes() * std::int64_t(cores));
  const std::string key = text.opcode_text + hlo::to_string(type) + std::to_string(bytes.value()) + as_text(groups);
  auto [found, inserted] = collective_seconds_.try_emplace(key, 0.0);
  if (inserted) {
    const sw::collectives::CollectiveGroups members =
        groups.empty() ? sw::collectives::CollectiveGroups::all(*slice_, cores)
                       : sw::collectives::CollectiveGroups::parse(as_text(groups), *slice_, cores);
    const sw::collectives::schedule::CollectiveRequest request{
        *sw::compiler::collective_kind(text.opcode), type, base::divide_round_up(bytes.value(), hlo::byte_width(type))};
    const sw::collectives::engine::AlgorithmChoice choice =
        sw::collectives::engine::choose_algorithm(machine_, *slice_, members, request);
    found->second =
        base::to_duration(sw::collectives::engine::simulate_collective(machine_, choice.schedule).duration).si();
  }
  return found->second;
}

std::int64_t devices_named(const Profile& profile, std::int64_t most) {
  std::int64_t devices = 0;
  for (const ProfileOp& op : profile.ops) {
    const std::optional<OpText> text = read_op_text(op.hlo_text);
    if (!text || !sw::compiler::collective_kind(text->opcode)) continue;
    try {
      for (const hlo::text::Integers& group : groups_of(*text)) {
        for (std::int64_t device : group) devices = std::max(devices, device < most ? device + 1 : 0);
      }
    } catch (const hlo::text::SyntaxError&) {
      continue;  // compare() says so
    }
  }
  return devices;
}

void ProfileTotals::add(const ComparedOp& op) {
  if (!op.modelled_s) return;
  const double n = double(op.occurrences);
  measured_s += n * op.measured_s;
  modelled_s += n * *op.modelled_s;
  absolute_error_s += n * std::abs(*op.modelled_s - op.measured_s);
  ++ops;
}

}  // namespace podsim::validation::profile
