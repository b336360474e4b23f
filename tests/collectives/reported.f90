! SPDX-License-Identifier: BSD-3-Clause
!
! Collectives by mpif.h, by the module mpi and by mpi_f08, each once, for the report. Prints "good".
subroutine by_mpif(ranks)
  implicit none
  include 'mpif.h'
  integer, intent(in) :: ranks
  integer :: own(40), all(40 * ranks), counts(ranks), places(ranks), types(ranks)
  integer :: i, error, request
  counts = 4
  places = [(16 * i, i = 0, ranks - 1)]
  types = MPI_INTEGER
  own = 1
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Bcast(own, 40, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  call MPI_Gather(own, 20, MPI_INTEGER, all, 20, MPI_INTEGER, 1, MPI_COMM_WORLD, error)
  call MPI_Scatterv(all, counts, places / 4, MPI_INTEGER, own, 4, MPI_INTEGER, 0, &
                    MPI_COMM_WORLD, error)
  call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INTEGER, all, 5, MPI_INTEGER, MPI_COMM_WORLD, error)
  call MPI_Alltoallw(all, counts, places, types, own, counts, places, types, MPI_COMM_WORLD, error)
  call MPI_Allreduce(MPI_IN_PLACE, own, 40, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Iallreduce(MPI_IN_PLACE, own, 40, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
end subroutine

subroutine by_module(ranks)
  use mpi
  implicit none
  integer, intent(in) :: ranks
  integer :: own(40), all(40 * ranks), counts(ranks), places(ranks), types(ranks)
  integer :: i, error, request
  counts = 4
  places = [(16 * i, i = 0, ranks - 1)]
  types = MPI_INTEGER
  own = 1
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Bcast(own, 40, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  call MPI_Gather(own, 20, MPI_INTEGER, all, 20, MPI_INTEGER, 1, MPI_COMM_WORLD, error)
  call MPI_Scatterv(all, counts, places / 4, MPI_INTEGER, own, 4, MPI_INTEGER, 0, &
                    MPI_COMM_WORLD, error)
  call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INTEGER, all, 5, MPI_INTEGER, MPI_COMM_WORLD, error)
  call MPI_Alltoallw(all, counts, places, types, own, counts, places, types, MPI_COMM_WORLD, error)
  call MPI_Allreduce(MPI_IN_PLACE, own, 40, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Iallreduce(MPI_IN_PLACE, own, 40, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
end subroutine

subroutine by_f08(ranks)
  use mpi_f08
  implicit none
  integer, intent(in) :: ranks
  integer, asynchronous :: own(40), all(40 * ranks)
  integer :: counts(ranks), places(ranks), i
  type(MPI_Datatype) :: types(ranks)
  type(MPI_Request) :: request
  counts = 4
  places = [(16 * i, i = 0, ranks - 1)]
  types = MPI_INTEGER
  own = 1
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Bcast(own, 40, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call MPI_Gather(own, 20, MPI_INTEGER, all, 20, MPI_INTEGER, 1, MPI_COMM_WORLD)
  call MPI_Scatterv(all, counts, places / 4, MPI_INTEGER, own, 4, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INTEGER, all, 5, MPI_INTEGER, MPI_COMM_WORLD)
  call MPI_Alltoallw(all, counts, places, types, own, counts, places, types, MPI_COMM_WORLD)
  call MPI_Allreduce(MPI_IN_PLACE, own, 40, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Iallreduce(MPI_IN_PLACE, own, 40, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
end subroutine

program reported
  use mpi
  implicit none
  integer :: rank, ranks, error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call by_mpif(ranks)
  call by_module(ranks)
  call by_f08(ranks)
  if (rank == 0) print '(a)', 'good'
  call MPI_Finalize(error)
end program
