// SPDX-License-Identifier: BSD-3-Clause
//
// A library that tells its version by the name of its file.
int nmt_test_versioned(void);

int nmt_test_versioned(void) { return 1; }
