! Tesselab for Fortran: the functions of tesselab.h, by their names there, that cut and order meshes.
!
!   gfortran -c $(pkg-config --variable=includedir tesselab)/tesselab.f90
!   gfortran program.f90 tesselab.o $(pkg-config --libs tesselab)
!
! Objects are type(c_ptr), which are c_null_ptr where there is none; texts end with c_null_char.
! tesselab.h says what each does, fails with and who owns what. Numbers of elements begin at 0, as
! they do there: tess_integers gives an array of them, to which 1 is added where yours begin at 1.
module tesselab
  use, intrinsic :: iso_c_binding
  implicit none

  interface
    integer(c_int) function tess_mesh_open(text, mesh) bind(c)
      import :: c_int, c_char, c_ptr
      character(kind=c_char), intent(in) :: text(*)
      type(c_ptr), intent(out) :: mesh
    end function
    integer(c_int) function tess_mesh_new(source, dimension, mesh) bind(c)
      import :: c_int, c_char, c_ptr
      character(kind=c_char), intent(in) :: source(*)
      integer(c_int), value :: dimension
      type(c_ptr), intent(out) :: mesh
    end function
    integer(c_int) function tess_mesh_add_set(mesh, name, size, set) bind(c)
      import :: c_int, c_char, c_ptr, c_int64_t
      type(c_ptr), value :: mesh
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: size
      integer(c_int), intent(out) :: set
    end function
    integer(c_int) function tess_mesh_put_map(mesh, from, to, arity, index) bind(c)
      import :: c_int, c_char, c_ptr, c_int32_t
      type(c_ptr), value :: mesh
      character(kind=c_char), intent(in) :: from(*), to(*)
      integer(c_int), value :: arity
      integer(c_int32_t), intent(in) :: index(*)
    end function
    integer(c_int) function tess_mesh_put_coordinates(mesh, coordinates) bind(c)
      import :: c_int, c_ptr, c_double
      type(c_ptr), value :: mesh
      real(c_double), intent(in) :: coordinates(*)
    end function
    integer(c_int) function tess_mesh_derive(mesh, map) bind(c)
      import :: c_int, c_char, c_ptr
      type(c_ptr), value :: mesh
      character(kind=c_char), intent(in) :: map(*)
    end function
    integer(c_int) function tess_mesh_save(mesh, path, format) bind(c)
      import :: c_int, c_char, c_ptr
      type(c_ptr), value :: mesh
      character(kind=c_char), intent(in) :: path(*), format(*)
    end function
    integer(c_int64_t) function tess_mesh_set_size(mesh, name) bind(c)
      import :: c_int64_t, c_char, c_ptr
      type(c_ptr), value :: mesh
      character(kind=c_char), intent(in) :: name(*)
    end function
    integer(c_int) function tess_mesh_map_arity(mesh, name) bind(c)
      import :: c_int, c_char, c_ptr
      type(c_ptr), value :: mesh
      character(kind=c_char), intent(in) :: name(*)
    end function
    type(c_ptr) function tess_mesh_map_index(mesh, name) bind(c)
      import :: c_char, c_ptr
      type(c_ptr), value :: mesh
      character(kind=c_char), intent(in) :: name(*)
    end function
    subroutine tess_mesh_free(mesh) bind(c)
      import :: c_ptr
      type(c_ptr), value :: mesh
    end subroutine
    integer(c_int) function loop_of_map(map, dat, loop) bind(c, name="tess_loop_of_map")
      import :: c_int, c_char, c_ptr
      character(kind=c_char), intent(in) :: map(*)
      type(c_ptr), value :: dat
      type(c_ptr), intent(out) :: loop
    end function
    subroutine tess_loop_free(loop) bind(c)
      import :: c_ptr
      type(c_ptr), value :: loop
    end subroutine
    integer(c_int) function tess_loop_bind(loop, mesh, bound) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: loop, mesh
      type(c_ptr), intent(out) :: bound
    end function
    subroutine tess_bound_loop_free(bound) bind(c)
      import :: c_ptr
      type(c_ptr), value :: bound
    end subroutine
    integer(c_int) function tess_partition_cut(bound, partitioner, block_size, seed, partition) bind(c)
      import :: c_int, c_char, c_ptr, c_int32_t, c_int64_t
      type(c_ptr), value :: bound
      character(kind=c_char), intent(in) :: partitioner(*)
      integer(c_int32_t), value :: block_size
      integer(c_int64_t), value :: seed
      type(c_ptr), intent(out) :: partition
    end function
    integer(c_int32_t) function tess_partition_n_blocks(partition) bind(c)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: partition
    end function
    type(c_ptr) function tess_partition_block_of(partition) bind(c)
      import :: c_ptr
      type(c_ptr), value :: partition
    end function
    subroutine tess_partition_free(partition) bind(c)
      import :: c_ptr
      type(c_ptr), value :: partition
    end subroutine
    integer(c_int) function plan_build(bound, partition, options, plan) bind(c, name="tess_plan_build")
      import :: c_int, c_ptr
      type(c_ptr), value :: bound, partition, options
      type(c_ptr), intent(out) :: plan
    end function
    integer(c_int32_t) function tess_plan_n_blocks(plan) bind(c)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: plan
    end function
    integer(c_int32_t) function tess_plan_n_block_colours(plan) bind(c)
      import :: c_int32_t, c_ptr
      type(c_ptr), value :: plan
    end function
    type(c_ptr) function tess_plan_executed(plan) bind(c)
      import :: c_ptr
      type(c_ptr), value :: plan
    end function
    type(c_ptr) function tess_plan_block_offset(plan) bind(c)
      import :: c_ptr
      type(c_ptr), value :: plan
    end function
    type(c_ptr) function tess_plan_thread_colour(plan) bind(c)
      import :: c_ptr
      type(c_ptr), value :: plan
    end function
    type(c_ptr) function tess_plan_block_colour(plan) bind(c)
      import :: c_ptr
      type(c_ptr), value :: plan
    end function
    subroutine tess_plan_free(plan) bind(c)
      import :: c_ptr
      type(c_ptr), value :: plan
    end subroutine
    integer(c_int) function tess_renumber(bound, plan, renumbering) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: bound, plan
      type(c_ptr), intent(out) :: renumbering
    end function
    integer(c_int) function tess_order_renumber(mesh, order, renumbering) bind(c)
      import :: c_int, c_char, c_ptr
      type(c_ptr), value :: mesh
      character(kind=c_char), intent(in) :: order(*)
      type(c_ptr), intent(out) :: renumbering
    end function
    type(c_ptr) function tess_renumbering_new_to_old(renumbering, mesh, set) bind(c)
      import :: c_char, c_ptr
      type(c_ptr), value :: renumbering, mesh
      character(kind=c_char), intent(in) :: set(*)
    end function
    type(c_ptr) function tess_renumbering_old_to_new(renumbering, mesh, set) bind(c)
      import :: c_char, c_ptr
      type(c_ptr), value :: renumbering, mesh
      character(kind=c_char), intent(in) :: set(*)
    end function
    integer(c_int) function tess_mesh_renumber(mesh, renumbering) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: mesh, renumbering
    end function
    subroutine tess_renumbering_free(renumbering) bind(c)
      import :: c_ptr
      type(c_ptr), value :: renumbering
    end subroutine
    type(c_ptr) function message() bind(c, name="tess_message")
      import :: c_ptr
    end function
    integer(c_size_t) function text_length(text) bind(c, name="strlen")
      import :: c_size_t, c_ptr
      type(c_ptr), value :: text
    end function
  end interface

contains

  ! The loop that increments one double through a map.
  integer(c_int) function tess_loop_of_map(map, loop)
    character(kind=c_char), intent(in) :: map(*)
    type(c_ptr), intent(out) :: loop
    tess_loop_of_map = loop_of_map(map, c_null_ptr, loop)
  end function

  ! The plan by default options.
  integer(c_int) function tess_plan_build(bound, partition, plan)
    type(c_ptr), intent(in) :: bound, partition
    type(c_ptr), intent(out) :: plan
    tess_plan_build = plan_build(bound, partition, c_null_ptr, plan)
  end function

  ! The library's n integers at an address; not associated where that is null.
  function tess_integers(address, n) result(values)
    type(c_ptr), intent(in) :: address
    integer(c_int64_t), intent(in) :: n
    integer(c_int32_t), pointer :: values(:)
    values => null()
    if (c_associated(address)) call c_f_pointer(address, values, [n])
  end function

  ! What the last failure said.
  function tess_message() result(text)
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    call c_f_pointer(message(), letters, [text_length(message())])
    allocate (character(len=size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function
end module
