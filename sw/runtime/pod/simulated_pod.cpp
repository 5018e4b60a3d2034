// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/pod/simulated_pod.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "hw/chip/replay_chip.h"
#include "hw/chip/tile_chip.h"

namespace podsim::sw::runtime::pod {

std::unique_ptr<hw::pod::Pod> make_pod(const noc::FoldedTopology& topology, const TargetMachine& machine,
                                       hw::core::CoreRuntime& runtime, const ChipChoices& choices) {
  const noc::Topology& nodes = topology.representatives();
  const auto make = [&](noc::NodeId node, const hw::chip::IciBinding& ici) -> std::unique_ptr<hw::chip::Chip> {
    hw::Trace trace{choices.sink, node == 0 ? choices.timeline : nullptr, "chip" + nodes.name(node)};
    const std::string name = fmt::format("chip_{}", node);
    if (choices.real[std::size_t(node)]) {
      return std::make_unique<hw::chip::TileChip>(name.c_str(), machine, int(node), runtime, std::move(trace),
                                                  choices.memory, ici);
    }
    return std::make_unique<hw::chip::ReplayChip>(name.c_str(), machine, int(node), runtime, std::move(trace), ici,
                                                  choices.faults.chip_speed(node));
  };
  auto pod =
      std::make_unique<hw::pod::Pod>("pod", nodes.nodes(), make, topology, machine.ici, choices.sink, choices.faults);
  for (hw::chip::Chip* chip : pod->chips()) {
    chip->set_contended(choices.contention);
    if (choices.inputs != nullptr) chip->host().feed_from(*choices.inputs);
  }
  return pod;
}

}  // namespace podsim::sw::runtime::pod
