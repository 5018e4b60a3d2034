// SPDX-License-Identifier: Apache-2.0
#include "hlo/rules/annotation.h"

#include <algorithm>
#include <array>

namespace podsim::hlo::rules {
namespace {

// Full and shard shapes differ in their sharding by definition: between them a value is manual.
constexpr std::array annotations{
    Annotation{.target = "Sharding", .returns_operand = true, .same_sharding = true, .is_free = true},
    Annotation{.target = "SPMDFullToShardShape", .returns_operand = true, .same_sharding = false, .is_free = true},
    Annotation{.target = "SPMDShardToFullShape", .returns_operand = true, .same_sharding = false, .is_free = true},
    Annotation{.target = "xla.sdy.FuncResultSharding", .returns_operand = true, .same_sharding = true, .is_free = true},
    Annotation{.target = "xla.sdy.PropagationBarrier", .returns_operand = true, .same_sharding = true, .is_free = true},
    Annotation{.target = "xla.sdy.ShardingGroup", .returns_operand = false, .same_sharding = false, .is_free = true},
    Annotation{.target = "LayoutConstraint", .returns_operand = true, .same_sharding = true, .is_free = true},
    Annotation{.target = "AssumeGatherIndicesInBound", .returns_operand = true, .same_sharding = true, .is_free = true},
    Annotation{.target = "annotate_device_placement", .returns_operand = true, .same_sharding = true, .is_free = true},
    Annotation{.target = "MoveToHost", .returns_operand = true, .same_sharding = true, .is_free = false},
    Annotation{.target = "MoveToDevice", .returns_operand = true, .same_sharding = true, .is_free = false},
    Annotation{.target = "PinToDevice", .returns_operand = true, .same_sharding = true, .is_free = false},
    Annotation{.target = "PinToDeviceSram", .returns_operand = true, .same_sharding = true, .is_free = false},
    Annotation{.target = "X64SplitLow", .returns_operand = false, .same_sharding = false, .is_free = true},
    Annotation{.target = "X64SplitHigh", .returns_operand = false, .same_sharding = false, .is_free = true},
    Annotation{.target = "X64Combine", .returns_operand = false, .same_sharding = false, .is_free = true},
    Annotation{.target = "AllocateBuffer", .returns_operand = false, .same_sharding = false, .is_free = true},
    Annotation{.target = "ShapeAssertion", .returns_operand = false, .same_sharding = false, .is_free = true},
};

}  // namespace

const Annotation* find_annotation(std::string_view target) {
  const auto* const found = std::ranges::find(annotations, target, &Annotation::target);
  return found == annotations.end() ? nullptr : found;
}

}  // namespace podsim::hlo::rules
