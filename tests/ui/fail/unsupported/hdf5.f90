! Routines of module hdf5 that are lacking are refused by name, where execution reaches them.
program p
  use hdf5
  integer :: e
  integer(hid_t) :: list
  print *, h5p_default_f, hsize_t
  call h5literate_f(list, h5_index_name_f, h5_iter_inc_f, e, e, e, e, e)    !~ W0901, R0901
end program
