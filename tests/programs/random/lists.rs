//! Lists of nodes behind pointers, whose items have any type, and class pointers.

use super::expr::Expr;
use super::names::Ty;
use super::program::Gen;

/// The types of the list.
const TYPES: &str = "\
type node
class(*), allocatable :: item
type(node), pointer :: next => null()
type(node), pointer :: before => null()
end type
type chain
type(node), pointer :: first => null(), last => null()
integer :: count = 0
contains
procedure :: push
procedure :: append
procedure :: turn
procedure :: remove
procedure :: at
procedure :: show => show_chain
end type";

/// Their procedures.
const PROCEDURES: &str = "\
subroutine push(self, item)
class(chain), intent(inout) :: self
class(*), intent(in) :: item
type(node), pointer :: new
allocate(new)
allocate(new%item, source=item)
new%next => self%first
if (associated(self%first)) then
self%first%before => new
else
self%last => new
end if
self%first => new
self%count = self%count + 1
end subroutine
subroutine append(self, item)
class(chain), intent(inout) :: self
class(*), intent(in) :: item
type(node), pointer :: new
if (.not. associated(self%last)) then
call self%push(item)
return
end if
allocate(new)
allocate(new%item, source=item)
new%before => self%last
self%last%next => new
self%last => new
self%count = self%count + 1
end subroutine
subroutine turn(self)
class(chain), intent(inout) :: self
type(node), pointer :: p, q
p => self%first
do while (associated(p))
q => p%next
p%next => p%before
p%before => q
p => q
end do
p => self%first
self%first => self%last
self%last => p
end subroutine
function at(self, k) result(p)
class(chain), intent(in) :: self
integer, intent(in) :: k
type(node), pointer :: p
integer :: n
p => self%first
do n = 1, modulo(k, max(1, self%count))
p => p%next
end do
end function
subroutine remove(self, k)
class(chain), intent(inout) :: self
integer, intent(in) :: k
type(node), pointer :: p
p => self%at(k)
if (.not. associated(p)) return
if (associated(p%before)) then
p%before%next => p%next
else
self%first => p%next
end if
if (associated(p%next)) then
p%next%before => p%before
else
self%last => p%before
end if
deallocate(p)
self%count = self%count - 1
end subroutine
subroutine set_item(p, item)
type(node), pointer, intent(in) :: p
class(*), intent(in) :: item
deallocate(p%item)
allocate(p%item, source=item)
end subroutine
subroutine describe(item, k)
class(*), intent(in) :: item
integer, intent(in) :: k
select type (item)
type is (integer(4))
write(*,'(a,1x,i0)') 'i4', item
type is (integer(8))
write(*,'(a,1x,i0)') 'i8', item
type is (real(4))
write(*,'(a,1x,f12.4)') 'r4', item+0
type is (real(8))
write(*,'(a,1x,f12.4)') 'r8', item+0
type is (complex(8))
write(*,'(a,1x,2f12.4)') 'c8', item
type is (logical)
write(*,'(a,1x,l1)') 'l', item
type is (character(*))
write(*,'(a,1x,i0,3a)') 'c', len(item), '[', item, ']'
class is (base)
write(*,'(a,1x,i0,l2)') 'o', item%get(k), same_type_as(item, item)
class default
write(*,'(a)') '?'
end select
end subroutine
subroutine show_chain(self)
class(chain), intent(in) :: self
type(node), pointer :: p
integer :: n
n = 0
p => self%first
do
if (.not. associated(p)) exit
n = n + 1
call describe(p%item, n)
p => p%next
end do
write(*,'(a,2(1x,i0))') 'n', n, self%count
end subroutine";

impl Gen {
    /// Declares the types of lists.
    pub(super) fn list_types(&mut self) {
        self.unit.declarations.extend(TYPES.lines().map(str::to_owned));
    }

    pub(super) fn list_procedures(&mut self) -> Vec<String> {
        PROCEDURES.lines().map(str::to_owned).collect()
    }

    /// Declares the lists and class pointers of the main program.
    pub(super) fn list_variables(&mut self) {
        let declared = ["type(chain), target :: ch, ci", "class(chain), pointer :: cq", "class(base), pointer :: cp"];
        self.unit.declarations.extend(declared.map(str::to_owned));
        self.line("cq => ch");
        self.line("cp => oe");
    }

    /// A value of any type as an item.
    fn item(&mut self) -> String {
        let ty = *self.pick(&[
            Ty::Integer(4),
            Ty::Integer(8),
            Ty::Integer(1),
            Ty::Real(4),
            Ty::Real(8),
            Ty::Complex(8),
            Ty::Logical,
            Ty::Character(3),
        ]);
        match ty {
            _ if !self.has_allocatable_components && self.one_in(4) => {
                let number = self.below(2) as usize;
                self.object(number)
            }
            Ty::Integer(4) => self.stored(ty, &[], 2).text,
            Ty::Integer(kind) => format!("int({},{kind})", self.stored(ty, &[], 1).text),
            ty => self.stored(ty, &[], 2).text,
        }
    }

    /// A statement of the main program about lists and class pointers.
    pub(super) fn list_statement(&mut self) {
        if !self.is_in_main() {
            return;
        }
        let list = *self.pick(&["ch", "ch", "ci", "cq"]);
        let number = self.stored(Ty::Integer(4), &[], 1).text;
        match self.below(14) {
            0..=2 => {
                let (method, item) = (*self.pick(&["push", "append"]), self.item());
                self.line(format!("call {list}%{method}({item})"));
            }
            3 => self.line(format!("call {list}%turn()")),
            4 => self.line(format!("call {list}%remove({number})")),
            5 => self.line(format!("call {list}%show()")),
            6 => {
                let item = self.item();
                self.line(format!("if ({list}%count > 0) call set_item({list}%at({number}), {item})"));
            }
            7 => {
                let to = *self.pick(&["cq => ch", "cq => ci", "allocate(cq)"]);
                self.line(to);
            }
            8 | 9 => {
                let at = self.list_subscript();
                let to =
                    (*self.pick(&["cp => ob", "cp => oe", "cp => of", "cp => la(@)", "cp => le(@)", "cp => oe%base"]))
                        .replace('@', &at);
                self.line(to);
                // gfortran 12 takes objects without bytes as associated.
                let answers =
                    "associated(cp, ob) .and. storage_size(ob) > 0, associated(cp, oe) .and. storage_size(oe) > 0";
                self.line(format!("write(*,'(3l2)') {answers}, extends_type_of(cp, oe)"));
            }
            10 if !self.has_allocatable_components => {
                let of = self.below(2) as usize;
                let value = self.object(of);
                self.line(format!("allocate(cp, source={value})"));
            }
            11 => {
                let method = *self.pick(&["get", "twice", "twice_sum"]);
                self.show(Ty::Integer(4), &Expr::other(format!("cp%{method}({number})")));
            }
            // gfortran 12 frees the components of an object in parentheses.
            12 if !self.has_allocatable_components => self.line("call cp%change((of))"),
            12 => self.line("call cp%bump(3)"),
            _ => {
                self.line("select type (cp)");
                self.line("type is (base)");
                self.line(format!("write(*,'(a,i0)') 'base ', cp%get({number})"));
                self.line("class is (ext)");
                self.line(format!("write(*,'(a,i0)') 'ext ', cp%base%get({number})"));
                self.line("end select");
            }
        }
    }
}
