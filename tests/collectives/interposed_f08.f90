! SPDX-License-Identifier: BSD-3-Clause
!
! A program of mpi_f08 only, which some MPIs begin another way. Prints "good".
program interposed_f08
  use mpi_f08
  implicit none
  integer :: rank, ranks, provided, i
  integer :: data(4000), sums(4000)
  integer, allocatable :: given(:), taken(:)
  call MPI_Init_thread(MPI_THREAD_SINGLE, provided)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  data = merge(17, 0, rank == 0)
  call MPI_Bcast(data, 4000, MPI_INTEGER, 0, MPI_COMM_WORLD)
  if (any(data /= 17)) error stop 1
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Allreduce(data, sums, 4000, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (any(sums /= 17 * ranks)) error stop 2
  allocate(given(4000 * ranks), taken(4000 * ranks))
  given = rank
  call MPI_Alltoall(given, 4000, MPI_INTEGER, taken, 4000, MPI_INTEGER, MPI_COMM_WORLD)
  do i = 1, ranks
    if (any(taken(4000 * (i - 1) + 1:4000 * i) /= i - 1)) error stop 3
  end do
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) print '(a)', 'good'
  call MPI_Finalize()
end program
