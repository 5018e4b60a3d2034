// SPDX-License-Identifier: Apache-2.0
#include "workloads/measured/validation.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/diagnostic.h"
#include "workloads/measured/fc_points.h"
#include "workloads/measured/kernel_points.h"
#include "workloads/measured/mbconv_points.h"
#include "workloads/measured/profile_points.h"

namespace podsim::workloads::measured {
namespace {

using Reader = std::vector<PointClass> (*)(const std::string& file, std::string_view text, Silicon& silicon);

struct Source {
  std::filesystem::path file;  ///< within the folder
  Reader read;
};

std::vector<Source> sources_of(const std::filesystem::path& folder) {
  std::vector<Source> sources = {
      {"kernels.csv", kernel_points}, {"mbconv_inference.csv", mbconv_points}, {"paradnn_fc_v2.csv", fc_points}};
  std::vector<std::filesystem::path> profiles;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "op_profiles", none)) {
    if (entry.path().extension() == ".csv") profiles.push_back("op_profiles" / entry.path().filename());
  }
  std::ranges::sort(profiles);
  if (profiles.empty()) profiles.emplace_back("op_profiles");
  for (const std::filesystem::path& profile : profiles) sources.push_back({profile, profile_points});
  return sources;
}

}  // namespace

void validate(const std::string& folder, Silicon& silicon, Validation& result,
              const std::function<void(double)>& progress) {
  result.folder = folder;
  const std::vector<Source> sources = sources_of(folder);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::string path = (std::filesystem::path(folder) / sources[i].file).string();
    std::ifstream in(path, std::ios::binary);
    if (!in || std::filesystem::is_directory(path)) {
      result.missing.push_back(sources[i].file.string());
      continue;
    }
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    std::ranges::move(sources[i].read(path, text, silicon), std::back_inserter(result.classes));
    if (progress) progress(double(i + 1) / double(sources.size()));
  }
  if (result.classes.empty()) {
    throw base::InputError("'" + folder + "' has none of the measured files that podsim knows",
                           "kernels.csv, mbconv_inference.csv, paradnn_fc_v2.csv, op_profiles/NAME.csv");
  }
}

}  // namespace podsim::workloads::measured
