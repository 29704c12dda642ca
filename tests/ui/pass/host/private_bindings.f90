! A type-bound procedure of an extension replaces one of its name that is private to another module, too, as in nvfortran and
! gfortran (Fortran 2018, 7.5.7.3 has it for accessible ones only). PRIVATE behind CONTAINS is that of the procedures.
module animals
  implicit none
  private
  type, public :: animal
    integer :: n = 1
  contains
    procedure, private :: init => init_animal
    procedure, private :: secret => secret_of_animal
    procedure :: prepare
    procedure :: tell
    generic :: sum_of => secret
  end type
  type, extends(animal), public :: bird
  contains
    procedure, private :: secret => secret_of_bird
  end type
  interface
    module subroutine show_fish()
    end subroutine
  end interface
  public :: show_fish
contains
  subroutine init_animal(self)
    class(animal), intent(inout) :: self
    self%n = 10
  end subroutine
  integer function secret_of_animal(self, k)
    class(animal), intent(in) :: self
    integer, intent(in) :: k
    secret_of_animal = 100 + k
  end function
  integer function secret_of_bird(self, k)
    class(bird), intent(in) :: self
    integer, intent(in) :: k
    secret_of_bird = 200 + k
  end function
  subroutine prepare(self)
    class(animal), intent(inout) :: self
    call self%init()
  end subroutine
  integer function tell(self)
    class(animal), intent(in) :: self
    tell = self%secret(self%n)
  end function
end module

submodule (animals) fish_of_animals
  type, extends(animal) :: fish
  contains
    procedure :: secret => secret_of_fish
  end type
contains
  module procedure show_fish
    type(fish) :: f
    print '(2i5)', f%tell(), f%sum_of(1)
  end procedure
  integer function secret_of_fish(self, k)
    class(fish), intent(in) :: self
    integer, intent(in) :: k
    secret_of_fish = 600 + k
  end function
end submodule

module shapes
  implicit none
  private
  type, abstract, public :: shape
  contains
    private
    procedure :: name => name_of_shape
    procedure, public :: run
  end type
contains
  subroutine name_of_shape(self)
    class(shape), intent(in) :: self
    print '(a)', 'shape'
  end subroutine
  subroutine run(self)
    class(shape), intent(in) :: self
    call self%name()
  end subroutine
end module

module squares
  use shapes
  implicit none
  type, extends(shape) :: square
  contains
    procedure :: name => name_of_square
  end type
contains
  subroutine name_of_square(self)
    class(square), intent(in) :: self
    print '(a)', 'square'
  end subroutine
end module

module pets
  use animals
  implicit none
  type, extends(animal) :: dog
    real :: weight = 0
  contains
    procedure :: secret => secret_of_dog
  end type
  type, extends(dog) :: puppy
  contains
    procedure :: secret => secret_of_puppy
  end type
  type, extends(bird) :: parrot
  contains
    procedure :: secret => secret_of_parrot
  end type
contains
  integer function secret_of_dog(self, k)
    class(dog), intent(in) :: self
    integer, intent(in) :: k
    secret_of_dog = 300 + k
  end function
  integer function secret_of_puppy(self, k)
    class(puppy), intent(in) :: self
    integer, intent(in) :: k
    secret_of_puppy = 400 + k
  end function
  integer function secret_of_parrot(self, k)
    class(parrot), intent(in) :: self
    integer, intent(in) :: k
    secret_of_parrot = 500 + k
  end function
end module

program main
  use pets
  use squares
  implicit none
  class(animal), allocatable :: a
  class(dog), allocatable :: d
  type(parrot) :: p
  type(square) :: s
  type(dog) :: own
  own%weight = 2.5
  call own%prepare()
  print '(i4,f5.1,3i5)', own%n, own%weight, own%tell(), own%secret(1), own%sum_of(2)
  allocate (puppy :: d)
  print '(4i5)', d%tell(), d%secret(1), d%sum_of(2)
  a = d
  print '(2i5)', a%tell(), a%sum_of(3)
  a = bird()
  print '(2i5)', a%tell(), a%sum_of(3)
  print '(3i5)', p%tell(), p%secret(1), p%sum_of(2)
  call show_fish()
  call s%run()
  call s%name()
end program
