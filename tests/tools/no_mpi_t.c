// SPDX-License-Identifier: BSD-3-Clause
//
// Preloaded: an MPI whose control variables (MPI_T) are switched off.
int MPI_T_init_thread(int required, int* provided);
int MPI_T_init_thread(int required, int* provided) {
  (void)required;
  (void)provided;
  return 61;  // any code but MPI_SUCCESS
}
