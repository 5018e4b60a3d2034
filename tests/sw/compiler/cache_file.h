// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/base/scratch_file.h"

namespace podsim::sw::testing {

/// The file of a cache of ops.
struct CacheFile : test::ScratchFile {
  CacheFile() : ScratchFile("ops") {}
};

}  // namespace podsim::sw::testing
