! Files, groups, datasets, attributes, selections, types and property lists.
program alone
  use hdf5
  implicit none
  integer(hid_t) :: file, space, set, memory, slab, group, attribute, list, type, chunked, scalar
  integer(hsize_t) :: dims(2), most(2), chunk(2), first(2), last(2), block(16)
  integer(hssize_t) :: number
  integer(size_t) :: length
  integer :: e, i, members, kind, version(3), order, class, links
  real(8) :: x(4, 3), y(4, 3), part(2, 2), frame(0:5, 0:4)
  integer :: flags(6), one
  logical :: answer
  character(24) :: name
  character(5) :: words(2), back(2)

  call h5open_f(e)
  call h5get_libversion_f(version(1), version(2), version(3), e)
  print '(l1)', version(1) > 1 .or. version(2) >= 10
  x = reshape([(real(i, 8), i=1, 12)], [4, 3])
  dims = [4, 3]
  call h5fcreate_f('alone.h5   ', H5F_ACC_TRUNC_F, file, e)
  call h5screate_simple_f(2, dims, space, e)
  call h5dcreate_f(file, 'x', H5T_NATIVE_DOUBLE, space, set, e)
  call h5dwrite_f(set, H5T_NATIVE_DOUBLE, x, dims, e)
  print '(a, i3)', 'written', e

  ! All, a section with gaps, and a part of the file.
  call h5dread_f(set, H5T_NATIVE_DOUBLE, y, dims, e)
  print '(l1)', all(x == y)
  frame = -1
  call h5dread_f(set, H5T_NATIVE_DOUBLE, frame(1:4, 1:3), dims, e)
  print '(6f4.0)', frame
  call h5sselect_hyperslab_f(space, H5S_SELECT_SET_F, [1_hsize_t, 0_hsize_t], [2_hsize_t, 2_hsize_t], e, &
                             stride=[1_hsize_t, 2_hsize_t])
  call h5screate_simple_f(2, [2_hsize_t, 2_hsize_t], memory, e)
  call h5dread_f(set, H5T_NATIVE_DOUBLE, part, dims, e, mem_space_id=memory, file_space_id=space)
  print '(4f4.0)', part
  call h5sget_select_npoints_f(space, number, e)
  call h5sget_select_bounds_f(space, first, last, e)
  print '(5i3)', number, first, last
  call h5sget_select_hyper_nblocks_f(space, number, e)
  call h5sget_select_hyper_blocklist_f(space, 0_hsize_t, number, block, e)
  print '(17i3)', number, block
  call h5sselect_elements_f(space, H5S_SELECT_SET_F, 2, 3_size_t, &
                            reshape([1_hsize_t, 1_hsize_t, 4_hsize_t, 2_hsize_t, 2_hsize_t, 3_hsize_t], [2, 3]), e)
  call h5screate_simple_f(1, [3_hsize_t], slab, e)
  call h5dread_f(set, H5T_NATIVE_DOUBLE, y(:, 1), dims, e, mem_space_id=slab, file_space_id=space)
  print '(3f4.0)', y(:3, 1)
  call h5sget_simple_extent_dims_f(space, first, most, e)
  print '(5i3)', e, first, most

  ! Chunks that are compressed and grow.
  call h5pcreate_f(H5P_DATASET_CREATE_F, list, e)
  call h5pset_chunk_f(list, 2, [2_hsize_t, 3_hsize_t], e)
  call h5pset_deflate_f(list, 6, e)
  call h5pset_fill_value_f(list, H5T_NATIVE_INTEGER, 7, e)
  call h5pget_chunk_f(list, 2, chunk, e)
  print '(3i3)', e, chunk
  call h5screate_simple_f(2, [2_hsize_t, 3_hsize_t], slab, e, [H5S_UNLIMITED_F, 3_hsize_t])
  call h5gcreate_f(file, '/group', group, e)
  call h5dcreate_f(group, 'grows', H5T_STD_I16LE, slab, chunked, e, list)
  call h5dset_extent_f(chunked, [4_hsize_t, 3_hsize_t], e)
  call h5dget_space_f(chunked, slab, e)
  call h5sget_simple_extent_dims_f(slab, first, most, e)
  print '(5i3)', e, first, most
  call h5dread_f(chunked, H5T_NATIVE_INTEGER, flags(1:2), dims, e, mem_space_id=memory, file_space_id=slab)
  print '(a, i3)', 'sizes differ', e
  call h5dget_type_f(chunked, type, e)
  call h5tget_size_f(type, length, e)
  call h5tget_order_f(type, order, e)
  call h5tequal_f(type, H5T_STD_I16LE, answer, e)
  print '(2i3, l2)', length, order, answer

  ! Attributes, texts.
  call h5screate_f(H5S_SCALAR_F, scalar, e)
  call h5acreate_f(set, 'count', H5T_NATIVE_INTEGER, scalar, attribute, e)
  call h5awrite_f(attribute, H5T_NATIVE_INTEGER, 42, dims, e)
  call h5aread_f(attribute, H5T_NATIVE_INTEGER, one, dims, e)
  call h5aget_name_f(attribute, 24_size_t, name, e)
  print '(i3, 1x, a, i3)', one, trim(name), e
  call h5aclose_f(attribute, e)
  words = ['one  ', 'three']
  call h5tcopy_f(H5T_FORTRAN_S1, type, e)
  call h5tset_size_f(type, 5_size_t, e)
  call h5screate_simple_f(1, [2_hsize_t], slab, e)
  call h5acreate_f(set, 'words', type, slab, attribute, e)
  call h5awrite_f(attribute, type, words, dims, e)
  back = '?'
  call h5aread_f(attribute, type, back, dims, e)
  print '(3a)', back(1), '|', back(2)
  call h5aclose_f(attribute, e)
  call h5aget_num_attrs_f(set, members, e)
  call h5aexists_f(set, 'none', answer, e)
  print '(i3, l2)', members, answer

  ! Names and links.
  call h5gn_members_f(file, '/', members, e)
  call h5gget_obj_info_idx_f(file, '/', 0, name, kind, e)
  print '(i3, 1x, a, i3)', members, trim(name), kind
  call h5gget_info_f(group, kind, links, order, e)
  print '(2i3)', links, order
  call h5iget_name_f(chunked, name, 24_size_t, length, e)
  print '(a, i3)', trim(name), length
  call h5lcreate_soft_f('/group/grows', file, 'link', e)
  call h5lexists_f(file, 'link', answer, e)
  print '(l1, i3)', answer, e
  call h5ldelete_f(file, 'link', e)
  call h5lexists_f(file, 'link', answer, e)
  print '(l1, i3)', answer, e

  ! A compound, an array, an enumeration.
  call h5tcreate_f(H5T_COMPOUND_F, 12_size_t, type, e)
  call h5tinsert_f(type, 'first', 0_size_t, H5T_NATIVE_INTEGER, e)
  call h5tinsert_f(type, 'second', 4_size_t, H5T_NATIVE_DOUBLE, e)
  call h5tget_nmembers_f(type, members, e)
  call h5tget_member_name_f(type, 1, name, i, e)
  call h5tget_member_class_f(type, 1, class, e)
  print '(i3, 1x, a, i3, l2)', members, name(:i), i, class == H5T_FLOAT_F
  call h5tarray_create_f(H5T_NATIVE_INTEGER, 2, [5_hsize_t, 6_hsize_t], type, e)
  call h5tget_array_dims_f(type, first, e)
  print '(2i3)', first
  call h5tenum_create_f(H5T_NATIVE_INTEGER, type, e)
  call h5tenum_insert_f(type, 'red', 3, e)
  call h5tenum_valueof_f(type, 'red', one, e)
  call h5tenum_nameof_f(type, 3, 24_size_t, name, e)
  print '(i3, 1x, a)', one, trim(name)

  ! What fails says so.
  call h5eset_auto_f(0, e)
  call h5dopen_f(file, 'none', set, e)
  print '(i3)', e
  call h5eprint_f(e, 'errors.txt')
  open (10, file='errors.txt')
  read (10, '(a)') name
  close (10, status='delete')
  print '(i3, 1x, a)', e, name(:10)
  call h5tget_offset_f(H5T_NATIVE_INTEGER, length, e)
  print '(2i3)', length, e
  call h5fclose_f(file, e)
  call h5fopen_f('no_such.h5', H5F_ACC_RDONLY_F, file, e)
  print '(i3)', e
  call h5fis_hdf5_f('alone.h5', answer, e)
  print '(l1, i3)', answer, e
  call h5close_f(e)
  print '(i3)', e
end program
