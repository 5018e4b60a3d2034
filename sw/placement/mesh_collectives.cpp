// SPDX-License-Identifier: Apache-2.0
#include "sw/placement/mesh_collectives.h"

#include <algorithm>

namespace podsim::sw::placement {
namespace {

/// Marks the sub-axes along which two partitions differ.
void mark_differences(const hlo::spmd::mesh::Mesh& mesh, std::int64_t a, std::int64_t b, std::vector<bool>& differs) {
  for (int s = 0; s < mesh.sub_axis_count(); ++s) {
    const hlo::spmd::mesh::SubAxis sub_axis = hlo::spmd::mesh::SubAxis(s);
    const std::int64_t size = mesh.size(sub_axis), stride = mesh.stride(sub_axis);
    if (a / stride % size != b / stride % size) differs[std::size_t(s)] = true;
  }
}

hlo::spmd::mesh::SubAxes marked(const std::vector<bool>& differs) {
  hlo::spmd::mesh::SubAxes result;
  for (std::size_t s = 0; s < differs.size(); ++s) {
    if (differs[s]) result.push_back(hlo::spmd::mesh::SubAxis(s));
  }
  return result;
}

}  // namespace

std::optional<hlo::spmd::mesh::SubAxes> axes_of(const hlo::spmd::mesh::Mesh& mesh, collectives::CollectiveKind kind,
                                                const std::vector<std::vector<std::int32_t>>& groups) {
  if (groups.empty()) return mesh.all();
  std::vector<bool> differs(std::size_t(mesh.sub_axis_count()), false);
  for (const auto& group : groups) {
    for (const std::int32_t member : group) {
      if (member >= mesh.partitions()) return std::nullopt;
      mark_differences(mesh, group.front(), member, differs);
    }
  }
  hlo::spmd::mesh::SubAxes axes = marked(differs);
  if (kind == collectives::CollectiveKind::collective_permute) return axes;
  // Members differ only along these sub-axes, so a group with as many members as positions is complete.
  const bool complete =
      std::ranges::all_of(groups, [&](const auto& group) { return std::int64_t(group.size()) == mesh.size(axes); });
  return complete ? std::optional(std::move(axes)) : std::nullopt;
}

void name_axes(compiler::Program& program, const hlo::spmd::mesh::Mesh& mesh) {
  for (compiler::CollectiveOp& op : program.collectives) {
    const auto axes = axes_of(mesh, op.kind, op.groups);
    op.axes = !axes ? "other" : axes->empty() ? "none" : mesh.to_string(*axes);
  }
}

void place(compiler::Program& program, const MeshPlacement& placement) {
  for (compiler::CollectiveOp& op : program.collectives) {
    for (auto& group : op.groups) {
      for (std::int32_t& member : group) member = placement.core(member);
    }
  }
  for (auto& cores : program.core_sets) {
    for (std::int32_t& core : cores) core = placement.core(core);
    std::ranges::sort(cores);
  }
}

std::vector<CountedCollective> counted_collectives(const compiler::Program& program) {
  std::vector<CountedCollective> counted;
  for (std::size_t i = 0; i < program.collectives.size(); ++i) counted.push_back({int(i), 0});
  for (std::size_t i = 0; i < program.items.size(); ++i) {
    const compiler::ProgramItem& item = program.items[i];
    if (item.kind != compiler::ProgramItem::Kind::collective || item.phase == hlo::AsyncPhase::done) continue;
    counted[std::size_t(item.index)].count += program.executions(int(i));
  }
  std::erase_if(counted, [](const CountedCollective& c) { return c.count == 0; });
  return counted;
}

}  // namespace podsim::sw::placement
