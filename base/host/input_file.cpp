// SPDX-License-Identifier: Apache-2.0
#include "base/host/input_file.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "base/diagnostic.h"
#include "base/host/arguments.h"
#include "base/host/gzip.h"

namespace podsim::base::host {

std::string read_input(const std::string& argument, const std::string& file) {
  std::string text;
  locate_errors(argument, file, [&] {
    std::error_code error;
    if (std::filesystem::is_directory(file, error)) throw InputError("cannot read it: it is a directory");
    errno = 0;
    std::ifstream in(file, std::ios::binary);
    std::ostringstream content;
    content << in.rdbuf();
    if (!in) throw InputError("cannot read it: " + std::generic_category().message(errno != 0 ? errno : EIO));
    text = std::move(content).str();
    if (is_gzip(text)) text = decompressed(text);
  });
  return text;
}

}  // namespace podsim::base::host
