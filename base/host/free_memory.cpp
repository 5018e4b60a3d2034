// SPDX-License-Identifier: Apache-2.0
#include "base/host/free_memory.h"

#include <malloc.h>

namespace podsim::base::host {

void return_free_memory() { malloc_trim(0); }

}  // namespace podsim::base::host
