// SPDX-License-Identifier: BSD-3-Clause
//
// Face of the commands' code for other communication stacks: nmad-sample --stack, nmad-tune ab and
// nmad-tune export. The measuring is in sampler/stack. In reading order:
//   sample_messages      nmad-sample --stack: its messages
//   limit_candidates     which limits of eager messages it tries
//   sample_collectives   nmad-sample --stack: its collectives
//   stack_recorder       stores the results of launches in the profile
//   launched_rank        nmad-sample as a rank of a launched job
//   loaded_library       which library and network such a rank uses
//   compare_rules        collectives with and without files of rules
//   find_settings        the settings that pay, out of a profile
//   report_settings      prints what was found about settings
//   installed_version    which version of a stack is installed
//   mpich_library        the tables that an installed MPICH has
//   ompi_info            whether an installed Open MPI takes a file of settings
#pragma once

#include "tools/stack/compare_rules.h"
#include "tools/stack/find_settings.h"
#include "tools/stack/installed_version.h"
#include "tools/stack/launched_rank.h"
#include "tools/stack/limit_candidates.h"
#include "tools/stack/mpich_library.h"
#include "tools/stack/ompi_info.h"
#include "tools/stack/report_settings.h"
#include "tools/stack/sample_messages.h"
#include "tools/stack/stack_recorder.h"
