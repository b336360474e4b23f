// SPDX-License-Identifier: BSD-3-Clause
//
// Face of what commands do about another communication stack: nmad-sample --stack, nmad-tune ab and
// nmad-tune export. What measures is sampler/stack. In reading order:
//   sample_messages      nmad-sample --stack: its messages
//   sample_collectives   nmad-sample --stack: its collectives
//   stack_recorder       keeps in the profile what launches timed
//   launched_rank        nmad-sample as a rank of a launched job
//   loaded_library       which library and network such a rank uses
//   compare_rules        collectives with and without files of rules
//   find_settings        the settings that pay, out of a profile
//   report_settings      prints what was found about settings
//   mpich_library        the tables that an installed MPICH has
//   ompi_info            whether an installed Open MPI takes a file of settings
#pragma once

#include "tools/stack/compare_rules.h"
#include "tools/stack/find_settings.h"
#include "tools/stack/launched_rank.h"
#include "tools/stack/mpich_library.h"
#include "tools/stack/ompi_info.h"
#include "tools/stack/report_settings.h"
#include "tools/stack/sample_messages.h"
#include "tools/stack/stack_recorder.h"
