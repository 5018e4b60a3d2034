// SPDX-License-Identifier: Apache-2.0
#include "workloads/importers/importer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/host/input_file.h"
#include "hlo/hlo_names.h"
#include "workloads/nets/net_graph.h"
#include "workloads/nets/net_library.h"
#include "workloads/nets/net_reader.h"
#include "workloads/python_program.h"
#include "workloads/scalesim/scalesim_topology.h"

namespace podsim::workloads::importers {
namespace {

bool is_page(const std::string& program) { return program.ends_with(".toml"); }
bool is_library(const std::string& program) { return program.ends_with(".so"); }
bool is_path(const std::string& program) { return program.find_first_of("./") != std::string::npos; }
std::string itself(const std::string& program) { return program; }

std::string text_of_file(const std::string& argument, const std::string& program, const ModelSettings& /*none*/) {
  return base::host::read_input(argument, program);
}

nets::Net net_of_page(const std::string& argument, const std::string& program, const ModelSettings& settings) {
  return nets::read_net(program, base::host::read_input(argument, program), settings);
}

nets::Net net_of_library(const std::string& argument, const std::string& program, const ModelSettings& settings) {
  return nets::read_net(program, nets::page_of_library(argument, program), settings);
}

template <auto net_of>
std::string text_of_net(const std::string& argument, const std::string& program, const ModelSettings& settings) {
  const nets::Net net = net_of(argument, program, settings);
  TrainingStep step = nets::net_training_step(net, {.batch = net.batch_per_core, .replicas = 1, .fed = false});
  step.module.donations = std::move(step.donations);
  return hlo::to_string(hlo::with_hlo_names(std::move(step.module)));
}

constexpr std::array list{
    Importer{.what = "a page of layers",
             .takes = is_page,
             .file = itself,
             .has_keys = true,
             .is_step = true,
             .net = net_of_page,
             .text = text_of_net<net_of_page>},
    Importer{.what = "a library that writes a page of layers",
             .takes = is_library,
             .file = itself,
             .has_keys = true,
             .is_step = true,
             .net = net_of_library,
             .text = text_of_net<net_of_library>},
    Importer{.what = "a function of a Python file",
             .takes = is_python_program,
             .file = file_of_program,
             .has_keys = true,
             .is_step = true,
             .net = nullptr,
             .text = text_of_program},
    Importer{.what = "a SCALE-Sim topology",
             .takes = scalesim::is_topology_file,
             .file = itself,
             .has_keys = false,
             .is_step = false,
             .net = nullptr,
             .text = text_of_file},
    Importer{.what = "HLO or StableHLO, as text or protobuf",
             .takes = is_path,
             .file = itself,
             .has_keys = false,
             .is_step = true,
             .net = nullptr,
             .text = text_of_file},
};

}  // namespace

std::span<const Importer> importers() { return list; }

const Importer* importer_of(const std::string& program) {
  const auto* found = std::ranges::find_if(list, [&](const Importer& importer) { return importer.takes(program); });
  return found == list.end() ? nullptr : found;
}

bool is_net(const std::string& program) {
  const Importer* importer = importer_of(program);
  return importer != nullptr && importer->net != nullptr;
}

bool has_keys(const std::string& program) {
  const Importer* importer = importer_of(program);
  return importer != nullptr && importer->has_keys;
}

bool is_step(const std::string& program) {
  const Importer* importer = importer_of(program);
  return importer == nullptr || importer->is_step;
}

std::string file_of(const std::string& program) {
  const Importer* importer = importer_of(program);
  return importer == nullptr ? program : importer->file(program);
}

}  // namespace podsim::workloads::importers
