! SPDX-License-Identifier: BSD-3-Clause
!
! The same from Fortran, by mpif.h, by the module mpi and by mpi_f08. Prints "good".
subroutine by_mpif(good)
  implicit none
  include 'mpif.h'
  logical, intent(inout) :: good
  integer :: rank, error, i
  integer :: data(4000)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  data = merge(17, 0, rank == 0)
  call MPI_Bcast(data, 4000, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  do i = 1, 4000
    good = good .and. data(i) == 17
  end do
end subroutine

subroutine by_module(good)
  use mpi
  implicit none
  logical, intent(inout) :: good
  integer :: rank, ranks, error, i
  double precision :: data(3000)
  integer :: sums(2000)
  integer, allocatable :: all(:), all_at_root(:), counts(:), places(:)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  data = rank
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Allreduce(MPI_IN_PLACE, data, 3000, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  good = good .and. all_equal(data, dble(ranks * (ranks - 1) / 2))
  allocate(all(2000 * ranks), all_at_root(2000 * ranks))
  all = rank
  call MPI_Reduce_scatter_block(all, sums, 2000, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  good = good .and. sums(2000) == ranks * (ranks - 1) / 2
  call MPI_Reduce_scatter(all, sums, [(2000, i = 1, ranks)], MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, &
                          error)
  good = good .and. sums(2000) == ranks * (ranks - 1) / 2
  all(rank * 2000 + 1:rank * 2000 + 2000) = rank + 1
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 2000, MPI_INTEGER, &
                     MPI_COMM_WORLD, error)
  do i = 1, ranks
    good = good .and. all(i * 2000) == i
  end do
  all = rank
  call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 2000, MPI_INTEGER, &
                    MPI_COMM_WORLD, error)
  do i = 1, ranks
    good = good .and. all(i * 2000) == i - 1
  end do
  all = rank
  call MPI_Gather(all(1:2000), 2000, MPI_INTEGER, all_at_root, 2000, MPI_INTEGER, 1, &
                  MPI_COMM_WORLD, error)
  do i = 1, ranks
    if (rank == 1) good = good .and. all_at_root(i * 2000) == i - 1
  end do
  call MPI_Scatter(all_at_root, 2000, MPI_INTEGER, all, 2000, MPI_INTEGER, 1, MPI_COMM_WORLD, error)
  good = good .and. all(2000) == rank
  allocate(counts(ranks), places(ranks))
  counts = [(500 * i, i = 1, ranks)]
  places = [(2000 * (i - 1), i = 1, ranks)]
  call MPI_Allgatherv(sums, counts(rank + 1), MPI_INTEGER, all, counts, places, MPI_INTEGER, &
                      MPI_COMM_WORLD, error)
  do i = 1, ranks
    good = good .and. all(places(i) + counts(i)) == ranks * (ranks - 1) / 2
  end do
  counts = [(100 * (rank + i), i = 1, ranks)]
  places = [(2000 * (i - 1), i = 1, ranks)]
  all = rank
  call MPI_Alltoallv(MPI_IN_PLACE, counts, places, MPI_INTEGER, all, counts, places, MPI_INTEGER, &
                     MPI_COMM_WORLD, error)
  do i = 1, ranks
    good = good .and. all(places(i) + counts(i)) == i - 1 .and. all(i * 2000) == rank
  end do
contains
  logical function all_equal(values, to)
    double precision, intent(in) :: values(:), to
    all_equal = maxval(abs(values - to)) < 1d-9
  end function
end subroutine

subroutine by_f08(good)
  use mpi_f08
  implicit none
  logical, intent(inout) :: good
  integer :: rank, ranks
  integer :: own(4000), sums(4000)
  integer, allocatable :: to(:), from(:), counts(:), places(:)
  integer :: i
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Barrier(MPI_COMM_WORLD)
  own = rank
  sums = 0
  call MPI_Reduce(own, sums, 4000, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) good = good .and. sums(1) == ranks * (ranks - 1) / 2
  call MPI_Bcast(sums, 4000, MPI_INTEGER, 0, MPI_COMM_WORLD)
  good = good .and. sums(4000) == ranks * (ranks - 1) / 2
  allocate(to(1000 * ranks), from(1000 * ranks))
  to = rank
  call MPI_Alltoall(to, 1000, MPI_INTEGER, from, 1000, MPI_INTEGER, MPI_COMM_WORLD)
  good = good .and. from(1) == 0 .and. from(1000 * ranks) == ranks - 1
  call MPI_Gather(to(1:1000), 1000, MPI_INTEGER, from, 1000, MPI_INTEGER, 0, MPI_COMM_WORLD)
  if (rank == 0) good = good .and. from(1000 * ranks) == ranks - 1
  from = from + 1
  call MPI_Scatter(from, 1000, MPI_INTEGER, sums, 1000, MPI_INTEGER, 0, MPI_COMM_WORLD)
  good = good .and. sums(1000) == rank + 1
  counts = [(1000 - 10 * (rank + i), i = 1, ranks)]
  places = [(1000 * (i - 1), i = 1, ranks)]
  from = -1
  call MPI_Alltoallv(to, counts, places, MPI_INTEGER, from, counts, places, MPI_INTEGER, &
                     MPI_COMM_WORLD)
  do i = 1, ranks
    good = good .and. from(places(i) + counts(i)) == i - 1 .and. from(1000 * i) == -1
  end do
end subroutine

program interposed
  use mpi
  implicit none
  integer :: rank, error
  logical :: good
  good = .true.
  call MPI_Init(error)
  call by_mpif(good)
  call by_module(good)
  call by_f08(good)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  if (.not. good) error stop 1
  if (rank == 0) print '(a)', 'good'
  call MPI_Finalize(error)
end program
