// SPDX-License-Identifier: Apache-2.0
#include "app/run/update_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <exception>
#include <optional>
#include <utility>

#include "sw/compiler/scope_time.h"
#include "sw/placement/mesh_collectives.h"
#include "sw/placement/shared_update.h"

namespace podsim::app::run {
namespace {

using report::run::UpdateSharing;

constexpr std::size_t compiled = 3;  ///< sizes of groups, with the whole update also
constexpr double least_gain = 0.01;  ///< of a step: what an estimate cannot tell from nothing

/// The sets of axes of a mesh, without the empty one; of more than three axes, each alone and all of them.
std::vector<UpdateSharing> sets_of_axes(const hlo::spmd::mesh::Mesh& mesh) {
  std::vector<std::string> names;
  for (const hlo::spmd::mesh::MeshAxis& axis : mesh.axes()) {
    if (axis.size > 1) names.push_back(axis.name);
  }
  std::vector<UpdateSharing> sets;
  constexpr std::size_t most_axes = 3;
  const std::size_t all = (std::size_t(1) << names.size()) - 1;
  for (std::size_t set = 1; set <= all; ++set) {
    if (names.size() > most_axes && !std::has_single_bit(set) && set != all) continue;
    std::vector<std::string> chosen;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if ((set >> i & 1) != 0) chosen.push_back(names[i]);
    }
    UpdateSharing& sharing = sets.emplace_back();
    sharing.axes = fmt::format("{}", fmt::join(chosen, ","));
  }
  return sets;
}

/// All-reduced bytes of a core in a step.
base::Bytes all_reduced(const sw::compiler::Program& program) {
  base::Bytes bytes;
  for (const sw::placement::CountedCollective& counted : sw::placement::counted_collectives(program)) {
    const sw::compiler::CollectiveOp& op = program.collectives[std::size_t(counted.collective)];
    if (op.kind == sw::collectives::CollectiveKind::all_reduce) bytes += op.bytes * counted.count;
  }
  return bytes;
}

class UpdateSearch {
 public:
  UpdateSearch(const StepCompiler& program, const sw::TargetMachine& machine, sw::compiler::OpCache* cache)
      : program_(program), machine_(machine), cache_(cache) {}

  CompiledStep run() && {
    judge({});
    std::size_t judged = 0;
    for (UpdateSharing& sharing : considered()) {
      if (program_.mesh() != nullptr || judged++ < compiled) {
        judge(std::move(sharing));
      } else {
        choice_.tried.push_back(std::move(sharing));
      }
    }
    if (!best_) std::rethrow_exception(refusal_);
    best_->update_choice = std::move(choice_);
    return *std::move(best_);
  }

 private:
  /// What can be shared, the most promising first.
  std::vector<UpdateSharing> considered() {
    if (const hlo::spmd::mesh::Mesh* mesh = program_.mesh()) {
      std::vector<UpdateSharing> sets = sets_of_axes(*mesh);
      std::ranges::reverse(sets);  // more axes first
      return sets;
    }
    const std::int64_t cores = program_.slice().nodes() * machine_.cores_per_chip;
    std::vector<UpdateSharing> groups;
    for (const std::int64_t shared : sw::placement::divisors_above_one(cores)) {
      UpdateSharing& group = groups.emplace_back();
      group.mesh = shared == cores ? fmt::format("shared={}", shared)
                                   : fmt::format("replicas={},shared={}", cores / shared, shared);
      group.axes = "shared";
      if (whole_) group.update = sw::placement::shared_update_time(machine_, program_.slice(), *whole_, shared);
    }
    std::ranges::reverse(groups);
    if (whole_) std::ranges::stable_sort(groups, {}, [](const UpdateSharing& g) { return g.update->si(); });
    return groups;
  }

  void judge(UpdateSharing sharing) {
    const bool is_whole = sharing.axes == "off";
    try {
      CompiledStep step = program_.compile_sharing(sharing, cache_);
      if (is_whole) {
        whole_ = {all_reduced(step.step.program),
                  sw::compiler::time_under(step.step.program, machine_, "optimizer", cache_)};
      }
      step.place(machine_);
      sharing.step = step.estimate(machine_, cache_);
      if (!best_ || is_faster(sharing, choice_.tried[choice_.chosen])) {
        best_ = std::move(step);
        choice_.chosen = choice_.tried.size();
      }
    } catch (const sw::driver::OutOfMemory&) {
      if (!refusal_) refusal_ = std::current_exception();
    }
    choice_.tried.push_back(std::move(sharing));
  }

  static bool is_faster(const UpdateSharing& one, const UpdateSharing& other) {
    const double gain = other.axes == "off" ? least_gain : 0;
    return one.step->si() < other.step->si() * (1 - gain);
  }

  const StepCompiler& program_;
  const sw::TargetMachine& machine_;
  sw::compiler::OpCache* cache_;
  std::optional<sw::placement::WholeUpdate> whole_;
  std::optional<CompiledStep> best_;
  report::run::UpdateChoice choice_;
  std::exception_ptr refusal_;
};

}  // namespace

CompiledStep compile_with_best_update(const StepCompiler& program, const sw::TargetMachine& machine,
                                      sw::compiler::OpCache* cache) {
  return UpdateSearch(program, machine, cache).run();
}

}  // namespace podsim::app::run
