! Calls every collective function that the library intercepts, in its three forms, from Fortran: INTERFACE is 1 for mpif.h, 2 for
! the module mpi, 3 for mpi_f08. Compares the results, and fails if the library has not carried out a call.

#if INTERFACE == 3
#define HANDLE(T) type(T)
#define VALUE(x) x%MPI_VAL
#define IERR
#define STATUS type(MPI_Status)
#define SOURCE(s) s%MPI_SOURCE
#else
#define HANDLE(T) integer
#define VALUE(x) x
#define IERR , ierr
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define SOURCE(s) s(MPI_SOURCE)
#endif

#if INTERFACE == 3 && !defined(OPEN_MPI)
#define IS_FIRST(i) (i == 1 .or. i == 0)  /* MPICH 4.0.2 counts from 0 there */
#else
#define IS_FIRST(i) (i == 1)
#endif

! One call of MPI with the arguments ARGS, in the present form.
#define FORMS(X, IX, PX) if (form == 1) call X(ARGS IERR); if (form == 2) call IX(ARGS, request IERR); if (form == 3) call PX(ARGS, MPI_INFO_NULL, request IERR)

module shared
#if INTERFACE == 3
    use mpi_f08
#elif INTERFACE == 2
    use mpi
#endif
#if INTERFACE == 3 && defined(OPEN_MPI)
    use mpi_f08_ext  ! its persistent functions
#endif
    use iso_c_binding
    implicit none
#if INTERFACE == 1
    include 'mpif.h'
#endif

    interface
        function newly_taken(name) bind(C) result(is)
            import
            character(kind=c_char), dimension(*) :: name
            integer(c_int) :: is
        end function
        subroutine c_begin_sum(comm, input, output, count, request) bind(C)
            import
            integer, dimension(*) :: input, output
            integer :: comm, request
            integer(c_int), value :: count
        end subroutine
        subroutine c_init_bcast(comm, values, count, request) bind(C)
            import
            integer, dimension(*) :: values
            integer :: comm, request
            integer(c_int), value :: count
        end subroutine
        subroutine c_start(request) bind(C)
            integer :: request
        end subroutine
        subroutine c_wait(request) bind(C)
            integer :: request
        end subroutine
        subroutine c_free(request) bind(C)
            integer :: request
        end subroutine
    end interface

    integer, parameter :: n = 3
    integer :: rank, ranks, form, ierr, wrong = 0, copies = 0, deletions = 0, completions = 0
    HANDLE(MPI_Comm) :: comm
    HANDLE(MPI_Request) :: request
    integer, allocatable, asynchronous :: input(:), output(:), expected(:), counts(:), displs(:), bytes(:)
    HANDLE(MPI_Datatype), allocatable :: types(:)

