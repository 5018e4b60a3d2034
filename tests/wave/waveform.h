// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tests/base/vcd_reader.h"

/// Quantities read off a waveform, and the signals in a GTKWave save file.
namespace podsim::test {

/// Picoseconds during which a wire is 1.
std::int64_t time_high(const base::VcdContent& vcd, const std::string& wire);
/// Picoseconds during which a text is not empty.
std::int64_t time_shown(const base::VcdContent& vcd, const std::string& text);
/// Integral of a real signal over seconds, unknown counting as zero.
double integral(const base::VcdContent& vcd, const std::string& real);

/// Full names, with bit ranges, of the signals in a save file.
std::vector<std::string> signals_of_save_file(const std::string& text);

/// The content of a file; throws std::runtime_error when it cannot be read.
std::string read_file(const std::string& path);

}  // namespace podsim::test
