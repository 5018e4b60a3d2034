// SPDX-License-Identifier: Apache-2.0
// Part of hlo/stablehlo/operation_table.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "hlo/stablehlo/operation_table.h"

namespace podsim::hlo::stablehlo {
namespace {

/// The rows of a table of devices, "{{0,1},{2,3}}"; -1 fills rows that are shorter.
std::string device_rows(OperationWriter& writer, std::string_view value) {
  const Integers devices = writer.integer_list(value);
  const Integers sizes = writer.module().located(value, [&] { return dense_sizes(value); });
  if (sizes.size() != 2 || product(sizes) != std::int64_t(devices.size())) {
    writer.module().fail(value, "expected a table of devices, such as dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>");
  }
  std::vector<std::string> rows;
  for (std::int64_t row = 0; row < sizes[0]; ++row) {
    Integers group;
    for (std::int64_t i = 0; i < sizes[1]; ++i) {
      const auto at = std::size_t(row * sizes[1] + i);
      if (at < devices.size() && devices[at] >= 0) group.push_back(devices[at]);
    }
    rows.push_back(braces(group));
  }
  return fmt::format("{{{}}}", fmt::join(rows, ","));
}

/// Channel, groups, and how the groups count.
std::string collective_attributes(OperationWriter& writer) {
  std::string attributes;
  if (writer.has("channel_handle")) {
    const std::string_view value = writer.attribute("channel_handle");
    const std::string_view handle = writer.module().located(value, [&] { return field(value, "handle"); });
    if (!handle.empty()) attributes += fmt::format(", channel_id={}", writer.integer_of(handle));
  }
  if (writer.has("replica_groups")) {
    const std::string_view value = writer.attribute("replica_groups");
    const bool names_axes = value.starts_with("#stablehlo.replica_group_mesh_axes");
    attributes +=
        ", replica_groups=" +
        (names_axes ? writer.module().located(value, [&] { return writer.module().shardings().device_groups(value); })
                    : device_rows(writer, value));
  }
  if (writer.has("use_global_device_ids") && boolean(writer.attribute("use_global_device_ids"))) {
    attributes += ", use_global_device_ids=true";
  }
  return attributes;
}

std::string combiner_attribute(OperationWriter& writer) {
  writer.need_regions(1);
  return ", to_apply=%" + writer.module().combiner(writer.operation().regions[0], writer.writer());
}

void write_all_reduce(OperationWriter& writer) {
  writer.result("all-reduce", writer.operands(), collective_attributes(writer) + combiner_attribute(writer));
}

void write_all_gather(OperationWriter& writer) {
  const std::int64_t dimension = writer.integer_of(writer.attribute("all_gather_dim"));
  writer.result("all-gather", writer.operands(),
                collective_attributes(writer) + fmt::format(", dimensions={{{}}}", dimension));
}

void write_reduce_scatter(OperationWriter& writer) {
  const std::int64_t dimension = writer.integer_of(writer.attribute("scatter_dimension"));
  writer.result(
      "reduce-scatter", writer.operands(),
      collective_attributes(writer) + fmt::format(", dimensions={{{}}}", dimension) + combiner_attribute(writer));
}

void write_collective_broadcast(OperationWriter& writer) {
  writer.result("collective-broadcast", writer.operands(), collective_attributes(writer));
}

void write_collective_permute(OperationWriter& writer) {
  const std::string pairs = device_rows(writer, writer.attribute("source_target_pairs"));
  writer.result("collective-permute", writer.operands(),
                collective_attributes(writer) + ", source_target_pairs=" + pairs);
}

/// HLO's all-to-all splits and joins one dimension. Where StableHLO joins another, the parts become a dimension of
/// their own, which then moves there.
void write_all_to_all(OperationWriter& writer) {
  const auto split = std::size_t(writer.integer_of(writer.attribute("split_dimension"))),
             join = std::size_t(writer.integer_of(writer.attribute("concat_dimension")));
  const std::int64_t count = writer.integer_of(writer.attribute("split_count"));
  const std::string attributes = collective_attributes(writer) + fmt::format(", dimensions={{{}}}", split);
  if (writer.count() != 1 || split == join) return writer.result("all-to-all", writer.operands(), attributes);
  const Type type = writer.operand_type(0);
  if (split >= type.dimensions.size() || join >= type.dimensions.size() || count < 1 ||
      type.dimensions[split] % count != 0) {
    writer.fail("the dimensions of the all_to_all do not fit its operand");
  }
  Integers sizes = type.dimensions, order, moved;
  sizes[split] /= count;
  sizes.insert(sizes.begin() + std::ptrdiff_t(split), count);
  for (std::size_t i = 0; i < type.dimensions.size(); ++i) {
    if (i == join) order.push_back(std::int64_t(split));
    order.push_back(std::int64_t(i >= split ? i + 1 : i));
  }
  for (const std::int64_t dimension : order) moved.push_back(sizes[std::size_t(dimension)]);
  const Type parts_type = writer.array_type(type.element, sizes), moved_type = writer.array_type(type.element, moved);
  const std::string apart = writer.add(parts_type, "reshape", {writer.operand(0)});
  const std::string exchanged = writer.add(parts_type, "all-to-all", {apart}, attributes);
  const std::string transposed =
      writer.add(moved_type, "transpose", {exchanged}, fmt::format(", dimensions={}", braces(order)));
  writer.result("reshape", {transposed});
}

void write_partition_id(OperationWriter& writer) { writer.result("partition-id", {}); }
void write_replica_id(OperationWriter& writer) { writer.result("replica-id", {}); }

constexpr auto device_rows_table = std::to_array<OperationRow>({
    {"stablehlo.all_reduce", write_all_reduce},
    {"stablehlo.all_gather", write_all_gather},
    {"stablehlo.reduce_scatter", write_reduce_scatter},
    {"stablehlo.all_to_all", write_all_to_all},
    {"stablehlo.collective_broadcast", write_collective_broadcast},
    {"stablehlo.collective_permute", write_collective_permute},
    {"stablehlo.partition_id", write_partition_id},
    {"stablehlo.replica_id", write_replica_id},
});

}  // namespace

std::span<const OperationRow> collective_rows() { return device_rows_table; }

}  // namespace podsim::hlo::stablehlo