contains

    subroutine check(name, right)
        character(*), intent(in) :: name
        logical, intent(in) :: right
        if (right) return
        print '(a,i0,a,a,a,i0)', 'rank ', rank, ': ', name, ' is wrong in form ', form
        wrong = wrong + 1
    end subroutine

    subroutine check_taken(name)
        character(*), intent(in) :: name
        call check(name // ': the destination', newly_taken(name // c_null_char) == 1)
    end subroutine

    ! Completes a request, each time by another function.
    subroutine complete(one)
        HANDLE(MPI_Request), intent(inout) :: one
        HANDLE(MPI_Request) :: list(1)
        STATUS :: state
#if INTERFACE == 3
        type(MPI_Status) :: states(1)
#else
        integer :: states(MPI_STATUS_SIZE, 1)
#endif
        integer :: which, number, indices(1)
        logical :: flag
        list(1) = one
        flag = .false.
        number = 0
        completions = completions + 1
        select case (mod(completions, 10))
        case (0); call MPI_Wait(list(1), MPI_STATUS_IGNORE IERR)
        case (1); call MPI_Wait(list(1), state IERR)
        case (2); call MPI_Waitall(1, list, MPI_STATUSES_IGNORE IERR)
        case (3); call MPI_Waitany(1, list, which, state IERR); call check('index', IS_FIRST(which))
        case (4); call MPI_Waitsome(1, list, number, indices, states IERR)
            call check('indices', number == 1 .and. IS_FIRST(indices(1)))
        case (5); do while (.not. flag); call MPI_Test(list(1), flag, state IERR); end do
        case (6); do while (.not. flag); call MPI_Testall(1, list, flag, states IERR); end do
        case (7); do while (.not. flag); call MPI_Testany(1, list, which, flag, MPI_STATUS_IGNORE IERR); end do
        case (8); do while (number == 0); call MPI_Testsome(1, list, number, indices, MPI_STATUSES_IGNORE IERR); end do
        case (9)
            do while (.not. flag); call MPI_Request_get_status(list(1), flag, state IERR); end do
            call MPI_Wait(list(1), MPI_STATUS_IGNORE IERR)
        end select
        one = list(1)
    end subroutine

    ! Ends a call in the present form, and compares.
    subroutine finish(name, first, last)
        character(*), intent(in) :: name
        integer, intent(in) :: first, last
        call check_taken(name)
        if (form == 3) call MPI_Start(request IERR)
        if (form /= 1) call complete(request)
        call check(name, all(output(first:last) == expected(first:last)))
        if (form == 3) call MPI_Request_free(request IERR)
        if (form /= 1) call check('request', request == MPI_REQUEST_NULL)
    end subroutine

    ! Block b of rank r is 100 r + 10 b + 1..3.
    integer function element(r, b, i)
        integer, intent(in) :: r, b, i
        element = 100 * r + 10 * b + i
    end function

    subroutine reset
        integer :: b, i
        do b = 0, ranks - 1
            do i = 1, n
                input(n * b + i) = element(rank, b, i)
            end do
        end do
        output = -1
        expected = -1
    end subroutine

    ! The sum over ranks from..to of element i of block b.
    integer function total(from, to, b, i)
        integer, intent(in) :: from, to, b, i
        integer :: r
        total = 0
        do r = from, to
            total = total + element(r, b, i)
        end do
    end function

    subroutine expect_gathered(b)
        integer, intent(in) :: b
        integer :: r, i
        do r = 0, ranks - 1
            do i = 1, n
                expected(n * r + i) = element(r, b, i)
            end do
        end do
    end subroutine

    subroutine expect_summed(from, to, b)
        integer, intent(in) :: from, to, b
        integer :: i
        do i = 1, n
            expected(i) = total(from, to, b, i)
        end do
    end subroutine

    ! An operator of the program: a sum.
#if INTERFACE == 3
    subroutine add(a, b, length, type)
        type(c_ptr), value :: a, b
        integer :: length
        type(MPI_Datatype) :: type
        integer, pointer :: x(:), y(:)
        call c_f_pointer(a, x, [length])
        call c_f_pointer(b, y, [length])
        y = y + x
    end subroutine
#else
    subroutine add(a, b, length, type)
        integer :: length, type
        integer :: a(length), b(length)
        b = b + a
    end subroutine
#endif

    subroutine copy_attribute(old, keyval, extra, value, copied, flag, error)
        HANDLE(MPI_Comm) :: old
        integer :: keyval, error
        integer(MPI_ADDRESS_KIND) :: extra, value, copied
        logical :: flag
        copies = copies + 1
        copied = value + 1
        flag = .true.
        error = MPI_SUCCESS
    end subroutine

    subroutine delete_attribute(old, keyval, value, extra, error)
        HANDLE(MPI_Comm) :: old
        integer :: keyval, error
        integer(MPI_ADDRESS_KIND) :: extra, value
        deletions = deletions + 1
        error = MPI_SUCCESS
    end subroutine

end module

module cases
    use shared
    implicit none
contains

    subroutine moving
        integer :: i
        call reset
#define ARGS comm
        FORMS(MPI_Barrier, MPI_Ibarrier, MPI_Barrier_init)
#undef ARGS
        call finish('barrier', 1, 0)

        call reset
        do i = 1, n
            expected(i) = element(0, 0, i)
        end do
        if (rank == 0) output(1:n) = input(1:n)
#define ARGS output, n, MPI_INTEGER, 0, comm
        FORMS(MPI_Bcast, MPI_Ibcast, MPI_Bcast_init)
#undef ARGS
        call finish('bcast', 1, n)

        call reset
        do i = 1, n
            expected(i) = element(0, rank, i)
        end do
#define ARGS input, n, MPI_INTEGER, output, n, MPI_INTEGER, 0, comm
        FORMS(MPI_Scatter, MPI_Iscatter, MPI_Scatter_init)
#undef ARGS
        call finish('scatter', 1, n)
        output = -1
#define ARGS input, counts, displs, MPI_INTEGER, output, n, MPI_INTEGER, 0, comm
        FORMS(MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init)
#undef ARGS
        call finish('scatterv', 1, n)

        call reset
        if (rank == 0) call expect_gathered(0)
#define ARGS input, n, MPI_INTEGER, output, n, MPI_INTEGER, 0, comm
        FORMS(MPI_Gather, MPI_Igather, MPI_Gather_init)
#undef ARGS
        call finish('gather', 1, n * ranks)
        output = -1
#define ARGS input, n, MPI_INTEGER, output, counts, displs, MPI_INTEGER, 0, comm
        FORMS(MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init)
#undef ARGS
        call finish('gatherv', 1, n * ranks)

        call reset
        call expect_gathered(0)
#define ARGS input, n, MPI_INTEGER, output, n, MPI_INTEGER, comm
        FORMS(MPI_Allgather, MPI_Iallgather, MPI_Allgather_init)
#undef ARGS
        call finish('allgather', 1, n * ranks)
        output = -1
        output(n * rank + 1:n * rank + n) = input(1:n)
#define ARGS MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, output, counts, displs, MPI_INTEGER, comm
        FORMS(MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init)
#undef ARGS
        call finish('allgatherv', 1, n * ranks)

        call reset
        call expect_gathered(rank)
#define ARGS input, n, MPI_INTEGER, output, n, MPI_INTEGER, comm
        FORMS(MPI_Alltoall, MPI_Ialltoall, MPI_Alltoall_init)
#undef ARGS
        call finish('alltoall', 1, n * ranks)
        output = -1
#define ARGS input, counts, displs, MPI_INTEGER, output, counts, displs, MPI_INTEGER, comm
        FORMS(MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init)
#undef ARGS
        call finish('alltoallv', 1, n * ranks)
        output = -1
#define ARGS input, counts, bytes, types, output, counts, bytes, types, comm
        FORMS(MPI_Alltoallw, MPI_Ialltoallw, MPI_Alltoallw_init)
#undef ARGS
        call finish('alltoallw', 1, n * ranks)
    end subroutine

    subroutine reducing
        integer :: b, i
        call reset
        if (rank == 0) call expect_summed(0, ranks - 1, 0)
#define ARGS input, output, n, MPI_INTEGER, MPI_SUM, 0, comm
        FORMS(MPI_Reduce, MPI_Ireduce, MPI_Reduce_init)
#undef ARGS
        call finish('reduce', 1, n)

        call reset
        do b = 0, ranks - 1
            do i = 1, n
                expected(n * b + i) = total(0, ranks - 1, b, i)
            end do
        end do
        output = input
#define ARGS MPI_IN_PLACE, output, n * ranks, MPI_INTEGER, MPI_SUM, comm
        FORMS(MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init)
#undef ARGS
        call finish('allreduce', 1, n * ranks)

        call reset
        call expect_summed(0, ranks - 1, rank)
#define ARGS input, output, counts, MPI_INTEGER, MPI_SUM, comm
        FORMS(MPI_Reduce_scatter, MPI_Ireduce_scatter, MPI_Reduce_scatter_init)
#undef ARGS
        call finish('reduce_scatter', 1, n)
        output = -1
#define ARGS input, output, n, MPI_INTEGER, MPI_SUM, comm
        FORMS(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block_init)
#undef ARGS
        call finish('reduce_scatter_block', 1, n)

        call reset
        call expect_summed(0, rank, 0)
#define ARGS input, output, n, MPI_INTEGER, MPI_SUM, comm
        FORMS(MPI_Scan, MPI_Iscan, MPI_Scan_init)
#undef ARGS
        call finish('scan', 1, n)
        output = -1
        if (rank > 0) call expect_summed(0, rank - 1, 0)
        if (rank == 0) expected = -1
#define ARGS input, output, n, MPI_INTEGER, MPI_SUM, comm
        FORMS(MPI_Exscan, MPI_Iexscan, MPI_Exscan_init)
#undef ARGS
        call finish('exscan', 1, n)
    end subroutine

    ! An operator, a type and an address of the program; both handles are freed while the call is in flight.
    subroutine handles
        HANDLE(MPI_Op) :: op
        HANDLE(MPI_Datatype) :: type
        integer(MPI_ADDRESS_KIND) :: at(1)
        integer :: b, i, length(1)
        call reset
        call MPI_Op_create(add, .true., op IERR)
        do b = 0, ranks - 1
            do i = 1, n
                expected(n * b + i) = total(0, ranks - 1, b, i)
            end do
        end do
#define ARGS input, output, n * ranks, MPI_INTEGER, op, comm
        FORMS(MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init)
#undef ARGS
        call MPI_Op_free(op IERR)
        call finish('allreduce', 1, n * ranks)

        call reset
        do i = 1, n
            expected(i) = element(0, 0, i)
        end do
        if (rank == 0) output(1:n) = input(1:n)
        call MPI_Get_address(output, at(1) IERR)
        length(1) = n
        call MPI_Type_create_hindexed(1, length, at, MPI_INTEGER, type IERR)
        call MPI_Type_commit(type IERR)
#define ARGS MPI_BOTTOM, 1, type, 0, comm
        FORMS(MPI_Bcast, MPI_Ibcast, MPI_Bcast_init)
#undef ARGS
        call MPI_Type_free(type IERR)
        call finish('bcast', 1, n)
    end subroutine

    ! A call that begins in one language and ends in the other; the other ranks may wait for this one's messages meanwhile.
    subroutine languages
        HANDLE(MPI_Request) :: one, list(1)
        HANDLE(MPI_Message) :: matched
        STATUS :: state
        logical :: flag
        integer :: i, way, token, other
        do way = 1, 10
            call reset
            call expect_summed(0, ranks - 1, 0)
            call c_begin_sum(VALUE(comm), input, output, n, VALUE(one))
            call check_taken('allreduce')
            call complete(one)
            call check('allreduce begun in C', all(output(1:n) == expected(1:n)))
        end do
        call reset
        call expect_summed(0, ranks - 1, 0)
        call MPI_Iallreduce(input, output, n, MPI_INTEGER, MPI_SUM, comm, one IERR)
        call check_taken('allreduce')
        call c_wait(VALUE(one))
        call check('allreduce begun in Fortran', all(output(1:n) == expected(1:n)))

        ! Rank 1 sends after its call has ended, which needs rank 0 in one of these functions.
        do way = 1, 6
            call reset
            call expect_summed(0, ranks - 1, 0)
            call c_begin_sum(VALUE(comm), input, output, n, VALUE(one))
            call check_taken('allreduce')
            other = 1 - rank
            token = rank
            flag = .false.
            if (rank == 1) then
                call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
                if (way /= 6) call MPI_Ssend(token, 1, MPI_INTEGER, 0, way, comm IERR)
                if (way == 6) call MPI_Recv(token, 1, MPI_INTEGER, 0, way, comm, MPI_STATUS_IGNORE IERR)
            else if (rank == 0 .and. ranks > 1) then
                select case (way)
                case (1); call MPI_Recv(token, 1, MPI_INTEGER, 1, way, comm, state IERR)
                case (2); call MPI_Probe(1, way, comm, state IERR)
                case (3); do while (.not. flag); call MPI_Iprobe(1, way, comm, flag, state IERR); end do
                case (4)
                    call MPI_Mprobe(1, way, comm, matched, state IERR)
                    call MPI_Mrecv(token, 1, MPI_INTEGER, matched, MPI_STATUS_IGNORE IERR)
                case (5)
                    do while (.not. flag); call MPI_Improbe(1, way, comm, flag, matched, state IERR); end do
                    call MPI_Mrecv(token, 1, MPI_INTEGER, matched, MPI_STATUS_IGNORE IERR)
                case (6); call MPI_Ssend(token, 1, MPI_INTEGER, 1, way, comm IERR)
                end select
                if (way /= 6) call check('source', SOURCE(state) == 1)
                if (way == 2 .or. way == 3) call MPI_Recv(token, 1, MPI_INTEGER, 1, way, comm, MPI_STATUS_IGNORE IERR)
                if (way /= 6) call check('token', token == 1)
            end if
            if (rank /= 1) call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
            call check('allreduce beside a message', all(output(1:n) == expected(1:n)))
        end do

        call reset
        call c_init_bcast(VALUE(comm), output, n, VALUE(one))
        call check_taken('bcast')
        do i = 1, 4
            output = -1
            if (rank == 0) output(1:n) = input(1:n) + i
            list(1) = one
            if (mod(i, 2) == 0) call c_start(VALUE(one))
            if (mod(i, 2) == 1) call MPI_Startall(1, list IERR)
            if (i > 2) call c_wait(VALUE(one))
            if (i <= 2) call complete(one)
            call check('bcast started by both', all(output(1:n) == [(element(0, 0, way) + i, way = 1, n)]))
        end do
        call c_free(VALUE(one))
    end subroutine

    ! Non-blocking calls are carried out on communicators whose creation the library has intercepted alone.
    subroutine use(name, made)
        character(*), intent(in) :: name
        HANDLE(MPI_Comm), intent(inout) :: made
        HANDLE(MPI_Request) :: one
        call MPI_Ibarrier(made, one IERR)
        call check_taken('barrier')
        call MPI_Wait(one, MPI_STATUS_IGNORE IERR)
        call MPI_Comm_free(made IERR)
        call check(name, made == MPI_COMM_NULL)
    end subroutine

    subroutine communicators
        HANDLE(MPI_Comm) :: made
        HANDLE(MPI_Group) :: group
        integer :: keyval, sizes(1)
        integer(MPI_ADDRESS_KIND) :: value
        logical :: periods(1), remaining(1), found
        call MPI_Comm_create_keyval(copy_attribute, delete_attribute, keyval, 0_MPI_ADDRESS_KIND IERR)
        call MPI_Comm_set_attr(comm, keyval, 41_MPI_ADDRESS_KIND IERR)
        call MPI_Comm_dup(comm, made IERR)
        call MPI_Comm_get_attr(made, keyval, value, found IERR)
        call check('attribute', found .and. value == 42 .and. copies == 1)
        call use('dup', made)
        call check('deletion of the attribute', deletions == 1)
        call MPI_Comm_delete_attr(comm, keyval IERR)
        call MPI_Comm_free_keyval(keyval IERR)
        call MPI_Comm_split(comm, mod(rank, 2), rank, made IERR)
        call use('split', made)
        call MPI_Comm_group(comm, group IERR)
        call MPI_Comm_create(comm, group, made IERR)
        call use('create', made)
        call MPI_Comm_create_group(comm, group, 5, made IERR)
        call use('create_group', made)
        call MPI_Group_free(group IERR)
        sizes = ranks
        periods = .true.
        remaining = .true.
        call MPI_Cart_create(comm, 1, sizes, periods, .false., made IERR)
        call use('cart_create', made)
    end subroutine

end module

program collectives
    use cases
    implicit none
    integer :: r, all_wrong
#if INTERFACE == 1
    call MPI_Init(ierr)
#else
    call MPI_Init_thread(MPI_THREAD_FUNNELED, r IERR)
#endif
    comm = MPI_COMM_WORLD
    call MPI_Comm_rank(comm, rank IERR)
    call MPI_Comm_size(comm, ranks IERR)
    allocate (input(n * ranks), output(n * ranks), expected(n * ranks), counts(ranks), displs(ranks), bytes(ranks), types(ranks))
    counts = n
    displs = [(n * r, r = 0, ranks - 1)]
    bytes = 4 * displs
    types = MPI_INTEGER
    do form = 1, 3
        call moving
        call reducing
        call handles
    end do
    form = 0
    call languages
    call communicators
    all_wrong = wrong
    call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, comm IERR)
    if (rank == 0) print '(i0,a)', all_wrong, ' results are wrong'
    call MPI_Finalize(ierr)
    if (all_wrong /= 0) stop 1
end program
