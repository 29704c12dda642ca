//! Table: every diagnostic code.
//!
//! A row is `id Severity Name "title";`. The title names the fault in a few words, for `--explain` and SARIF. A code has
//! one severity: what is an error in one case and a warning in another has two codes.
//!
//! To add a code:
//! 1. Add a row to its family, with the next free number. Never reuse a number that was published.
//! 2. Add a section `## ID` to the file of the family in `explain/` (`explain/E05.md` for `E05…`). It says what is wrong,
//!    why, and what to write instead. Where an example helps, add a block ```` ```fortran wrong ```` and one
//!    ```` ```fortran right ````.
//! 3. Raise it as `Diagnostic::new(Code::Name, span, "the sentence for this case")`, and add a test that mentions its
//!    id: `tests/ui/…/*.cuf` or a golden in the crate. `tests/tidy.rs` checks that there is one.
//!
//! Families: E01 source form, preprocessor and syntax; E02 names and scopes; E03 types, kinds, ranks and expressions;
//! E04 procedure references; E05 CUDA Fortran rules (the last two digits are the number of the rule); E06 constants; E09
//! unsupported features. W codes are warnings of the same family. R codes are findings at run time: R01 races, R02
//! memory, R03 uninitialised values, R04 synchronisation, R05 leaks, R06 arithmetic, R07 launches and API calls, R08 host
//! run time, R09 unsupported features reached, R10 emulator and GPU compared, R11 MPI.

