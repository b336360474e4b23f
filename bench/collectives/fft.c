// SPDX-License-Identifier: BSD-3-Clause
//
// A 3D FFT by FFTW's MPI, as a program would call it: N x N x N complex numbers, so many transforms
// forward and back.
//
//   fft N TRANSFORMS
//
// FFTW transposes by MPI_Alltoall or by messages of its own. Its estimate takes MPI_Alltoall, once
// in each transform, out of place, with input that may be destroyed and transposed output
// (FFTW_MPI_TRANSPOSED_OUT); in place, or with output in the order of the input, it takes messages.
// Exit code 1: the numbers do not come back.
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double value_at(ptrdiff_t place) { return (double)(place * 7919 % 1009) / 1009; }

int main(int argc, char** argv) {
  const ptrdiff_t n = argc > 1 ? atoi(argv[1]) : 0;
  const int transforms = argc > 2 ? atoi(argv[2]) : 0;
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (n < 1 || transforms < 1) {
    if (rank == 0) fputs("fft: usage: fft N TRANSFORMS\n", stderr);
    MPI_Finalize();
    return 2;
  }
  fftw_mpi_init();
  ptrdiff_t planes = 0, first = 0, turned_planes = 0, first_turned = 0;
  const ptrdiff_t kept = fftw_mpi_local_size_3d_transposed(n, n, n, MPI_COMM_WORLD, &planes, &first,
                                                           &turned_planes, &first_turned);
  const ptrdiff_t own = planes * n * n;
  fftw_complex* space = fftw_alloc_complex((size_t)kept);
  fftw_complex* waves = fftw_alloc_complex((size_t)kept);
  const unsigned flags = FFTW_ESTIMATE | FFTW_DESTROY_INPUT;
  fftw_plan there = fftw_mpi_plan_dft_3d(n, n, n, space, waves, MPI_COMM_WORLD, FFTW_FORWARD,
                                         flags | FFTW_MPI_TRANSPOSED_OUT);
  fftw_plan back = fftw_mpi_plan_dft_3d(n, n, n, waves, space, MPI_COMM_WORLD, FFTW_BACKWARD,
                                        flags | FFTW_MPI_TRANSPOSED_IN);
  if (there == NULL || back == NULL) MPI_Abort(MPI_COMM_WORLD, 1);

  for (ptrdiff_t i = 0; i < own; ++i) {
    space[i][0] = value_at(first * n * n + i);
    space[i][1] = 0;
  }
  const double start_s = MPI_Wtime();
  for (int turn = 0; turn < transforms; ++turn) {
    fftw_execute(there);
    fftw_execute(back);
    for (ptrdiff_t i = 0; i < own; ++i) {
      space[i][0] /= (double)(n * n * n);
      space[i][1] /= (double)(n * n * n);
    }
  }
  const double took_s = MPI_Wtime() - start_s;

  double worst = 0, worst_of_all = 0;
  for (ptrdiff_t i = 0; i < own; ++i) {
    worst = fmax(worst, fabs(space[i][0] - value_at(first * n * n + i)));
  }
  MPI_Allreduce(&worst, &worst_of_all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) printf("fft: seconds=%.6f error=%.3g\n", took_s, worst_of_all);
  fflush(stdout);
  fftw_destroy_plan(there);
  fftw_destroy_plan(back);
  fftw_free(space);
  fftw_free(waves);
  MPI_Finalize();
  return worst_of_all < 1e-9 ? 0 : 1;
}
