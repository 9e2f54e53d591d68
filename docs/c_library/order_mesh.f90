! A mesh of a program in Fortran, in another order: order_mesh [ORDER] puts the cells of some quads,
! which stand in a random order, and their nodes into one, and says how far apart the nodes of a cell
! are numbered.
program order_mesh
  use tesselab
  implicit none
  integer, parameter :: nx = 60, ny = 40
  integer(c_int32_t) :: cell_nodes(4, nx*ny)
  real(c_double) :: coordinates(2, (nx + 1)*(ny + 1))
  integer(c_int32_t), pointer :: old_cell(:), new_node(:)
  type(c_ptr) :: mesh = c_null_ptr, renumbering = c_null_ptr
  character(len=32) :: order = 'levels'
  integer :: i

  if (command_argument_count() > 0) call get_command_argument(1, order)
  call make_arrays()
  call check(tess_mesh_new('my program'//c_null_char, 2, mesh))
  call check(tess_mesh_add_set(mesh, 'nodes'//c_null_char, size(coordinates, 2, c_int64_t), i))
  call check(tess_mesh_add_set(mesh, 'cells'//c_null_char, size(cell_nodes, 2, c_int64_t), i))
  call check(tess_mesh_put_coordinates(mesh, coordinates))
  call check(tess_mesh_put_map(mesh, 'cells'//c_null_char, 'nodes'//c_null_char, 4, cell_nodes - 1))
  call check(tess_order_renumber(mesh, trim(order)//c_null_char, renumbering))
  old_cell => tess_integers(tess_renumbering_new_to_old(renumbering, mesh, 'cells'//c_null_char), &
                            size(cell_nodes, 2, c_int64_t))
  new_node => tess_integers(tess_renumbering_old_to_new(renumbering, mesh, 'nodes'//c_null_char), &
                            size(coordinates, 2, c_int64_t))

  print '(a, i0)', 'most between two nodes of a cell, before: ', reach(cell_nodes)
  cell_nodes = cell_nodes(:, old_cell + 1)            ! the cells in their new order,
  do i = 1, size(cell_nodes, 2)
    cell_nodes(:, i) = new_node(cell_nodes(:, i)) + 1 ! with the new numbers of their nodes
  end do
  print '(a, i0)', 'after: ', reach(cell_nodes)
  call tess_renumbering_free(renumbering)
  call tess_mesh_free(mesh)

contains

  integer function reach(nodes)
    integer(c_int32_t), intent(in) :: nodes(:, :)
    reach = maxval(maxval(nodes, 1) - minval(nodes, 1))
  end function

  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status /= 0) error stop tess_message()
  end subroutine

  ! Node i of the square has the number 1 + mod(i*step, n): far from those beside it.
  subroutine make_arrays()
    integer, parameter :: n = (nx + 1)*(ny + 1), step = 1009
    integer :: x, y, cell, number(0:nx, 0:ny)
    do y = 0, ny
      do x = 0, nx
        number(x, y) = 1 + mod((y*(nx + 1) + x)*step, n)
        coordinates(:, number(x, y)) = [real(x, c_double), real(y, c_double)]
      end do
    end do
    do cell = 0, nx*ny - 1
      x = mod(mod(cell*7, nx*ny), nx)
      y = mod(cell*7, nx*ny)/nx
      cell_nodes(:, cell + 1) = [number(x, y), number(x + 1, y), number(x + 1, y + 1), number(x, y + 1)]
    end do
  end subroutine
end program
