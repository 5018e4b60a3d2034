// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "workloads/model_options.h"

/// Programs that a Python function writes with podsim.build (python/podsim/build/): "net.py:resnet".
namespace podsim::workloads {

/// True if a workload is written as FILE.py:FUNCTION.
bool is_python_program(const std::string& workload);

/// The file of it; any other workload itself.
std::string file_of_program(const std::string& workload);

/// The HLO text that the function writes when it is called with the settings "model.NAME" as its arguments NAME.
///
/// Runs the python3 that $PODSIM_PYTHON names, else the one on the PATH. The package podsim is that of the checkout or
/// installation of this program, else one that Python finds. InputError, located at `argument`, if there is no python3
/// or no package; without a location, with Python's own message and the line in the file, if the function fails.
std::string text_of_program(const std::string& argument, const std::string& workload, const ModelSettings& settings);

}  // namespace podsim::workloads
