// SPDX-License-Identifier: BSD-3-Clause
//
// SimGrid's MPI has no tools' interface (MPI_T). What control/mpi/module.c calls of it, as an MPI
// would answer that has no variables at all.
#pragma once

#include <mpi.h>

typedef int MPI_T_cvar_handle;
typedef int MPI_T_enum;
#define MPI_T_ENUM_NULL 0
#define MPI_T_init_thread(wanted, level) (*(level) = (wanted), MPI_ERR_OTHER)
#define MPI_T_cvar_get_num(count) (*(count) = 0, MPI_ERR_OTHER)
#define MPI_T_cvar_get_index(name, index) (*(index) = 0, MPI_ERR_OTHER)
#define MPI_T_cvar_get_info(...) MPI_ERR_OTHER
#define MPI_T_cvar_handle_alloc(index, object, handle, count) (*(handle) = 0, MPI_ERR_OTHER)
#define MPI_T_cvar_handle_free(handle) MPI_ERR_OTHER
#define MPI_T_cvar_read(handle, value) MPI_ERR_OTHER
#define MPI_T_cvar_write(handle, value) MPI_ERR_OTHER
#define MPI_T_enum_get_info(which, count, name, bytes) (*(count) = 0, MPI_ERR_OTHER)
#define MPI_T_enum_get_item(which, index, value, name, bytes) MPI_ERR_OTHER
