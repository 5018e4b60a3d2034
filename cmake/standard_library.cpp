// SPDX-License-Identifier: Apache-2.0
// The source that the precompiled header of the standard library is built with.
