module iso_c_binding
  implicit none
  integer, parameter :: c_int = 4, c_float = 4, c_double = 8, c_size_t = 8, c_char = 1, c_long = 8
  type, bind(c) :: c_ptr
    integer(8) :: address = 0
  end type
  type(c_ptr), parameter :: c_null_ptr = c_ptr(0)
end module

module iso_fortran_env
  implicit none
  integer, parameter :: int32 = 4, int64 = 8, real32 = 4, real64 = 8, output_unit = 6, error_unit = 0
end module

module cudafor
  use iso_c_binding
  implicit none
  integer, parameter :: cuda_stream_kind = 8, cuda_count_kind = 8
  integer, parameter :: cudasuccess = 0, cudamemcpyhosttodevice = 1, cudamemcpydevicetohost = 2
  type :: dim3
    integer :: x = 1, y = 1, z = 1
  end type
  type :: c_devptr
    integer(8) :: address = 0
  end type
  type :: cudaevent
    integer(8) :: handle = 0
  end type
  type :: cudadeviceprop
    character(len=256) :: name
    integer(8) :: totalglobalmem
    integer :: warpsize, multiprocessorcount, maxthreadsdim(3)
  end type
  interface
    integer function cudadevicesynchronize() bind(c, name='rt:cuda.device.synchronize')
    end function
    integer function cudagetlasterror() bind(c, name='rt:cuda.error.last')
    end function
    integer function cudaeventcreate(event) bind(c, name='rt:cuda.event.create')
      import :: cudaevent
      type(cudaevent) :: event
    end function
    integer function cudaeventrecord(event, stream) bind(c, name='rt:cuda.event.record')
      import :: cudaevent
      type(cudaevent) :: event
      integer(8), value :: stream
    end function
    integer function cudamemcpy_bytes(dst, src, count, kind) bind(c, name='rt:cuda.memcpy')
      type(*), dimension(..) :: dst, src
      integer(8), value :: count
      integer, value, optional :: kind
    end function
    function cudageterrorstring(code) result(text) bind(c, name='rt:cuda.error.string')
      integer, value :: code
      character(len=128) :: text
    end function
  end interface
  interface cudamemcpy
    procedure cudamemcpy_bytes
  end interface
end module

module cudadevice
  implicit none
  interface
    attributes(device) real function rsqrtf(x) bind(c, name='rt:dev.rsqrtf')
      real, value :: x
    end function
  end interface
  interface rsqrt
    procedure rsqrtf
  end interface
end module
