// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/base/scratch_file.h"

namespace podsim::sw::compiler::testing {

/// The file of an op cache.
struct CacheFile : test::ScratchFile {
  CacheFile() : test::ScratchFile("ops") {}
};

}  // namespace podsim::sw::compiler::testing
