! apply new.txt cells < data > moved: data of the old elements, a number a line, in the new order.
program apply
  implicit none
  character(len=256) :: path, set, name
  integer :: n, status
  integer, allocatable :: old(:)
  double precision, allocatable :: data(:)
  call get_command_argument(1, path)
  call get_command_argument(2, set)
  open(10, file=path, status='old')
  do
    read(10, *, iostat=status) name, n
    if (status /= 0) exit
    allocate(old(n), data(n))
    read(10, *) old
    if (name == trim(set) // '.new_to_old') then
      read(*, *) data
      print '(es24.16)', data(old + 1) ! files count from 0
    end if
    deallocate(old, data)
  end do
end program apply
