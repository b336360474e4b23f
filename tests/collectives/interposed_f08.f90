! SPDX-License-Identifier: BSD-3-Clause
!
! A program of mpi_f08 only, which some MPIs begin another way. Prints "good".
program interposed_f08
  use mpi_f08
  implicit none
  integer :: rank, provided
  integer :: data(4000)
  call MPI_Init_thread(MPI_THREAD_SINGLE, provided)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  data = merge(17, 0, rank == 0)
  call MPI_Bcast(data, 4000, MPI_INTEGER, 0, MPI_COMM_WORLD)
  if (any(data /= 17)) error stop 1
  if (rank == 0) print '(a)', 'good'
  call MPI_Finalize()
end program
