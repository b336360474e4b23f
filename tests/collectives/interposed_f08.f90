! SPDX-License-Identifier: BSD-3-Clause
!
! A program of mpi_f08 only, which some MPIs begin another way. It begins by MPI_Init, or with an
! argument by MPI_Init_thread. Prints "good".
program interposed_f08
  use mpi_f08
  implicit none
  integer :: rank, ranks, provided, i
  integer :: data(4000), sums(4000), strided(8000)
  integer, allocatable :: given(:), taken(:), counts(:), places(:)
  if (command_argument_count() == 0) then
    call MPI_Init()
  else
    call MPI_Init_thread(MPI_THREAD_SINGLE, provided)
  end if
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
  taken = -1
  call MPI_Allgather(data, 4000, MPI_INTEGER, taken, 4000, MPI_INTEGER, MPI_COMM_WORLD)
  if (any(taken /= 17)) error stop 4
  taken = -1
  counts = [(4000, i = 1, ranks)]
  places = [(4000 * (i - 1), i = 1, ranks)]
  call MPI_Allgatherv(data, 4000, MPI_INTEGER, taken, counts, places, MPI_INTEGER, MPI_COMM_WORLD)
  if (any(taken /= 17)) error stop 5
  given = 2
  call MPI_Reduce_scatter(given, sums, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (any(sums /= 2 * ranks)) error stop 6
  given = 3
  call MPI_Reduce_scatter_block(given, sums, 4000, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (any(sums /= 3 * ranks)) error stop 7
  sums = -1
  call MPI_Reduce(data, sums, 4000, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0 .and. any(sums /= 17 * ranks)) error stop 8
  taken = -1
  call MPI_Gather(data, 4000, MPI_INTEGER, taken, 4000, MPI_INTEGER, 0, MPI_COMM_WORLD)
  if (rank == 0 .and. any(taken /= 17)) error stop 9
  given = 5
  call MPI_Scatter(given, 4000, MPI_INTEGER, sums, 4000, MPI_INTEGER, 0, MPI_COMM_WORLD)
  if (any(sums /= 5)) error stop 10
  given = rank
  call MPI_Alltoallv(given, counts, places, MPI_INTEGER, taken, counts, places, MPI_INTEGER, &
                     MPI_COMM_WORLD)
  do i = 1, ranks
    if (any(taken(4000 * (i - 1) + 1:4000 * i) /= i - 1)) error stop 11
  end do
  ! Every second element, which some MPIs hand on as an array section.
  strided = merge(23, 0, rank == 0)
  call MPI_Bcast(strided(1:8000:2), 4000, MPI_INTEGER, 0, MPI_COMM_WORLD)
  if (any(strided(1:8000:2) /= 23)) error stop 12
  if (rank /= 0 .and. any(strided(2:8000:2) /= 0)) error stop 13
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) print '(a)', 'good'
  call MPI_Finalize()
end program