crate::code::codes! {
    E0101 Error UnterminatedLiteral "character literal without its closing quote";
    E0102 Error UnterminatedBlock "block or program unit without its end statement";
    E0103 Error UnexpectedEnd "end statement that closes nothing";
    E0104 Error NestingTooDeep "statements or expressions nested too deeply";
    E0105 Error UnknownStatement "line that is not a Fortran statement";
    E0106 Error UnbalancedParentheses "parentheses or brackets that do not match";
    E0107 Error IncludeNotFound "include file not found";
    E0108 Error BadContinuation "continuation line without a line to continue";
    E0109 Error BinaryFile "file that is not text";
    E0110 Error BadCharacter "character that has no meaning in Fortran";
    E0111 Error SyntaxError "syntax error in a statement";
    E0112 Error BadLabel "statement label out of range or without a statement";
    E0113 Error UndefinedLabel "reference to a label that does not exist";
    E0114 Error DuplicateLabel "label of two statements in one program unit";
    E0115 Error StatementOutOfPlace "statement out of order";
    E0116 Error EndNameMismatch "name after `end` that differs from the opening name";
    E0117 Error BadNumber "malformed numeric literal";
    E0118 Error BadFormat "malformed format specification";
    E0119 Error BadPreprocessorLine "unknown preprocessor line";
    E0120 Error UnbalancedConditional "unbalanced preprocessor conditional";
    E0121 Error ErrorDirective "`#error` reached";
    E0122 Error BadMacroCall "macro call with wrong arguments or endless expansion";
    E0123 Error IncludeTooDeep "include files nested too deeply";
    E0124 Error BadDirective "malformed directive";
    E0125 Error BadFixedFormColumn "text in the label field of a fixed-form line";
    E0126 Error BranchWithoutBlock "`else`, `case` or `contains` outside its block";
    E0127 Error UnreadablePtx "file that is not PTX";

    W0101 Warning TextBeyondColumn72 "text beyond column 72 of a fixed-form line is ignored";
    W0102 Warning WarningDirective "`#warning` reached";
    W0103 Warning MacroRedefined "macro redefined with a different text";
    W0104 Warning DirectiveWithoutLoop "`!$cuf kernel do` without a loop";
    W0105 Warning LateDeclaration "declaration after an assignment of a structure";
    W0106 Warning FormOfCompilers "form that compilers take and the standard does not have";
    W0107 Warning UsedBeforeDeclared "name that is used before its declaration";
    W0108 Warning BranchIntoConstruct "branch into a construct";
    W0111 Warning MissingComma "comma that is missing in a list";
    W0118 Warning UnreadableFormat "format that cannot be read";

    E0201 Error UndeclaredName "undeclared name under `implicit none`";
    E0202 Error UnknownProcedure "procedure that nothing defines";
    E0203 Error UnknownType "unknown derived type";
    E0204 Error UnknownComponent "unknown component of a derived type";
    E0205 Error DuplicateDeclaration "name declared twice in one scope";
    E0206 Error ModuleNotFound "module that no file defines";
    E0207 Error NotInModule "name that the module does not have";
    E0208 Error PrivateName "name that its module keeps private";
    E0209 Error AmbiguousName "name that two modules define differently";
    E0210 Error CircularUse "modules that use each other";
    E0211 Error BadRename "rename or `only` list that contradicts itself";
    E0212 Error DuplicateUnit "two program units with the same name";
    E0213 Error NoMainProgram "no main program in the given files";
    E0214 Error SeveralMainPrograms "more than one main program";
    E0215 Error UnknownConstruct "construct name that no enclosing construct has";
    E0216 Error ExitOutsideLoop "`exit` or `cycle` outside a loop or construct";
    E0217 Error BadAccessStatement "misplaced `public` or `private`";
    E0218 Error WrongKindOfName "name used as a different kind of entity";
    E0219 Error AttributeConflict "attributes that exclude each other";
    E0220 Error ConflictingDeclaration "declaration that contradicts an earlier one";
    E0221 Error BadCommon "common block that cannot be laid out";
    E0222 Error BadEquivalence "equivalence that cannot be laid out";
    E0223 Error BadNamelist "namelist group with an item that it cannot contain";
    E0224 Error BadImplicit "implicit statement that contradicts itself or comes too late";
    E0225 Error BadImport "import of a name that the enclosing scope does not have";
    E0226 Error BadSubmodule "submodule or separate procedure without its counterpart";
    E0227 Error UnknownOperator "unknown defined operator";
    E0228 Error PrivateComponent "component or type-bound procedure that its module keeps private";
    E0229 Error UnitNameReused "name of a program unit declared again inside it";
    E0230 Error BindingLabelReused "binding label of two procedures or variables";

    W0201 Warning CallWithoutParentheses "function called without parentheses";
    W0202 Warning RuntimeWithoutUse "routine of CUDA's runtime without `use cudafor`";
    W0205 Warning TypeGivenAgain "name given its type a second time";
    W0219 Warning ContiguousWithoutEffect "`contiguous` on an array that is contiguous in any case";
    W0229 Warning ProcedureNamedAsUnit "procedure, or name of a module, that is also the name of the program unit";
    W0231 Warning DataHidesHost "`data` for the name of a variable of the host, which makes another variable";

    E0301 Error TypeMismatch "value of a type that is not allowed here";
    E0302 Error UnsupportedKind "kind that the type does not have";
    E0303 Error RankMismatch "arrays of different rank";
    E0304 Error ShapeMismatch "arrays of different shape";
    E0305 Error ScalarRequired "array where a scalar is required";
    E0306 Error ConstantRequired "value that is not known at compile time";
    E0307 Error IntegerRequired "integer required";
    E0308 Error LogicalRequired "logical required";
    E0309 Error SubscriptCount "wrong number of subscripts";
    E0310 Error NotAnArray "subscripts on something that is not an array";
    E0311 Error NotDefinable "assignment to something that cannot change";
    E0312 Error NotAllocatable "allocatable or pointer required";
    E0313 Error BadPointerAssignment "invalid pointer assignment";
    E0314 Error NotADerivedType "component of something that has no components";
    E0315 Error BadStructureConstructor "structure constructor that does not match its type";
    E0316 Error BadArrayConstructor "array constructor with elements of different types";
    E0317 Error BadCharacterLength "character length that is not allowed here";
    E0318 Error BadSpecificationExpression "bound or length that has no value on entry";
    E0319 Error BadDoVariable "loop variable of the wrong type, or changed in its loop";
    E0320 Error BadCase "`case` that overlaps another or has the wrong type";
    E0321 Error BadInitialisation "initial value that does not fit its variable";
    E0322 Error NoSuchOperation "operator that is not defined for these types";
    E0323 Error BadSubstring "substring of something that is not a character scalar";
    E0324 Error BadBounds "array bounds that are incomplete or not allowed here";
    E0325 Error BadPolymorphism "misuse of `class`, `select type` or an abstract type";
    E0326 Error BadIoItem "item that cannot be read or written";
    E0327 Error BadIoSpecifier "input/output specifier that is unknown, repeated or missing";
    E0328 Error BadDummyAttribute "dummy-argument attribute on something that is not a dummy";
    E0329 Error ImpureReference "side effect where a pure procedure is required";
    E0330 Error BadMaskedAssignment "`where` or `forall` with a statement that cannot be masked";
    E0331 Error BadImpliedDo "malformed implied do loop";
    E0332 Error BadVectorSubscript "vector subscript that is not allowed here";
    E0333 Error PureDummyIntent "argument of a pure procedure without the intent that it needs";
    E0334 Error SameObjectTwice "object allocated or deallocated twice in one statement";
    E0335 Error ElementalNotScalar "elemental procedure with an argument or a result that is not scalar";
    E0336 Error AssumedRankUse "assumed-rank argument used without its rank";
    E0337 Error MisplacedNull "`null()` where nothing can be disassociated";
    E0338 Error BadDefinedTransfer "procedure that cannot transfer objects of its type";
    E0339 Error BadTypeParameter "type parameter that is not declared, given or used as its type requires";
    E0340 Error BadLocality "variable in several localities of `do concurrent`, or in none where all must be listed";

    W0301 Warning ConstantSubscriptOutOfBounds "constant subscript outside the declared bounds";
    W0302 Warning ValueTruncated "constant that loses its value in the assignment";
    W0303 Warning EmptyLoop "loop that never runs";
    W0304 Warning RealLoopBound "real loop bound or step";
    W0305 Warning LogicalComparison "comparison of logical values with `==` or `/=`";
    W0306 Warning HalfOpenDescent "section with a negative stride and a bound that is left out";
    W0307 Warning RealSubscript "real subscript";
    W0311 Warning InputValueChanged "assignment to an `intent(in)` argument with `value`";
    W0312 Warning DeallocatedElement "subscripts in `deallocate`";
    W0313 Warning ManagedPointerFromHost "pointer to managed data that gets what another pointer points to";
    W0314 Warning DimensionsFromInteger "integer assigned to a `type(dim3)`";
    W0318 Warning AutomaticInMain "object of the main program whose bounds or length are not constant";
    W0327 Warning AdvanceWithoutFormat "`advance=` in list-directed input or output";
    W0328 Warning IntentWithoutDummy "`intent` on something that is not a dummy";
    W0329 Warning PureSideEffect "side effect of a pure procedure";
    W0330 Warning BoundWithoutValue "last bound of an argument that is a local variable";
    W0331 Warning LogicalCase "integer `case` of a logical selector";
    W0332 Warning ValueGivenBack "`value` with an intent that gives a value back";
    W0333 Warning HollerithAsNumber "Hollerith or character constant as a number or a logical value";
    W0334 Warning MisplacedBoz "binary, octal or hexadecimal constant outside `data` and conversions";
    W0335 Warning UnequalLengths "characters of different lengths in an array constructor without a type";
    W0336 Warning LogicalOfInteger "logical operator with an integer";

    E0401 Error ArgumentCount "too many arguments, or a missing one";
    E0402 Error ArgumentType "argument whose type differs from that of its dummy";
    E0403 Error ArgumentRank "argument whose rank does not fit its dummy";
    E0404 Error UnknownKeyword "argument keyword that the procedure does not have";
    E0405 Error ExplicitInterfaceRequired "call that needs an explicit interface";
    E0406 Error NotASubroutine "`call` of something that is not a subroutine";
    E0407 Error NotAFunction "function reference to something that is not a function";
    E0408 Error NoMatchingSpecific "generic name without a specific procedure for these arguments";
    E0409 Error AmbiguousGeneric "generic name with specific procedures that cannot be told apart";
    E0410 Error DuplicateArgument "argument given twice, or by position after a keyword";
    E0411 Error ArgumentNotDefinable "argument that the procedure changes but that cannot change";
    E0412 Error BadIntrinsicArgument "invalid argument of an intrinsic procedure";
    E0413 Error BadProcedureArgument "procedure argument that does not match its dummy";
    E0414 Error ElementalShapes "arguments of an elemental procedure with different shapes";
    E0415 Error ArgumentAttribute "argument without an attribute that its dummy requires";
    E0416 Error InterfaceMismatch "interface that disagrees with the procedure itself";
    E0417 Error BadResult "missing or malformed function result";
    E0418 Error BadTypeBoundProcedure "type-bound procedure that does not match its type";
    E0419 Error TooFewElements "argument with fewer elements than its dummy";
    E0420 Error NotInteroperable "`bind(c)` procedure, type or variable that C cannot describe";
    E0421 Error KernelParameters "kernel of CUDA C whose parameters are not those of its interface";
    E0422 Error BadOperation "procedure that cannot define an operator or an assignment";

    W0401 Warning RecursionNotDeclared "procedure that calls itself without `recursive`";
    W0402 Warning ImplicitArgumentType "argument of another type than its dummy, passed without an interface";
    W0403 Warning ImplicitArgumentRank "argument of another rank than its dummy, passed without an interface";
    W0404 Warning TypeDeclaredAgain "argument whose type is declared in another scope like that of its dummy";
    W0405 Warning KernelWithoutInterface "kernel launched without an explicit interface";
    W0411 Warning InputChanged "`intent(in)` argument, or a component of it, that a procedure changes";
    W0412 Warning AllocatedOfPointer "`allocated` of a pointer";
    W0416 Warning InterfaceShape "interface that describes arguments otherwise than the procedure, which takes memory";
    W0417 Warning InterfaceIntent "interface or inherited procedure with another `intent` than the procedure";
    W0418 Warning PointerToExtension "type-bound procedure that takes a pointer to an extension only";
    W0419 Warning ImplicitArgumentCount "missing argument, or too many, without an interface";
    W0420 Warning TypeNotBound "`bind(c)` procedure or variable with a type that C knows by its memory only";
    W0421 Warning TooFewCharacters "character argument that is shorter than its dummy";
    W0422 Warning OperandIntent "procedure of an operator or an assignment without the intents that it needs";

    E0501 Error GlobalFunction "`attributes(global)` on a function";
    E0502 Error KernelPrefix "kernel that is recursive, pure or elemental";
    E0503 Error ConflictingSubprogramAttributes "subprogram attributes that exclude each other";
    E0504 Error InternalDeviceProcedure "internal procedure in or of device code";
    E0505 Error BadLaunchBounds "`launch_bounds` or `cluster_dims` misused";
    E0506 Error DeviceRecursion "device procedure that calls itself without `recursive`";
    E0507 Error BadDeviceDummy "dummy argument or statement that device code cannot have";
    E0508 Error DeviceIntrinsicRedeclared "device intrinsic redeclared";
    E0510 Error TwoDataAttributes "more than one CUDA data attribute, or one on something that is not data";
    E0511 Error BadConstantData "invalid constant data";
    E0512 Error BadSharedData "invalid shared data";
    E0513 Error BadDeviceComponent "component with a CUDA attribute that it cannot have";
    E0515 Error BadPinnedData "invalid pinned data";
    E0516 Error BadUnifiedData "invalid unified or texture data";
    E0517 Error DeviceDataInCommon "device data in a common block or equivalence";
    E0518 Error SavedDeviceData "saved device data that is not allocatable";
    E0519 Error TypeNotOnDevice "type that device code does not have";
    E0521 Error DataAttributeMisplaced "CUDA data attribute on something that is not a variable";
    E0522 Error SharedBoundsVary "shared array whose bounds can differ between threads";
    E0523 Error ChevronsMismatch "kernel called without chevrons, or another procedure called with them";
    E0524 Error BadLaunchParameter "launch parameter of the wrong type";
    E0525 Error WrongSideCall "call from device code to host code, or from host code to device code";
    E0526 Error NestedLaunch "cooperative kernel launched from device code";
    E0527 Error DeviceIntrinsicInHostLoop "barrier in a `!$cuf kernel do` loop without `use cudadevice`";
    E0528 Error ArgumentDataAttribute "argument in a kind of memory that its dummy does not accept";
    E0530 Error ValueDummyImplicitInterface "procedure with `value` dummies called without its interface";
    E0531 Error DiscontiguousDeviceArgument "device array section with gaps passed to an assumed-shape dummy";
    E0532 Error HostIntrinsicOnDeviceData "host intrinsic applied to device data";
    E0533 Error RedefinesIntrinsicOperation "definition of an operation that Fortran already defines";
    E0535 Error StatementNotInDeviceCode "statement that device code cannot contain";
    E0536 Error HostDataInDeviceCode "host data used in device code";
    E0537 Error NotDefinableInDeviceCode "assignment to data that device code cannot change";
    E0538 Error ReadOnlyBuiltin "assignment to a predefined variable";
    E0540 Error IntrinsicNotOnDevice "intrinsic that is not available in device code";
    E0541 Error SeveralDeviceObjects "more than one device object on the right-hand side";
    E0542 Error UnsupportedTransfer "assignment to device data that is not a copy";
    E0543 Error AssumedSizeTransfer "copy of an assumed-size device array";
    E0544 Error DeviceDataInHostCode "device data used in host code";
    E0545 Error DeviceDataInIo "device data in an input/output statement";
    E0546 Error BadAllocateOption "`pinned=` or `stream=` for an object that does not take it";
    E0547 Error BadComponentAllocation "component allocated on the wrong side";
    E0548 Error DeviceFeatureInHostCode "device feature used in host code";
    E0549 Error KernelDoNesting "`!$cuf kernel do` without the loops that it needs";
    E0550 Error KernelDoReduction "invalid reduction of `!$cuf kernel do`";
    E0551 Error StatementNotInKernelDo "statement that a `!$cuf kernel do` loop cannot contain";

    W0502 Warning PureKernel "kernel declared `pure`";
    W0503 Warning RepeatedSubprogramAttribute "subprogram attribute given twice";
    W0507 Warning DummyAttributeIgnored "data attribute without effect on a dummy of device code";
    W0509 Warning DeviceProcedureUndefined "device procedure that no given file defines";
    W0514 Warning ManagedConstant "named constant with a data attribute";
    W0515 Warning PinnedWithoutEffect "pinned data that is not allocatable";
    W0518 Warning SavedInDeviceCode "saved or initialised variable in device code";
    W0520 Warning PointerInDeviceCode "pointer declared or assigned in device code";
    W0529 Warning DeviceArgumentWithoutInterface "device data passed through an implicit interface";
    W0530 Warning ValueOnLocal "`value` on something that is not a dummy";
    W0531 Warning PossiblyDiscontiguousArgument "device data that may have gaps, passed to an assumed-shape dummy";
    W0534 Warning LaunchBeyondLimits "constant launch configuration beyond the limits of the device";
    W0535 Warning DeviceIo "input/output in device code beyond list-directed output";
    W0544 Warning StaleHostCopy "value of a device scalar used in host code";
    W0546 Warning PinnedOptionWithoutEffect "`pinned=` on an object that is not pinned";
    W0552 Warning ConditionalBarrier "`syncthreads` under a condition that differs between threads";
    W0553 Warning ComparedInKernelDo "variable that goes on from its own value, which the iterations of `!$cuf kernel do` do not share";
    W0554 Warning CopyCountInBytes "copy whose count looks like bytes, not elements";

    E0601 Error ConstantOverflow "constant expression that overflows";
    E0602 Error ConstantDivisionByZero "constant expression that divides by zero";
    E0603 Error ConstantDomain "constant argument outside the domain of the function";
    E0604 Error ConstantConversion "constant that does not fit the type it is converted to";
    E0605 Error ConstantTooLarge "constant array too large to be computed at compile time";
    E0606 Error ConstantShift "constant shift count out of range";
    E0607 Error ZeroStride "stride or loop step of zero";

    W0601 Warning ConstantFault "operation on constants that has no result";

    E0901 Error UnsupportedFeature "unsupported feature";

    W0901 Warning UnsupportedIfReached "unsupported feature; an error if execution reaches it";
    W0902 Warning UnsupportedModule "unsupported module";
    W0904 Warning ForeignKernel "kernel or device procedure written in CUDA C";
    W0905 Warning ForeignProcedure "procedure written in C that no given file or library defines";

    R0101 Error SharedRace "data race on shared memory between threads of a block";
    R0102 Error GlobalRace "data race on global memory between threads of a block";
    R0103 Error WarpRace "data race between lanes of a warp";
    R0104 Error BlockRace "data race between threads of different blocks";
    R0105 Error StreamRace "data race between streams";
    R0106 Error HostDeviceRace "data race between host and device";
    R0107 Error ScopeRace "atomics or fences with too narrow a scope";
    R0108 Warning MixedAtomicRace "atomic and plain access to one element without order";
    R0109 Warning SameValueRace "same value written to one element by several threads without order";
    R0111 Warning RaceCheckIncomplete "incomplete race check";
    R0112 Error MessageRace "data race with a message";
    R0113 Error NestedRace "data race with a kernel that device code launches";

    R0201 Error OutOfBounds "access outside every array";
    R0202 Error SubscriptOutOfBounds "subscript outside the declared bounds in device code";
    R0203 Error UseAfterFree "access to memory that was freed";
    R0204 Error WildAddress "access to an address that was never allocated";
    R0205 Error HostMemoryOnDevice "host memory used in device code";
    R0206 Error DeviceMemoryOnHost "device memory used in host code";
    R0207 Error Misaligned "misaligned access";
    R0208 Error NullAccess "access through a null address";
    R0210 Error DoubleFree "memory freed twice";
    R0211 Error InvalidFree "memory freed in the wrong way";
    R0212 Error SharedBeyondLaunch "access beyond the shared memory of the launch";
    R0213 Error ClusterAccess "access to shared memory of a block of the cluster that is not there";
    R0214 Error PrivateArgument "local or shared memory passed to a kernel that device code launches";
    R0215 Error CopyOutOfBounds "copy or fill beyond the end of an array";

    R0301 Error UninitialisedGlobal "read of device memory that nothing has written";
    R0302 Error UninitialisedShared "read of shared memory that nothing has written";
    R0303 Error UninitialisedLocal "read of a local variable of device code that nothing has set";
    R0304 Error UninitialisedHost "read of host memory that nothing has written";

    R0401 Error DivergentBarrier "threads of a block at different barriers";
    R0402 Error BarrierNotReached "barrier that some threads of the block never reach";
    R0403 Error RendezvousNotReached "warp operation that some lanes never reach";
    R0404 Error Deadlock "deadlock";
    R0405 Error Livelock "livelock";
    R0406 Error WarpMask "an operation of a warp by a lane that is not in its mask";
    R0408 Error GridSyncImpossible "grid synchronisation that cannot complete";

    R0501 Warning LeakedDeviceMemory "device memory never freed";
    R0502 Warning LeakedDeviceHeap "memory allocated in device code and never freed";
    R0503 Warning LeakedHandle "stream, event or library handle never destroyed";

    R0601 Warning NanMade "NaN from operands that are not NaN";
    R0602 Warning InfinityMade "infinity from finite operands";
    R0604 Error IntegerDivisionByZero "integer division by zero in device code";
    R0605 Warning ConversionOutOfRange "real value that does not fit its integer type";

    R0701 Error BadLaunchConfiguration "launch with an impossible grid or block";
    R0702 Error TooManyThreads "launch with too many threads in a block";
    R0703 Error TooMuchSharedMemory "launch with more shared memory than a block may have";
    R0704 Warning UncheckedError "CUDA error that the program never checked";
    R0705 Error LaunchBoundsExceeded "launch with more threads than `launch_bounds` allows";
    R0706 Error InvalidHandle "stream, event or handle that does not exist";
    R0707 Error EventNotRecorded "time between events that were not recorded";
    R0708 Warning AsyncFromPageable "asynchronous copy of pageable host memory";
    R0709 Error OutOfDeviceMemory "out of device memory";
    R0710 Error DeviceHeapExhausted "device heap exhausted";
    R0711 Error DeviceStackOverflow "device stack overflow";
    R0712 Error InvalidApiArgument "invalid argument of a CUDA runtime routine";
    R0713 Error NoSuchDevice "device number that does not exist";
    R0714 Warning RoutineOnHost "routine of a library that runs on the host";
    R0715 Warning CaptureFailed "capture of a stream that has failed";

    R0801 Error ErrorStop "program ended by `error stop`";
    R0802 Error IoError "input or output failed";
    R0803 Error HostSubscriptOutOfBounds "subscript outside the bounds in host code";
    R0804 Error AllocateFailed "`allocate` failed";
    R0805 Error DeallocateFailed "`deallocate` failed";
    R0806 Error NotAllocatedUse "use of an array that is not allocated";
    R0807 Error NullPointerUse "use of a pointer that is not associated";
    R0808 Error HostStackOverflow "host stack overflow";
    R0809 Error HostDivisionByZero "integer division by zero in host code";
    R0810 Error EndOfFile "end of file reached";
    R0811 Error FormatMismatch "format that does not fit the data";
    R0812 Error BadInput "input that cannot be read as the type of the variable";
    R0813 Error SubstringOutOfBounds "substring outside the character value";
    R0814 Error NonconformingShapes "arrays of different shape in one operation";
    R0815 Error ZeroStep "loop or section with a step of zero";
    R0816 Error HostMemoryLimit "memory limit reached";
    R0817 Error BadIntrinsicValue "value outside the domain of an intrinsic procedure";
    R0818 Error AbsentArgument "use of an argument that the call does not give";
    R0819 Error NoSuchProcedure "call of an undefined procedure";
    R0820 Error InvalidHostAccess "access to host memory that belongs to no data";
    R0821 Error ForeignCallFailed "call of a library's procedure that cannot be made, or crashes";
    R0822 Error DifferentLengths "objects of a parameterised derived type with different lengths";
    R0823 Error IeeeException "exception of a real operation for which the program halts";

    R0901 Error UnsupportedReached "unsupported feature reached";

    R1001 Error VerifyMismatch "different values on emulator and GPU";

    R1101 Error MpiDeadlock "ranks that wait for each other";
    R1102 Error CollectiveMismatch "collective operations of ranks that do not match";
    R1103 Error MessageTruncated "message that is longer than its receive buffer";
    R1104 Error MessageTypes "message received as data of another type";
    R1105 Error BufferType "MPI datatype that does not fit the variable";
    R1106 Error MessageNotReceived "message that nothing received";
    R1107 Error RequestNotCompleted "request that nothing completed";
    R1108 Error InvalidMpiArgument "invalid argument of an MPI routine";
    R1109 Error MpiNotFinalized "rank that ends without `MPI_Finalize`";
    R1110 Error MpiAborted "program ended by `MPI_Abort`";
    R1111 Warning MpiNeedsBuffering "message exchange that works only because messages are buffered";
    R1112 Error MpiNotInitialized "MPI routine outside of `MPI_Init` and `MPI_Finalize`";
    R1113 Warning LeakedMpiObject "communicator, datatype or other object of MPI never freed";
    R1114 Error MpiEpoch "one-sided call outside of its epoch";
    R1115 Error MpiAccessConflict "one-sided accesses to the same memory without an order";
}
