// SPDX-License-Identifier: Apache-2.0
#include "hw/pod/pod_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "hw/chip/replay_chip.h"
#include "hw/chip/tile_chip.h"
#include "hw/pod/pod.h"
#include "noc/slice.h"

namespace podsim::hw::pod {
namespace {

/// Wants every signal and keeps its name.
class SignalList : public base::trace::ProbeSink {
 public:
  bool wants(std::string_view) const override { return true; }
  int declare(std::string_view scope, std::string_view name, base::trace::SignalKind, int) override {
    signals[std::string(scope)].emplace_back(name);
    return int(signals.size());
  }
  void change(int, base::Time, std::int64_t) override {}
  void change(int, base::Time, double) override {}
  void change(int, base::Time, std::string_view) override {}
  void expect(base::Time, base::trace::Forecast&) override {}
  void keep(std::shared_ptr<base::trace::Forecast>) override {}

  std::map<std::string, std::vector<std::string>> signals;  ///< by scope
};

/// Cores without a program.
class NoProgram : public core::CoreRuntime {
  std::optional<Command> next_command(core::Core&) override { return std::nullopt; }
  void completed(core::Core&, const CommandRecord&) override {}
  void start_external(core::Core&, const External&) override {}
  void failed(core::Core&, const std::string&) override {}
};

/// A unit by the name of its scope without its number.
struct KnownUnit {
  const char* name;
  const char* unit;
  std::vector<const char*> modules;  ///< below the chip; a hash stands for the number of the core
};

const std::vector<KnownUnit>& known_units() {
  static const std::vector<KnownUnit> units = {{"chip", "chip", {""}},
                                               {"host", "PCIe port with infeed and outfeed queues", {".host"}},
                                               {"switch", "on-chip switch", {".switch", ".memory.switch"}},
                                               {"in", "port into the switch", {}},
                                               {"out", "port out of the switch", {}},
                                               {"ici", "port of the inter-chip interconnect", {".ici"}},
                                               {"x_plus", "link", {}},
                                               {"x_minus", "link", {}},
                                               {"y_plus", "link", {}},
                                               {"y_minus", "link", {}},
                                               {"z_plus", "link", {}},
                                               {"z_minus", "link", {}},
                                               {"core", "TensorCore and its sequencer", {".core#", ".core#.sequencer"}},
                                               {"vmem", "vector memory", {".core#.vmem"}},
                                               {"sync", "sync flags", {".core#.sync"}},
                                               {"collective", "sums of collectives", {}},
                                               {"dma", "DMA engine", {".core#.dma", ".memory.dma#"}},
                                               {"hbm", "half of the HBM", {".memory.hbm#"}},
                                               {"channel", "channel of the HBM", {}},
                                               {"pseudo_channel", "half of a channel", {}},
                                               {"banks", "their open rows", {}}};
  return units;
}

std::string number_of(const std::string& name) {
  return name.substr(
      std::size_t(std::ranges::find_if(name, [](unsigned char c) { return std::isdigit(c) != 0; }) - name.begin()));
}

/// Ports, exports and sockets of a module: what is no module, process or vector of others, and no half of a socket.
void add_ports(const std::string& module, std::vector<std::string>& ports) {
  const sc_core::sc_object* object = sc_core::sc_find_object(module.c_str());
  if (object == nullptr) return;
  std::set<std::string> names;
  for (const sc_core::sc_object* child : object->get_child_objects()) names.insert(child->basename());
  for (const sc_core::sc_object* child : object->get_child_objects()) {
    const std::string kind = child->kind(), name = child->basename();
    const bool other =
        kind == "sc_module" || kind == "sc_vector" || kind == "sc_object" || kind.find("process") != std::string::npos;
    const bool half = std::ranges::any_of(std::array{"_export_0", "_port_0"}, [&](const std::string& suffix) {
      return name.ends_with(suffix) && names.contains(name.substr(0, name.size() - suffix.size()));
    });
    if (!other && !half) ports.push_back(name);
  }
}

class TreeMaker {
 public:
  TreeMaker(std::string chip, const SignalList& list) : chip_(std::move(chip)), list_(list) {}

