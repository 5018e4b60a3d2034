// SPDX-License-Identifier: Apache-2.0
#include "tests/structure/source_tree.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

namespace podsim::structure {
namespace {

const std::filesystem::path root = PODSIM_SOURCE_DIR;

/// The height of a file's folder, or -1.
std::ptrdiff_t height_of(const std::filesystem::path& file) {
  const auto found = std::ranges::find(folders(), file.parent_path().string());
  return found == folders().end() ? -1 : found - folders().begin();
}

/// Every .h and .cpp below these folders, in the order of their paths.
std::vector<std::filesystem::path> files_below(const std::vector<std::string>& folders) {
  std::vector<std::filesystem::path> files;
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      std::string extension = entry.path().extension().string();
      if (extension == ".h" || extension == ".cpp") files.push_back(entry.path().lexically_relative(root));
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

const std::vector<std::string>& folders() {
  static const std::vector<std::string> all = {
      // base
      "base/text", "base", "base/parameters", "base/host", "base/trace", "base/systemc",
      // hlo
      "hlo", "hlo/rules", "hlo/build", "hlo/eval/complex", "hlo/eval/whole", "hlo/eval", "hlo/transform/formulas",
      "hlo/transform/gradient", "hlo/transform", "hlo/weights", "hlo/devices", "hlo/pipeline", "hlo/expanders",
      "hlo/proto", "hlo/stablehlo/quant", "hlo/stablehlo", "hlo/text", "hlo/text/graph", "hlo/spmd/mesh",
      "hlo/spmd/propagate", "hlo/spmd/reshard", "hlo/spmd/partition", "hlo/api",
      // noc
      "noc", "noc/router", "noc/ici", "noc/chip_switch",
      // hw
      "hw/parts", "hw/parts/hbm", "hw/parts/dma", "hw/parts/energy", "hw/parts/host", "hw/parts/level",
      "hw/parts/vector", "hw/parts/mxu", "hw/parts/cross_lane", "hw/parts/scalar", "hw/parts/custom",
      "hw/parts/reliability", "hw", "hw/isa", "hw/energy", "hw/memory/dram", "hw/timing", "hw/host", "hw/input",
      "hw/memory", "hw/memory/banks", "hw/core", "hw/chip", "hw/pod", "hw/isa/pasm", "hw/bundle/vector",
      "hw/bundle/results", "hw/bundle/matrix", "hw/bundle",
      // workloads
      "workloads/job", "workloads/goodput", "workloads/serving", "workloads/machines", "workloads/shardings",
      "workloads", "workloads/layers", "workloads/pipelines", "workloads/streams", "workloads/models/recommenders",
      "workloads/models/mask_rcnn", "workloads/models/inception", "workloads/models/wide_resnet",
      "workloads/models/amoebanet", "workloads/models", "workloads/nets", "workloads/scalesim", "workloads/importers",
      "workloads/lengths",
      // sw
      "sw", "sw/collectives", "sw/collectives/patterns", "sw/collectives/schedule", "sw/collectives/engine",
      "sw/compiler/fuse", "sw/compiler/tiles", "sw/codegen/registers", "sw/codegen/schedule", "sw/codegen/builder",
      "sw/codegen/families", "sw/codegen/fusion", "sw/codegen/families/stream", "sw/codegen/families/rows",
      "sw/codegen/families/matrix", "sw/codegen/families/attention", "sw/codegen", "sw/compiler/layout",
      "sw/compiler/costs", "sw/compiler", "sw/placement", "sw/plans", "sw/driver", "sw/runtime/pod", "sw/runtime/parts",
      "sw/runtime/waits", "sw/runtime/repetition", "sw/runtime", "sw/runtime/energy", "sw/runtime/session",
      "sw/operators", "sw/chakra",
      // validation
      "validation/kernels", "validation/profile", "validation/measured", "validation/measured/published",
      "validation/jobs", "validation/power", "validation/estimates",
      // report
      "report/run", "report/compare", "report/html/assets", "report/html", "report/serving", "report", "report/levels",
      // studies
      "studies/shipped", "studies/plan", "studies/store", "studies/charts", "studies/optimise", "studies/sweep",
      "studies/whatif", "studies/search",
      // app
      "app/options", "app/output", "app/command_line", "app/run/files", "app/run", "app/commands/hlo_parts",
      "app/commands", "app/validate", "app/sweep", "app/whatif", "app/search", "app/goodput", "app/serve", "app",
      // mpi
      "mpi"};
  return all;
}

const std::vector<std::string>& layers() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> tops;
    for (const std::string& folder : folders()) {
      const std::string top = folder.substr(0, folder.find('/'));
      if (std::ranges::find(tops, top) == tops.end()) tops.push_back(top);
    }
    return tops;
  }();
  return all;
}

std::vector<std::filesystem::path> source_files() { return files_below(layers()); }

std::vector<std::filesystem::path> test_files() { return files_below({"tests"}); }

std::string read_source(const std::filesystem::path& relative) {
  std::ifstream file(root / relative);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<Include> includes_of(const std::string& source) {
  static const std::regex pattern("^[ \t]*#[ \t]*include[ \t]*([<\"])([^>\"]+)[>\"].*");
  std::vector<Include> includes;
  std::istringstream in(source);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::smatch match;
    if (std::regex_match(line, match, pattern)) includes.push_back({number, match[1] == "\"", match[2]});
  }
  return includes;
}

std::string include_fault(const std::filesystem::path& file, const Include& include) {
  const std::ptrdiff_t own = height_of(file), included = height_of(include.path);
  if (own < 0) return "is in a folder that has no place in the order: tests/structure/source_tree.cpp";
  if (!include.quoted) return included < 0 ? "" : "includes its own project's \"" + include.path + "\" with <>";
  if (included < 0) return "includes \"" + include.path + "\", which is not written from the root";
  if (included > own) return "includes \"" + include.path + "\" of a folder above";
  return "";
}

std::string namespace_of(const std::filesystem::path& folder) {
  std::string name = "podsim";
  for (const auto& part : folder) name += "::" + part.string();
  return name;
}

std::string namespace_fault(const std::filesystem::path& file, const std::string& source) {
  if (file.filename() == "main.cpp") return "";
  const std::string wanted = namespace_of(file.parent_path());
  static const std::regex opening("\n(namespace podsim(?:::\\w+)*) \\{\n(?!class \\w+;\n|struct \\w+;\n)");
  for (std::sregex_iterator found(source.begin(), source.end(), opening), end; found != end; ++found) {
    const std::string name = (*found)[1].str().substr(sizeof "namespace");
    if (name != wanted && !name.starts_with(wanted + "::")) return "opens " + name + " in place of " + wanted;
  }
  if (source.find("\nnamespace " + wanted) == std::string::npos) return "has nothing in " + wanted;
  return "";
}

std::string size_fault(const std::filesystem::path& folder, std::size_t files) {
  if (files <= max_files) return "";
  return folder.string() + " has " + std::to_string(files) + " files; it wants rooms of its own";
}

std::vector<std::string> types_of(const std::string& source) {
  // As the formatter leaves it: nothing is indented in a namespace, and what begins at a line's begin is in no type.
  static const std::regex opening("namespace ?([\\w:]*) \\{"), closing("\\}  // namespace.*"),
      type("(?:struct|class|enum class) (\\w+)(?: final)?(?: : [^;]*)? ?\\{.*");
  std::vector<std::string> types, spaces;
  std::istringstream in(source);
  for (std::string line; std::getline(in, line);) {
    std::smatch match;
    if (std::regex_match(line, match, opening)) {
      spaces.push_back(match[1]);
    } else if (std::regex_match(line, closing) && !spaces.empty()) {
      spaces.pop_back();
    } else if (std::ranges::find(spaces, "") == spaces.end() && std::regex_match(line, match, type)) {
      std::string name;
      for (const std::string& space : spaces) name += space + "::";
      types.push_back(name + match[1].str());
    }
  }
  return types;
}

}  // namespace podsim::structure
