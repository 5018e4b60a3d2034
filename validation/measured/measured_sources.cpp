// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/measured_sources.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/diagnostic.h"
#include "validation/measured/fc_points.h"
#include "validation/measured/inference_points.h"
#include "validation/measured/kernel_points.h"
#include "validation/measured/mbconv_points.h"
#include "validation/measured/profile_points.h"

namespace podsim::validation::measured {
namespace {

struct KnownFile {
  std::filesystem::path file;  ///< within the folder
  MeasuredSource::Reader read;
};

std::vector<KnownFile> known_files(const std::filesystem::path& folder) {
  std::vector<KnownFile> files = {{"kernels.csv", kernel_points},
                                  {"v3_points.csv", attention_points},
                                  {"inference.csv", inference_points},
                                  {"mbconv_inference.csv", mbconv_points},
                                  {"paradnn_fc_v2.csv", fc_points}};
  std::vector<std::filesystem::path> profiles;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "op_profiles", none)) {
    if (entry.path().extension() == ".csv") profiles.push_back("op_profiles" / entry.path().filename());
  }
  std::ranges::sort(profiles);
  if (profiles.empty()) profiles.emplace_back("op_profiles");
  for (const std::filesystem::path& profile : profiles) files.push_back({profile, profile_points});
  return files;
}

}  // namespace

MeasuredSources measured_sources(const std::string& folder) {
  MeasuredSources found;
  for (const KnownFile& known : known_files(folder)) {
    const std::string path = (std::filesystem::path(folder) / known.file).string();
    std::ifstream in(path, std::ios::binary);
    if (!in || std::filesystem::is_directory(path)) {
      found.missing.push_back(known.file.string());
      continue;
    }
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    found.sources.push_back({known.file.stem().string(), path, std::move(text), known.read});
  }
  if (found.sources.empty()) {
    throw base::InputError(
        "'" + folder + "' has none of the measured files that podsim knows",
        "kernels.csv, v3_points.csv, inference.csv, mbconv_inference.csv, paradnn_fc_v2.csv, op_profiles/NAME.csv");
  }
  return found;
}

}  // namespace podsim::validation::measured