  TreeNode node(const std::string& scope, const std::string& core) const {
    TreeNode made;
    made.name = scope == chip_ ? scope : scope.substr(scope.rfind('.') + 1);
    made.scope = scope;
    describe(made, core);
    if (const auto found = list_.signals.find(scope); found != list_.signals.end()) made.signals = found->second;
    std::vector<std::string> below;
    for (const auto& [other, signals] : list_.signals) {
      if (!other.starts_with(scope + ".")) continue;
      const std::string child = other.substr(0, other.find('.', scope.size() + 1));
      if (std::ranges::find(below, child) == below.end()) below.push_back(child);
    }
    for (const std::string& child : below) {
      const std::string name = child.substr(child.rfind('.') + 1);
      made.children.push_back(node(child, name.starts_with("core") ? number_of(name) : core));
    }
    join_equal(made.children);
    return made;
  }
  /// A core without signals.
  TreeNode core(const std::string& number) const {
    TreeNode made{.name = "core" + number, .scope = chip_ + ".core" + number, .unit = "TensorCore as durations only"};
    add_ports("pod.chip_0.core" + number, made.ports);
    return made;
  }

 private:
  static std::string stem_of(const std::string& name) { return name.substr(0, name.size() - number_of(name).size()); }
  /// Leaves the first of more than two children that differ by their number only.
  static void join_equal(std::vector<TreeNode>& children) {
    std::map<std::string, std::int64_t> last, count;
    for (const TreeNode& child : children) {
      if (number_of(child.name).empty()) continue;
      ++count[stem_of(child.name)];
      std::int64_t& number = last[stem_of(child.name)];
      number = std::max<std::int64_t>(number, std::stoll(number_of(child.name)));
    }
    std::erase_if(children, [&](const TreeNode& child) {
      const std::string number = number_of(child.name);
      return !number.empty() && number != "0" && count[stem_of(child.name)] > 2;
    });
    for (TreeNode& child : children) {
      const std::string stem = stem_of(child.name);
      if (!number_of(child.name).empty() && count[stem] > 2) child.name += fmt::format(" to {}", last[stem]);
    }
  }

  void describe(TreeNode& made, const std::string& core) const {
    const std::string name = made.scope == chip_ ? "chip" : made.name;
    CoreUnits::for_each([&](auto kind) {
      using Unit = typename decltype(kind)::type;
      if (stem_of(name) != Unit::names.name) return;
      made.unit = Unit::names.title;
      add_ports("pod.chip_0.core" + core + "." + name, made.ports);
    });
    for (const KnownUnit& known : known_units()) {
      if (stem_of(name) != known.name) continue;
      made.unit = known.unit;
      for (std::string module : known.modules) {
        if (const auto at = module.find('#'); at != std::string::npos) module.replace(at, 1, core);
        if (const auto at = module.find('@'); at != std::string::npos) module.replace(at, 1, number_of(name));
        add_ports("pod.chip_0" + module, made.ports);
      }
      return;
    }
  }

  std::string chip_;
  const SignalList& list_;
};

}  // namespace

TreeNode pod_tree(const Machine& machine, TreeDetail detail) {
  SignalList list;
  NoProgram runtime;
  const noc::FoldedTopology slice = noc::FoldedTopology::fold_all(
      noc::slice_topology({machine.pod.dimensions, machine.pod.pods}, machine.pod.dimensions));
  const noc::Topology &all = slice.full(), &simulated = slice.representatives();
  const auto make = [&](noc::NodeId node, const chip::IciBinding& ici) -> std::unique_ptr<chip::Chip> {
    const std::string module = fmt::format("chip_{}", node);
    const Trace trace{node == 0 ? &list : nullptr, nullptr, "chip" + simulated.name(node)};
    if (node > 0 || detail == TreeDetail::replay) {
      return std::make_unique<chip::ReplayChip>(module.c_str(), machine, node, runtime, trace, ici);
    }
    const auto memory = detail == TreeDetail::chip ? memory::MemoryDetail::bank : memory::MemoryDetail::stream;
    return std::make_unique<chip::TileChip>(module.c_str(), machine, 0, runtime, trace, memory, ici);
  };
  const Pod pod("pod", simulated.nodes(), make, slice, machine.ici, &list);
  std::int64_t links = 0;
  for (noc::NodeId node = 0; node < all.nodes(); ++node) links += all.links_from(node);

  TreeNode fabric{.name = "fabric", .unit = fmt::format("{} links between chips", links)};
  add_ports("pod.fabric", fabric.ports);
  const std::string first = "chip" + simulated.name(0);
  const TreeMaker maker(first, list);
  TreeNode chip = maker.node(first, "");
  for (std::int64_t core = 0; detail == TreeDetail::replay && core < machine.cores_per_chip; ++core) {
    chip.children.insert(chip.children.begin() + core, maker.core(std::to_string(core)));
  }
  return {.name = "pod",
          .unit = fmt::format("{} chips, {}, of which {} is shown", all.nodes(), noc::to_string(all), first),
          .children = {fabric, chip}};
}

}  // namespace podsim::hw::pod
