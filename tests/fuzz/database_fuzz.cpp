// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: the database of a study is refused with a diagnostic, or its results can be read.
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/diagnostic.h"
#include "base/host/output_file.h"
#include "studies/store/study_results.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("podsim_fuzz_" + std::to_string(getpid()) + ".sqlite");
  podsim::base::host::write_file(file, {reinterpret_cast<const char*>(data), size});
  try {
    podsim::studies::store::read_study_results(file);
  } catch (const podsim::base::InputError& error) {
    for (const auto& diagnostic : error.diagnostics()) podsim::base::format(diagnostic);
  }
  std::filesystem::remove(file);
  return 0;
}
