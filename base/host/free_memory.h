// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace podsim::base::host {

/// Gives memory that the program has freed back to the operating system. The allocator keeps it otherwise, in pieces
/// between those in use, and what comes next takes more: worth a call where hundreds of megabytes have just been freed.
void return_free_memory();

}  // namespace podsim::base::host
