//! Table: the services that compiled code calls, one row each.
//!
//! A row is: variant, mnemonic, parameter types, result types, where it may be called, what it does. The embedded Fortran
//! modules (`cudafor` and kin) bind their procedures to these rows by `bind(c, name='rt:mnemonic')`; a scalar dummy with
//! VALUE is passed as its value, any other as its address, `type(*), dimension(..)` as address and bytes of one element,
//! a character dummy as address and length, an integer function's result as the row's result,
//! a kernel as its number.
//!
//! Addresses, lengths and counts are `i64`; flags, kinds and codes are `i32`.

// The rows' lines are also what a user of the tables prints; marks in them would show.
#![allow(clippy::doc_markdown)]

use scalar::Ty;

/// Where a service may be called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// In host code.
    Host,
    /// In device code.
    Device,
    /// In both.
    Both,
}

macro_rules! services {
    ($($variant:ident $mnemonic:literal ($($param:ident)*) -> ($($result:ident)*) $side:ident $doc:literal;)*) => {
        /// A service of the run time.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Rt { $(#[doc = $doc] $variant,)* }

        impl Rt {
            /// All rows, in order.
            pub const ALL: &[Rt] = &[$(Rt::$variant),*];

            /// The name in IR text.
            pub fn mnemonic(self) -> &'static str {
                match self { $(Rt::$variant => $mnemonic,)* }
            }

            /// Types of the parameters.
            pub fn params(self) -> &'static [Ty] {
                match self { $(Rt::$variant => &[$(Ty::$param),*],)* }
            }

            /// Types of the results.
            pub fn results(self) -> &'static [Ty] {
                match self { $(Rt::$variant => &[$(Ty::$result),*],)* }
            }

            /// Where it may be called.
            pub fn side(self) -> Side {
                match self { $(Rt::$variant => Side::$side,)* }
            }

            /// What it does.
            pub fn doc(self) -> &'static str {
                match self { $(Rt::$variant => $doc,)* }
            }

            /// The service of that name.
            pub fn from_mnemonic(name: &str) -> Option<Rt> {
                match name { $($mnemonic => Some(Rt::$variant),)* _ => None }
            }
        }

        impl std::fmt::Display for Rt {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.mnemonic())
            }
        }
    };
}

