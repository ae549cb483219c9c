#pragma once

#include "native_mpi.hpp"

/// mpi_transport, whose calls bypass the interposed functions.

#define MPI_Cancel PMPI_Cancel
#define MPI_Comm_get_attr PMPI_Comm_get_attr
#define MPI_Error_class PMPI_Error_class
#define MPI_Get_address PMPI_Get_address
#define MPI_Get_count PMPI_Get_count
#define MPI_Get_elements_x PMPI_Get_elements_x
#define MPI_Irecv PMPI_Irecv
#define MPI_Isend PMPI_Isend
#define MPI_Request_free PMPI_Request_free
#define MPI_Test PMPI_Test
#define MPI_Testany PMPI_Testany
#define MPI_Type_commit PMPI_Type_commit
#define MPI_Type_contiguous PMPI_Type_contiguous
#define MPI_Type_create_struct PMPI_Type_create_struct
#define MPI_Type_free PMPI_Type_free
#define MPI_Wait PMPI_Wait
#define MPI_Waitany PMPI_Waitany

#include "collsched/execute/mpi.hpp"

#undef MPI_Cancel
#undef MPI_Comm_get_attr
#undef MPI_Error_class
#undef MPI_Get_address
#undef MPI_Get_count
#undef MPI_Get_elements_x
#undef MPI_Irecv
#undef MPI_Isend
#undef MPI_Request_free
#undef MPI_Test
#undef MPI_Testany
#undef MPI_Type_commit
#undef MPI_Type_contiguous
#undef MPI_Type_create_struct
#undef MPI_Type_free
#undef MPI_Wait
#undef MPI_Waitany
