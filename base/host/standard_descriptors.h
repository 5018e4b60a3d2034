// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace podsim::base::host {

/// Opens those of the descriptors 0 to 2 that are closed on /dev/null, so that no file, pipe or database that the
/// program opens later takes their numbers and gets what is printed. Each is opened in the mode that its use does not
/// have: reading stdin and writing stdout fail with EBADF, as on a closed descriptor, and print_result() says so. A
/// program calls this first in main(). Ends the program with exit code `failed` if /dev/null cannot be opened.
void open_standard_descriptors();

}  // namespace podsim::base::host