services! {
    IoBegin "io.begin" (I32 I32 I64 I32) -> () Both "starts a transfer statement: direction (0 write, 1 read), form (0 list-directed, 1 formatted, 2 unformatted, 3 namelist, 4 C's `printf`, whose first item is the format), unit (-1 is `*`, -2 an internal file), catch (bit 0 iostat=, bit 1 err=, bit 2 end=, bit 3 eor=)";
    IoFormat "io.format" (I64 I64) -> () Host "the format of the statement begun: address, length";
    IoInternal "io.internal" (I64 I64 I64) -> () Host "the internal file: address, length of a record, number of records";
    IoOption "io.option" (I32 I64 I64) -> () Host "an option of the statement: 0 advance (0 no, 1 yes, 2 another word), 1 rec, 2 pos, 3 iomsg (address, length), 4 size (address), 5 to 7 of a namelist group its name, a variable (address, length) and a dimension of it (lower bound, extent), 8 to 13 the values (address, length) of sign, round, decimal, blank, delim and pad, 14 and 15 beginning (address and length of its name) and end of a component in a namelist group";
    IoPutInt "io.put.int" (I64 I32) -> () Both "writes an integer: value, kind";
    IoPutReal2 "io.put.real2" (I16) -> () Host "writes a real(2), by its bits";
    IoPutReal4 "io.put.real4" (F32) -> () Both "writes a real(4)";
    IoPutReal8 "io.put.real8" (F64) -> () Both "writes a real(8)";
    IoPutComplex4 "io.put.complex4" (F32 F32) -> () Both "writes a complex(4)";
    IoPutComplex8 "io.put.complex8" (F64 F64) -> () Both "writes a complex(8)";
    IoPutLogical "io.put.logical" (I64 I32) -> () Both "writes a logical: value, kind";
    IoPutChar "io.put.char" (I64 I64) -> () Both "writes a character value: address, length";
    IoGet "io.get" (I32 I32 I64 I64) -> () Host "reads into an object: type (0 integer, 1 real, 2 complex, 3 logical, 4 character; in a namelist group 5: what a procedure reads, whose number is the kind), kind, address, character length";
    IoChild "io.child" (I32) -> (I64 I64) Host "whether the next object is transferred by a procedure of the program: 0 by its components, -1 not at all, else the length of its iotype and one, and the number of values of its v_list; the argument is 1 if the object cannot be taken apart";
    IoNamelistNext "io.namelist.next" () -> (I64 I64) Host "reads a namelist group up to an object that a procedure reads: 0 if there is none any more, or the number of the procedure (the kind that io.get gave with the object) and one, and the address of the object";
    IoChildText "io.child.text" (I64 I64 I64) -> () Host "tells what the procedure gets, which is called now: addresses of the unit (an integer(4)), of the characters of iotype and of the values of v_list (integers(4))";
    IoChildEnd "io.child.end" (I32 I64 I64) -> () Host "the procedure has returned: its iostat, address and length of its iomsg";
    IoEnd "io.end" () -> (I32) Both "ends the statement; gives iostat (0, or an error that the statement catches)";
    IoOpen "io.open" (I64 I64 I64 I64) -> (I32) Host "OPEN: unit (-1: newunit), address of the unit for newunit, address and length of the options as `key=value` lines: Fortran's keywords, `catch` as in io.begin, `iomsg` as address and length with a blank between";
    IoClose "io.close" (I64 I32 I32 I64 I64) -> (I32) Host "CLOSE: unit, what becomes of the file (0 what OPEN said, 1 it is deleted, 2 STATUS= has another value, 3 it is kept), catch, address and length of IOMSG= or 0";
    IoInquire "io.inquire" (I64 I64 I64 I32) -> (I64) Host "INQUIRE of a unit or, if its address is not 0, a file name (address, length): 0 whether it exists, 1 whether it is connected, 2 the unit (-1: none), 3 the file's bytes (-1: unknown), 4 the record length, 5 the next record, 6 the position, 7 whether it has a name, 8 whether a transfer is pending, 9 iostat, 10 whether the transfer statement at hand has met a condition that it catches";
    IoInquireText "io.inquire_text" (I64 I64 I64 I64 I64 I64 I64) -> () Host "INQUIRE of a unit or a file name (address, length): the answer to the specifier of that name (address, length) goes to a character (address, length)";
    IoPosition "io.position" (I64 I32 I32 I64 I64) -> (I32) Host "0 rewind, 1 backspace, 2 endfile, 3 flush of a unit; catch; address and length of IOMSG= or 0";
    IoByte "io.byte" (I64 I32 I64) -> (I64) Host "bytes of a unit without its records: 0 reads the next one, 1 writes the one in the third argument, 2 gives the position in bytes, 3 to 5 move by the third argument from the start, the position or the end; gives the byte, the position or 0, -1 at the end of the file and for a unit that is not connected, else less than that: 0 minus the number of the error";

    Alloc "mem.alloc" (I32 I64 I64 I64 I32) -> (I64 I32) Both "allocates: where (0 host, 1 device, 2 managed, 3 pinned), bytes, address and length of the name, 1 if the program has stat=; gives address and stat";
    AllocAligned "mem.alloc.aligned" (I32 I64 I64 I64 I32 I64) -> (I64 I32) Both "allocates as mem.alloc; then the alignment in bytes, a power of two";
    Free "mem.free" (I32 I64 I64 I64 I32) -> (I32) Both "frees: where, address, address and length of the name, 1 if the program has stat=; gives stat";
    Copy "mem.copy" (I64 I64 I64) -> () Host "copies between any two memories, in order with the default stream, and waits: destination, source, bytes";
    CopyStrided "mem.copy.strided" (I64 I64) -> () Host "copies elements between two arrays of one shape: addresses of their descriptors; waits";
    Fill "mem.fill" (I64 I64) -> () Host "sets every element of an array: address of its descriptor, bits of the value (up to 8 bytes)";
    FillFrom "mem.fill.from" (I64 I64) -> () Host "sets every element of an array to an object: address of its descriptor, address of the object";
    MatrixProduct "mem.product" (I32 I64 I64 I64 I64) -> (I64) Host "MATMUL of arrays of the host by blocks: type of the elements (0 integer, 1 real, 2 complex), addresses of the descriptors of the result, which is contiguous, and of the factors, columns of the result that are there; gives how many are there then, or -1: the program does it by itself";

    CharAssign "char.assign" (I64 I64 I64 I64) -> () Both "destination, length, source, length: copies, cuts or fills with blanks; overlap allowed";
    CharCompare "char.compare" (I64 I64 I64 I64) -> (I32) Both "compares two character values as if the shorter had blanks behind: -1, 0, 1";
    CharIndex "char.index" (I64 I64 I64 I64 I32) -> (I64) Host "INDEX: string, length, substring, length, back";
    CharScan "char.scan" (I64 I64 I64 I64 I32) -> (I64) Host "SCAN: string, length, set, length, back";
    CharVerify "char.verify" (I64 I64 I64 I64 I32) -> (I64) Host "VERIFY: string, length, set, length, back";
    CharLenTrim "char.len_trim" (I64 I64) -> (I64) Host "LEN_TRIM: string, length";
    CharAdjust "char.adjust" (I64 I64 I64 I32) -> () Host "ADJUSTL (0) or ADJUSTR (1): destination, source, length";

    CudaDeviceSynchronize "cuda.device.synchronize" () -> (I32) Host "cudaDeviceSynchronize";
    CudaGetLastError "cuda.error.last" () -> (I32) Host "cudaGetLastError";
    CudaPeekAtLastError "cuda.error.peek" () -> (I32) Host "cudaPeekAtLastError";
    CudaLaunchError "cuda.launch.error" () -> (I32) Host "the error with which the last launch failed, 0 if it has begun; the program has not seen it by that";
    CudaGetErrorString "cuda.error.string" (I64 I64 I32) -> () Host "cudaGetErrorString: destination, length, code";
    CudaSetDevice "cuda.device.set" (I32) -> (I32) Host "cudaSetDevice";
    CudaGetDevice "cuda.device.get" (I64) -> (I32) Host "cudaGetDevice: address of an integer(4)";
    CudaGetDeviceCount "cuda.device.count" (I64) -> (I32) Host "cudaGetDeviceCount: address of an integer(4)";
    CudaDeviceReset "cuda.device.reset" () -> (I32) Host "cudaDeviceReset";
    CudaEventCreate "cuda.event.create" (I64 I32) -> (I32) Host "cudaEventCreateWithFlags: address of the event, flags";
    CudaEventDestroy "cuda.event.destroy" (I64) -> (I32) Host "cudaEventDestroy: address of the event";
    CudaEventRecord "cuda.event.record" (I64 I64) -> (I32) Host "cudaEventRecord: address of the event, stream";
    CudaEventSynchronize "cuda.event.synchronize" (I64) -> (I32) Host "cudaEventSynchronize: address of the event";
    CudaEventQuery "cuda.event.query" (I64) -> (I32) Host "cudaEventQuery: address of the event";
    CudaEventElapsedTime "cuda.event.elapsed" (I64 I64 I64) -> (I32) Host "cudaEventElapsedTime: address of a real(4), milliseconds; addresses of the events";
    CudaStreamCreate "cuda.stream.create" (I64 I32 I32) -> (I32) Host "cudaStreamCreateWithPriority: address of the stream, flags, priority";
    CudaStreamDestroy "cuda.stream.destroy" (I64) -> (I32) Host "cudaStreamDestroy: stream";
    CudaStreamSynchronize "cuda.stream.synchronize" (I64) -> (I32) Host "cudaStreamSynchronize: stream";
    CudaStreamQuery "cuda.stream.query" (I64) -> (I32) Host "cudaStreamQuery: stream";
    CudaStreamGetPriority "cuda.stream.priority" (I64 I64) -> (I32) Host "cudaStreamGetPriority: stream, address of an integer(4)";
    CudaStreamAttachMem "cuda.stream.attach" (I64 I64 I64 I64 I32) -> (I32) Host "cudaStreamAttachMemAsync: stream, address, bytes of an element, elements, flags";
    CudaStreamWaitEvent "cuda.stream.wait" (I64 I64 I32) -> (I32) Host "cudaStreamWaitEvent: stream, address of the event, flags";
    CudaStreamBeginCapture "cuda.capture.begin" (I64 I32) -> (I32) Host "cudaStreamBeginCapture: stream, mode";
    CudaStreamEndCapture "cuda.capture.end" (I64 I64) -> (I32) Host "cudaStreamEndCapture: stream, address of the graph";
    CudaStreamIsCapturing "cuda.capture.status" (I64 I64) -> (I32) Host "cudaStreamIsCapturing: stream, address of an integer(4)";
    CudaGraphInstantiate "cuda.graph.instantiate" (I64 I64) -> (I32) Host "cudaGraphInstantiate: addresses of the executable graph and the graph";
    CudaGraphLaunch "cuda.graph.launch" (I64 I64) -> (I32) Host "cudaGraphLaunch: address of the executable graph, stream";
    CudaGraphExecUpdate "cuda.graph.update" (I64 I64 I64) -> (I32) Host "cudaGraphExecUpdate: addresses of the executable graph, the graph, and an integer(4)";
    CudaGraphExecDestroy "cuda.graph.executable.destroy" (I64) -> (I32) Host "cudaGraphExecDestroy: address of the executable graph";
    CudaGraphDestroy "cuda.graph.destroy" (I64) -> (I32) Host "cudaGraphDestroy: address of the graph";
    CudaMalloc "cuda.malloc" (I64 I64) -> (I32) Host "cudaMalloc: address of the pointer to set, bytes";
    CudaMallocHost "cuda.malloc.host" (I64 I64 I32) -> (I32) Host "cudaHostAlloc: address of the pointer to set, bytes, flags";
    CudaMallocManaged "cuda.malloc.managed" (I64 I64 I32) -> (I32) Host "cudaMallocManaged: address of the pointer to set, bytes, flags";
    CudaMallocArray "cuda.malloc.array" (I64 I64) -> (I32) Host "cudaMalloc of an array of rank 1: address of its descriptor, which has the bytes of an element, and elements";
    CudaMallocAsync "cuda.malloc.async" (I64 I64 I64) -> (I32) Host "cudaMallocAsync: address of the pointer to set, bytes, stream";
    CudaMallocAsyncArray "cuda.malloc.async.array" (I64 I64 I64) -> (I32) Host "the same of an array of rank 1: as cuda.malloc.array, then the stream";
    CudaMallocManagedArray "cuda.malloc.managed.array" (I64 I64 I32) -> (I32) Host "cudaMallocManaged of an array of rank 1: as cuda.malloc.array, then the flags";
    CudaMallocPitch "cuda.malloc.pitch" (I64 I64 I64 I64) -> (I32) Host "cudaMallocPitch: address of the pointer to set, address of the pitch in bytes (an integer(8)), width in bytes, height";
    CudaMallocPitchArray "cuda.malloc.pitch.array" (I64 I64 I64 I64) -> (I32) Host "the same in elements for an allocatable array of rank 2, which becomes one of pitch by height elements: address of its descriptor, which has the bytes of an element, then as cuda.malloc.pitch";
    CudaMalloc3dArray "cuda.malloc.3d.array" (I64 I64) -> (I32) Host "cudaMalloc3D of an allocatable array of rank 3: address of its descriptor, which has the bytes of an element, and of the three extents (integers(8)) in elements; rows are not padded";
    CudaFree "cuda.free" (I64 I64) -> (I32) Host "cudaFree: address, bytes of an element";
    CudaFreeArray "cuda.free.array" (I64) -> (I32) Host "cudaFree of an allocatable array: address of its descriptor, whose base becomes 0";
    CudaFreeAsync "cuda.free.async" (I64 I64) -> (I32) Host "cudaFreeAsync: address, stream";
    CudaFreeAsyncArray "cuda.free.async.array" (I64 I64) -> (I32) Host "cudaFreeAsync of an allocatable array: as cuda.free.array, then the stream";
    CudaFreeHost "cuda.free.host" (I64 I64) -> (I32) Host "cudaFreeHost: address, bytes of an element";
    CudaMemcpy "cuda.memcpy" (I64 I64 I64 I64 I64 I64) -> (I32) Host "cudaMemcpy: destination, bytes of its element, source, bytes of its element, elements, address of the kind (0: by the addresses)";
    CudaMemcpyTo "cuda.memcpy.to" (I64 I64 I64 I64 I64) -> (I32) Host "the same to a C pointer: destination, source, bytes of its element, bytes, address of the kind";
    CudaMemcpyFrom "cuda.memcpy.from" (I64 I64 I64 I64 I64) -> (I32) Host "the same from a C pointer: destination, bytes of its element, source, bytes, address of the kind";
    CudaMemcpyBetween "cuda.memcpy.between" (I64 I64 I64 I64) -> (I32) Host "the same between C pointers: destination, source, bytes, address of the kind";
    CudaMemcpyAsync "cuda.memcpy.async" (I64 I64 I64 I64 I64 I64 I64) -> (I32) Host "cudaMemcpyAsync: as cuda.memcpy, then the stream";
    CudaMemcpyAsyncTo "cuda.memcpy.async.to" (I64 I64 I64 I64 I64 I64) -> (I32) Host "as cuda.memcpy.to, then the stream";
    CudaMemcpyAsyncFrom "cuda.memcpy.async.from" (I64 I64 I64 I64 I64 I64) -> (I32) Host "as cuda.memcpy.from, then the stream";
    CudaMemcpyAsyncBetween "cuda.memcpy.async.between" (I64 I64 I64 I64 I64) -> (I32) Host "as cuda.memcpy.between, then the stream";
    CudaMemcpyStream "cuda.memcpy.stream" (I64 I64 I64 I64 I64 I64) -> (I32) Host "cudaMemcpyAsync without a kind: as cuda.memcpy, with the stream in place of the kind";
    CudaMemcpyPeer "cuda.memcpy.peer" (I64 I64 I32 I64 I64 I32 I64) -> (I32) Host "cudaMemcpyPeer: destination, bytes of its element, its device, source, bytes of its element, its device, elements";
    CudaMemcpyPeerAsync "cuda.memcpy.peer.async" (I64 I64 I32 I64 I64 I32 I64 I64) -> (I32) Host "cudaMemcpyPeerAsync: as cuda.memcpy.peer, then the stream";
    CudaMemcpy2D "cuda.memcpy.2d" (I64 I64 I64 I64 I64 I64 I64 I64 I64) -> (I32) Host "cudaMemcpy2D: destination, bytes of its element, its pitch; source, bytes of its element, its pitch; width and height; address of the kind (0: by the addresses). Pitches and width in elements";
    CudaMemcpy2DAsync "cuda.memcpy.2d.async" (I64 I64 I64 I64 I64 I64 I64 I64 I64 I64) -> (I32) Host "cudaMemcpy2DAsync: as cuda.memcpy.2d, then the stream";
    CudaSymbolAddress "cuda.symbol.address" (I64 I64) -> (I32) Host "cudaGetSymbolAddress: address of the pointer to set, address of the symbol";
    CudaSymbolSize "cuda.symbol.size" (I64 I64) -> (I32) Host "cudaGetSymbolSize: address of an integer(8), address of the symbol";
    CudaMemcpyToSymbol "cuda.memcpy.symbol.to" (I64 I64 I64 I64 I64 I64) -> (I32) Host "cudaMemcpyToSymbol: address of the symbol, source, bytes of its element, elements, elements of the symbol to skip, address of the kind";
    CudaMemcpyFromSymbol "cuda.memcpy.symbol.from" (I64 I64 I64 I64 I64 I64) -> (I32) Host "cudaMemcpyFromSymbol: destination, bytes of its element, address of the symbol, elements, elements of the symbol to skip, address of the kind";
    CudaMemcpyToSymbolAsync "cuda.memcpy.symbol.to.async" (I64 I64 I64 I64 I64 I64 I64) -> (I32) Host "as cuda.memcpy.symbol.to, then the stream";
    CudaMemcpyFromSymbolAsync "cuda.memcpy.symbol.from.async" (I64 I64 I64 I64 I64 I64 I64) -> (I32) Host "as cuda.memcpy.symbol.from, then the stream";
    CudaMemset "cuda.memset" (I64 I64 I64 I64) -> (I32) Host "cudaMemset: destination, bytes of an element, an integer value, elements";
    CudaMemsetReal "cuda.memset.real" (I64 I64 F64 I64) -> (I32) Host "the same with a real value";
    CudaMemsetComplex "cuda.memset.complex" (I64 I64 F64 F64 I64) -> (I32) Host "the same with the parts of a complex value";
    CudaMemsetPointer "cuda.memset.pointer" (I64 I32 I64) -> (I32) Host "the same of bytes at a C pointer: destination, value of each byte, bytes";
    CudaMemsetAsync "cuda.memset.async" (I64 I64 I64 I64 I64) -> (I32) Host "cudaMemsetAsync: as cuda.memset, then the stream";
    CudaMemsetAsyncReal "cuda.memset.async.real" (I64 I64 F64 I64 I64) -> (I32) Host "the same with a real value";
    CudaMemsetAsyncComplex "cuda.memset.async.complex" (I64 I64 F64 F64 I64 I64) -> (I32) Host "the same with the parts of a complex value";
    CudaMemset2D "cuda.memset.2d" (I64 I64 I64 I64 I64 I64) -> (I32) Host "cudaMemset2D: destination, bytes of an element, pitch in elements, an integer value, width, height";
    CudaMemset2DReal "cuda.memset.2d.real" (I64 I64 I64 F64 I64 I64) -> (I32) Host "the same with a real value";
    CudaMemset2DComplex "cuda.memset.2d.complex" (I64 I64 I64 F64 F64 I64 I64) -> (I32) Host "the same with the parts of a complex value";
    CudaMemset2DAsync "cuda.memset.2d.async" (I64 I64 I64 I64 I64 I64 I64) -> (I32) Host "cudaMemset2DAsync: as cuda.memset.2d, then the stream";
    CudaMemset2DAsyncReal "cuda.memset.2d.async.real" (I64 I64 I64 F64 I64 I64 I64) -> (I32) Host "the same with a real value";
    CudaMemset2DAsyncComplex "cuda.memset.2d.async.complex" (I64 I64 I64 F64 F64 I64 I64 I64) -> (I32) Host "the same with the parts of a complex value";
    CudaMemsetPointerAsync "cuda.memset.pointer.async" (I64 I32 I64 I64) -> (I32) Host "as cuda.memset.pointer, then the stream";
    CudaHostRegister "cuda.host.register" (I64 I64 I32) -> (I32) Host "cudaHostRegister: address, bytes, flags";
    CudaHostUnregister "cuda.host.unregister" (I64) -> (I32) Host "cudaHostUnregister: address";
    CudaHostGetFlags "cuda.host.flags" (I64 I64) -> (I32) Host "cudaHostGetFlags: address of an integer(4), address of the memory";
    CudaMemGetInfo "cuda.mem.info" (I64 I64) -> (I32) Host "cudaMemGetInfo: addresses of two integer(8), free and total";
    CudaMemAdvise "cuda.mem.advise" (I64 I64 I64 I32 I32) -> (I32) Host "cudaMemAdvise: address, bytes of an element, elements, advice, device";
    CudaMemPrefetch "cuda.mem.prefetch" (I64 I64 I64 I32 I64) -> (I32) Host "cudaMemPrefetchAsync: address, bytes of an element, elements, device, stream";
    CudaPointerGetAttributes "cuda.mem.attributes" (I64 I64 I64) -> (I32) Host "cudaPointerGetAttributes: address of the result, address asked about, bytes of an element";
    CudaGetDeviceProperties "cuda.device.properties" (I64 I32) -> (I32) Host "cudaGetDeviceProperties: address of a cudaDeviceProp, device";
    CudaDeviceGetAttribute "cuda.device.attribute" (I64 I32 I32) -> (I32) Host "cudaDeviceGetAttribute: address of an integer(4), attribute, device";
    CudaDeviceSetLimit "cuda.device.limit.set" (I32 I64) -> (I32) Host "cudaDeviceSetLimit: limit, value";
    CudaDeviceGetLimit "cuda.device.limit.get" (I64 I32) -> (I32) Host "cudaDeviceGetLimit: address of an integer(8), limit";
    CudaDeviceCanAccessPeer "cuda.device.peer.can" (I64 I32 I32) -> (I32) Host "cudaDeviceCanAccessPeer: address of an integer(4), two devices";
    CudaDeviceEnablePeerAccess "cuda.device.peer.enable" (I32 I32) -> (I32) Host "cudaDeviceEnablePeerAccess: device, flags";
    CudaDeviceDisablePeerAccess "cuda.device.peer.disable" (I32) -> (I32) Host "cudaDeviceDisablePeerAccess: device";
    CudaGetVersion "cuda.version" (I64) -> (I32) Host "cudaRuntimeGetVersion and cudaDriverGetVersion: address of an integer(4)";
    CudaSetting "cuda.setting" (I32) -> (I32) Host "a setting that changes speed only, such as cudaDeviceSetCacheConfig";
    CudaSetDefaultStream "cuda.stream.default.set" (I64) -> (I32) Host "cudaforSetDefaultStream: stream";
    CudaSetArrayStream "cuda.stream.default.array" (I64 I64 I64) -> (I32) Host "cudaforSetDefaultStream of an array: its address, bytes of an element, stream";
    CudaGetDefaultStream "cuda.stream.default.get" (I64 I64) -> (I64) Host "cudaforGetDefaultStream, of an array if its address is not 0: address, bytes of an element";
    CudaFuncGetAttributes "cuda.func.attributes" (I64 I64) -> (I32) Host "cudaFuncGetAttributes: address of the result, number of the kernel";
    CudaFuncSetAttribute "cuda.func.attribute.set" (I64 I32 I64) -> (I32) Host "cudaFuncSetAttribute: number of the kernel, attribute, value";
    CudaFuncSetting "cuda.func.setting" (I64 I32) -> (I32) Host "a setting of a kernel that changes speed only: its number, the setting";
    CudaOccupancy "cuda.func.occupancy" (I64 I64 I32 I64) -> (I32) Host "cudaOccupancyMaxActiveBlocksPerMultiprocessor: address of an integer(4), number of the kernel, threads of a block, bytes of dynamic shared memory";
    CudaOccupancyFlags "cuda.func.occupancy.flags" (I64 I64 I32 I64 I32) -> (I32) Host "the same with flags, after the others";

    Stop "stop" (I32 I32 I64 I64) -> () Both "ends the program: 1 if ERROR STOP (of the host, 2 more if nothing is said), code, address and length of a message (address 0: none)";
    SystemClock "clock.system" () -> (I64 I64) Host "SYSTEM_CLOCK: count, counts a second";
    CpuTime "clock.cpu" () -> (F64) Host "CPU_TIME: seconds";
    DateTime "clock.date" (I64) -> () Host "DATE_AND_TIME: address of eight integer(4), its VALUES";
    Sleep "clock.sleep" (I64) -> () Host "SLEEP: milliseconds";
    RandomNumber "random.number" () -> (F64) Host "RANDOM_NUMBER: the next value in [0,1)";
    RandomSeed "random.seed" (I32 I64) -> () Host "RANDOM_SEED: 0 begins anew, 1 takes the generator's state from the 32 bytes at the address, 2 puts it there";
    RealOp "real.op" (I32 I32 I64 I64 I64 I64) -> (I64) Host "a real operation that raises IEEE flags and rounds as the program has asked: 0 to 5 sum, difference, product, quotient, square root and fused product and sum of reals of as many bytes as the second argument says; 6 conversion to a real of as many bytes as the second operand says, 7 of an integer(8) to a real; those give the result. The others only raise flags: 8 conversion to an integer (the real, the same without its fraction, bytes of the integer), 9 comparison by order, 10 exact operation of two operands and its result, 11 to 16 function of mathematics of one operand (odd) or two, then its result: such as has no poles but at zero (11, 12), has others (13, 14), is zero for too small results only (15, 16). The last argument is the address of an integer(4) that is set to 0 if from now on only results that are not normal numbers matter, and else to 1";
    RealState "real.state" (I32 I32 I64) -> (I32) Host "IEEE flags (bits 0 to 4: invalid, overflow, division by zero, underflow, inexact), direction of rounding (bits 8, 9: nearest, to zero, up, down) and halting (from bit 16 as the flags): 0 gives them, 1 to 3 set the flags, the direction, halting, 4 gives them and makes the flags quiet, 5 sets direction and halting and raises the flags that the argument has too, 6 sets all, 7 raises flags; gives what was before; the last argument as in real.op";
    Command "command" (I64 I64) -> (I32) Host "SYSTEM and EXECUTE_COMMAND_LINE: address and length of a command for the shell; gives its exit code, -1 if it could not be started";
    ForeignCall "foreign.call" (I64 I64 I64) -> (I32) Host "calls a procedure of a library by the C convention: address and length of the text of its signature (`ir::foreign`), address of room for the result and, behind it, the arguments as words of 8 bytes, an object as its address; gives 1 if a procedure of the program is to be called before it goes on, else 0";
    ForeignEntry "foreign.entry" (I64 I64 I64) -> (I64) Host "makes a procedure one that libraries can call: address and length of the text of its signature, what a procedure pointer to it holds; gives its address for libraries";
    ForeignVariable "foreign.variable" (I64 I64 I64) -> (I64) Host "where C code has the variable of a name: address and length of the name, and the bytes of the variable";
    ForeignPointers "foreign.pointers" (I64 I64 I64 I64) -> () Host "a variable of C code has addresses in it, which are translated whenever C runs: its address, its bytes, those of an element, and where the address is in each";
    ForeignNative "foreign.native" (I64) -> (I64) Host "the address that C has for one of the program's, whose memory C may reach from then on";
    ForeignPlace "foreign.place" (I64) -> (I64) Host "the address that the program has for one of C's; one of memory of C stays as it is";
    ForeignTarget "foreign.target" (I64) -> (I64) Host "what a procedure pointer holds for an address that `foreign.entry` has given";
    ForeignCallback "foreign.callback" (I64) -> (I64) Host "what a library that waits has called: puts the arguments into the room at the address as `foreign.call` takes them, objects behind them; gives what a procedure pointer to the procedure holds";
    ForeignReturn "foreign.return" (I64 I64 I64 I64) -> (I32) Host "lets the library go on: the arguments of its `foreign.call`, and the address of the room that begins with the result; gives what `foreign.call` gives";
    MpiCall "mpi.call" (I64 I64 I64 I64) -> (I32) Host "calls a routine of MPI: address and length of its name, address of its arguments as words of 8 bytes, how many: of a choice buffer the address of its descriptor and a word that says its type (`lower::call::mpi`), of a character its address and its length, of a procedure its number and whether it takes pointers by value, of anything else its address; gives 1 if procedures of the program are to be called before it goes on, else 0";
    ArgCount "arg.count" () -> (I32) Host "COMMAND_ARGUMENT_COUNT";
    ArgGet "arg.get" (I32 I64 I64) -> (I64) Host "GET_COMMAND_ARGUMENT: number, destination, length; gives the length of the argument, -1 when there is none";
    CommandGet "command.get" (I32 I64 I64) -> (I64) Host "GET_COMMAND: 0, destination, length; gives the length of the command line";
    EnvGet "env.get" (I32 I64 I64 I64 I64) -> (I64) Host "GET_ENVIRONMENT_VARIABLE: 0, destination, length, address and length of the name; gives the length of the value, -1 when there is none";
    EnvSet "env.set" (I64 I64 I64 I64) -> (I32) Host "sets a variable of the program's environment: address and length of its name and of its value; gives 0";

    ErrorBounds "error.bounds" (I64 I64 I64 I32 I64 I64) -> () Both "a subscript out of its declared bounds: subscript, lower bound, upper bound, dimension from 1, or 0 for a place in a text, or -1 for the value of an argument of an intrinsic function, -2 if it stands twice, address and length of the name";
    ErrorAllocated "error.unallocated" (I64 I64) -> () Both "use of an array that is not allocated: address and length of the name";
    ErrorAlreadyAllocated "error.allocated" (I64 I64) -> () Both "ALLOCATE of what is allocated: address and length of the name";
    RealMade "real.made" (I32 I64 I64 I32 I32 F64 F64 F64 F64) -> () Device "perhaps an operation to blame (`--check fp`): 0 a result that is not finite, 1 a real that its integer cannot hold, 2 an integer division by zero; address and length of the operation's name (1: the type); kind of the operands, their number, three operands, the result";
    ClusterMap "cluster.map" (I64 I32) -> (I64) Device "address of a place of shared memory in that of another block of the cluster: the place, the rank of the block from 0";
    PipelineCopy "pipeline.copy" (I64 I64 I32) -> () Device "begins a copy of 4, 8 or 16 bytes: address in shared memory, address of global memory, bytes";
    PipelineCommit "pipeline.commit" () -> () Device "the copies that the thread has begun since the last time become a group";
    PipelineWait "pipeline.wait" (I32) -> () Device "waits for the groups of copies of the thread but for so many of the last ones";
    BarrierInit "barrier.init" (I64 I32) -> () Device "GPU only: makes 8 bytes of shared memory a barrier (PTX ISA, `mbarrier`): address, arrivals of a phase; bulk copies find it";
    BarrierExpect "barrier.expect" (I64 I32) -> () Device "GPU only: the phase of a barrier waits for so many bytes more";
    BarrierArrive "barrier.arrive" (I64 I32) -> (I64) Device "GPU only: arrives at a barrier, which waits for so many bytes more; gives the state before";
    BarrierTry "barrier.try" (I64 I64 I32) -> (I32) Device "GPU only: whether the phase of a state is complete, perhaps after a wait: address, state, nanoseconds or 0";
    ProxyFence "proxy.fence" () -> () Device "GPU only: bulk copies see what the thread has written to shared memory";
    BulkLoad "bulk.load" (I64 I64 I64 I32) -> () Device "GPU only: begins a copy to shared memory: address of the barrier that counts its bytes, address in shared memory, address of global memory, bytes";
    BulkStore "bulk.store" (I64 I64 I32) -> () Device "GPU only: begins a copy from shared memory: address of global memory, address in shared memory, bytes";
    BulkCommit "bulk.commit" () -> () Device "GPU only: the copies from shared memory that the thread has begun become a group";
    BulkWait "bulk.wait" () -> () Device "GPU only: waits for the thread's groups of copies from shared memory";
    NestedWait "nested.wait" () -> (I32) Device "waits for all grids that threads of the block have launched; gives a code of CUDA";
    NestedError "nested.error" (I32) -> (I32) Device "the code of the last launch or call of the thread that failed; 1 forgets it";
    NestedStreamCreate "nested.stream.create" (I32) -> (I64) Device "makes a stream for launches of the block, with flags; gives 0 if they are wrong";
    NestedStreamDestroy "nested.stream.destroy" (I64) -> (I32) Device "gives a stream of the block back; gives a code of CUDA";
    NestedEventCreate "nested.event.create" (I32) -> (I64) Device "makes an event of the block, with flags; gives 0 if they are wrong";
    NestedEventRecord "nested.event.record" (I64 I64) -> (I32) Device "records an event of the block in a stream of it; gives a code of CUDA";
    NestedEventDestroy "nested.event.destroy" (I64) -> (I32) Device "gives an event of the block back; gives a code of CUDA";
    NestedStreamWait "nested.stream.wait" (I64 I64) -> (I32) Device "what is launched in a stream of the block from now on waits for an event of it; gives a code of CUDA";
    NestedAsk "nested.ask" (I32 I32 I32) -> (I64) Device "what the program may ask CUDA's runtime in device code: 0 the number of the device, 1 how many there are, 2 the version, 3 an attribute of a device, 4 a limit; the number of the attribute or limit, the device; gives the answer, or minus a code of CUDA";
    NestedKernel "nested.kernel" (I64 I32 I32 I64) -> (I64) Device "what the program may ask CUDA's runtime in device code about a kernel: its number; 0 the blocks that a multiprocessor can have at once, else the number of a component of `cudaFuncAttributes`; threads of a block and bytes of dynamic shared memory; gives the answer, or minus a code of CUDA";
    NestedFail "nested.fail" (I32) -> (I32) Device "a call of the thread failed with that code of CUDA, which is given back";
    ErrorLength "error.length" (I64 I64 I64 I64) -> () Host "objects of one derived type with different lengths: address and length of the type parameter's name, the value that it must have, the one that it has";
    ErrorShape "error.shape" (I64 I64 I32) -> () Both "shapes that do not conform: two extents, dimension from 1";
}
