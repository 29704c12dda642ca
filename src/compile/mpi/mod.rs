//! The Fortran interfaces of MPI: the modules `mpi` and `mpi_f08`, and the include file `mpif.h`, all made of two tables.
//!
//! A dummy's name says its type. Every routine is the service `mpi:NAME` of the run time (`lower::call::mpi`), with the same
//! words in all three, since a handle of `mpi_f08` is an integer in a type. For `mpif.h` the routines are external procedures.
//! The numbers are those of the crate `mpi` (`handle.rs`, `basic.rs`, `reduce.rs`, `error.rs`).
//!
//! Table: the routines and the constants.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::{Arc, LazyLock};

/// The file with the external procedures for `mpif.h`.
pub(crate) const EXTERNALS: &str = "cufemu_mpif";
/// A name that `mpif.h` declares and no program does.
pub(crate) const MARK: &str = "cufemu_mpif_is_included";

/// The module by which MPI calls procedures of the program, and its procedure that does so (`lower::call::mpi`).
pub(crate) const CALLS: &str = "cufemu_mpi_calls";
pub(crate) const CALL_BACK: &str = "cufemu_mpi_call_back";

/// Dummies that are procedures.
const PROCEDURES: &[&str] = &[
    "user_fn",
    "comm_copy_attr_fn",
    "comm_delete_attr_fn",
    "type_copy_attr_fn",
    "type_delete_attr_fn",
    "copy_fn",
    "delete_fn",
    "win_copy_attr_fn",
    "win_delete_attr_fn",
    "comm_errhandler_fn",
    "handler_fn",
];

/// Whether a program that mentions these names may give MPI a procedure.
pub(crate) fn gives_procedures(names: &BTreeSet<Arc<str>>) -> bool {
    let takes_one = |row: &&str| row.split(' ').any(|word| PROCEDURES.contains(&word));
    let name = |row: &str| format!("mpi_{}", row.split(' ').next().unwrap_or_default());
    ROUTINES.iter().filter(|row| takes_one(row)).any(|row| names.contains(&*name(row)))
}

/// The routines with their dummies; `ierror` follows.
const ROUTINES: &[&str] = &[
    "init",
    "init_thread required provided",
    "initialized flag",
    "finalized flag",
    "finalize",
    "abort comm errorcode",
    "query_thread provided",
    "is_thread_main flag",
    "get_version version subversion",
    "get_library_version string resultlen",
    "get_processor_name string resultlen",
    "error_string errorcode string resultlen",
    "error_class errorcode errorclass",
    "comm_create_errhandler comm_errhandler_fn errhandler",
    "comm_call_errhandler comm errorcode",
    "errhandler_create handler_fn errhandler",
    "errhandler_set comm errhandler",
    "errhandler_get comm errhandler",
    "comm_set_errhandler comm errhandler",
    "comm_get_errhandler comm errhandler",
    "errhandler_free errhandler",
    "buffer_attach buffer size",
    "buffer_detach buffer size",
    "comm_create_keyval comm_copy_attr_fn comm_delete_attr_fn comm_keyval extra_state",
    "comm_free_keyval comm_keyval",
    "comm_set_attr comm comm_keyval attribute_long",
    "comm_get_attr comm comm_keyval attribute_long flag",
    "comm_delete_attr comm comm_keyval",
    "type_create_keyval type_copy_attr_fn type_delete_attr_fn type_keyval extra_state",
    "type_free_keyval type_keyval",
    "type_set_attr datatype type_keyval attribute_long",
    "type_get_attr datatype type_keyval attribute_long flag",
    "type_delete_attr datatype type_keyval",
    "keyval_create copy_fn delete_fn keyval extra_integer",
    "keyval_free keyval",
    "attr_put comm keyval attribute_val",
    "attr_get comm keyval attribute_val flag",
    "attr_delete comm keyval",
    "info_create info",
    "info_dup info newinfo",
    "info_set info key value",
    "info_get info key valuelen value flag",
    "info_delete info key",
    "info_get_nkeys info nkeys",
    "info_get_nthkey info n key",
    "info_get_valuelen info key valuelen flag",
    "info_free info",
    "get_address location address",
    "send buf count datatype dest tag comm",
    "bsend buf count datatype dest tag comm",
    "ssend buf count datatype dest tag comm",
    "rsend buf count datatype dest tag comm",
    "isend buf count datatype dest tag comm request",
    "ibsend buf count datatype dest tag comm request",
    "issend buf count datatype dest tag comm request",
    "irsend buf count datatype dest tag comm request",
    "send_init buf count datatype dest tag comm request",
    "bsend_init buf count datatype dest tag comm request",
    "ssend_init buf count datatype dest tag comm request",
    "rsend_init buf count datatype dest tag comm request",
    "recv buf count datatype source tag comm status",
    "irecv buf count datatype source tag comm request",
    "recv_init buf count datatype source tag comm request",
    "start request",
    "startall count requests",
    "sendrecv sendbuf sendcount sendtype dest sendtag recvbuf recvcount recvtype source recvtag comm status",
    "sendrecv_replace buf count datatype dest sendtag source recvtag comm status",
    "probe source tag comm status",
    "iprobe source tag comm flag status",
    "get_count status datatype count",
    "get_elements status datatype count",
    "wait request status",
    "waitall count requests statuses",
    "waitany count requests index status",
    "waitsome incount requests outcount indices statuses",
    "test request flag status",
    "testall count requests flag statuses",
    "testany count requests index flag status",
    "testsome incount requests outcount indices statuses",
    "request_get_status request flag status",
    "request_free request",
    "cancel request",
    "test_cancelled status flag",
    "barrier comm",
    "ibarrier comm request",
    "bcast buffer count datatype root comm",
    "ibcast buffer count datatype root comm request",
    "reduce sendbuf recvbuf count datatype op root comm",
    "ireduce sendbuf recvbuf count datatype op root comm request",
    "allreduce sendbuf recvbuf count datatype op comm",
    "iallreduce sendbuf recvbuf count datatype op comm request",
    "scan sendbuf recvbuf count datatype op comm",
    "iscan sendbuf recvbuf count datatype op comm request",
    "exscan sendbuf recvbuf count datatype op comm",
    "iexscan sendbuf recvbuf count datatype op comm request",
    "reduce_scatter sendbuf recvbuf recvcounts datatype op comm",
    "reduce_scatter_block sendbuf recvbuf recvcount datatype op comm",
    "ireduce_scatter sendbuf recvbuf recvcounts datatype op comm request",
    "ireduce_scatter_block sendbuf recvbuf recvcount datatype op comm request",
    "gather sendbuf sendcount sendtype recvbuf recvcount recvtype root comm",
    "gatherv sendbuf sendcount sendtype recvbuf recvcounts displs recvtype root comm",
    "igather sendbuf sendcount sendtype recvbuf recvcount recvtype root comm request",
    "igatherv sendbuf sendcount sendtype recvbuf recvcounts displs recvtype root comm request",
    "scatter sendbuf sendcount sendtype recvbuf recvcount recvtype root comm",
    "scatterv sendbuf sendcounts displs sendtype recvbuf recvcount recvtype root comm",
    "iscatter sendbuf sendcount sendtype recvbuf recvcount recvtype root comm request",
    "iscatterv sendbuf sendcounts displs sendtype recvbuf recvcount recvtype root comm request",
    "allgather sendbuf sendcount sendtype recvbuf recvcount recvtype comm",
    "allgatherv sendbuf sendcount sendtype recvbuf recvcounts displs recvtype comm",
    "iallgather sendbuf sendcount sendtype recvbuf recvcount recvtype comm request",
    "iallgatherv sendbuf sendcount sendtype recvbuf recvcounts displs recvtype comm request",
    "alltoall sendbuf sendcount sendtype recvbuf recvcount recvtype comm",
    "alltoallv sendbuf sendcounts sdispls sendtype recvbuf recvcounts rdispls recvtype comm",
    "alltoallw sendbuf sendcounts sdispls sendtypes recvbuf recvcounts rdispls recvtypes comm",
    "ialltoallw sendbuf sendcounts sdispls sendtypes recvbuf recvcounts rdispls recvtypes comm request",
    "ialltoall sendbuf sendcount sendtype recvbuf recvcount recvtype comm request",
    "ialltoallv sendbuf sendcounts sdispls sendtype recvbuf recvcounts rdispls recvtype comm request",
    "comm_rank comm rank",
    "comm_size comm size",
    "comm_dup comm newcomm",
    "comm_dup_with_info comm info newcomm",
    "comm_create_group comm group tag newcomm",
    "comm_split comm color key newcomm",
    "comm_split_type comm split_type key info newcomm",
    "comm_create comm group newcomm",
    "comm_free comm",
    "comm_disconnect comm",
    "comm_group comm group",
    "comm_compare comm1 comm2 result",
    "comm_set_name comm comm_name",
    "comm_get_name comm comm_name resultlen",
    "comm_test_inter comm flag",
    "group_size group size",
    "group_rank group rank",
    "group_incl group n ranks newgroup",
    "group_excl group n ranks newgroup",
    "group_range_incl group n ranges newgroup",
    "group_range_excl group n ranges newgroup",
    "group_union group1 group2 newgroup",
    "group_intersection group1 group2 newgroup",
    "group_difference group1 group2 newgroup",
    "group_translate_ranks group1 n ranks1 group2 ranks2",
    "group_compare group1 group2 result",
    "group_free group",
    "dims_create nnodes ndims dims",
    "cart_create comm ndims dims periods reorder newcomm",
    "cart_coords comm rank maxdims coords",
    "cart_rank comm coords rank",
    "cart_shift comm direction disp rank_source rank_dest",
    "cart_get comm maxdims dims periods coords",
    "cart_sub comm remain_dims newcomm",
    "cartdim_get comm ndims",
    "topo_test comm result",
    "cart_map comm ndims dims periods newrank",
    "graph_create comm nnodes index_list edges reorder newcomm",
    "graph_map comm nnodes index_list edges newrank",
    "graphdims_get comm nnodes nedges",
    "graph_get comm maxindex maxedges index_list edges",
    "graph_neighbors_count comm rank nneighbors",
    "graph_neighbors comm rank maxneighbors neighbors",
    "dist_graph_create comm n sources degrees destinations weights info reorder newcomm",
    "dist_graph_create_adjacent comm indegree sources sourceweights outdegree destinations destweights info reorder newcomm",
    "dist_graph_neighbors_count comm indegree outdegree weighted",
    "dist_graph_neighbors comm maxindegree sources sourceweights maxoutdegree destinations destweights",
    "neighbor_allgather sendbuf sendcount sendtype recvbuf recvcount recvtype comm",
    "neighbor_allgatherv sendbuf sendcount sendtype recvbuf recvcounts displs recvtype comm",
    "neighbor_alltoall sendbuf sendcount sendtype recvbuf recvcount recvtype comm",
    "neighbor_alltoallv sendbuf sendcounts sdispls sendtype recvbuf recvcounts rdispls recvtype comm",
    "neighbor_alltoallw sendbuf sendcounts sdispls_bytes sendtypes recvbuf recvcounts rdispls_bytes recvtypes comm",
    "ineighbor_allgather sendbuf sendcount sendtype recvbuf recvcount recvtype comm request",
    "ineighbor_allgatherv sendbuf sendcount sendtype recvbuf recvcounts displs recvtype comm request",
    "ineighbor_alltoall sendbuf sendcount sendtype recvbuf recvcount recvtype comm request",
    "ineighbor_alltoallv sendbuf sendcounts sdispls sendtype recvbuf recvcounts rdispls recvtype comm request",
    "ineighbor_alltoallw sendbuf sendcounts sdispls_bytes sendtypes recvbuf recvcounts rdispls_bytes recvtypes comm request",
    "type_contiguous count oldtype newtype",
    "type_vector count blocklength stride oldtype newtype",
    "type_create_hvector count blocklength stride_bytes oldtype newtype",
    "type_indexed count blocklengths displacements oldtype newtype",
    "type_create_hindexed count blocklengths displacements_bytes oldtype newtype",
    "type_create_indexed_block count blocklength displacements oldtype newtype",
    "type_create_struct count blocklengths displacements_bytes types newtype",
    "type_create_subarray ndims sizes subsizes starts order oldtype newtype",
    "type_create_resized oldtype lb extent newtype",
    "type_dup oldtype newtype",
    "type_commit datatype",
    "type_free datatype",
    "type_set_name datatype type_name",
    "type_get_name datatype type_name resultlen",
    "type_size datatype size",
    "type_get_extent datatype lb extent",
    "type_get_true_extent datatype lb extent",
    "type_match_size typeclass size datatype",
    "pack_size incount datatype comm size",
    "pack inbuf incount datatype outbuf outsize position comm",
    "unpack inbuf insize position outbuf outcount datatype comm",
    "sizeof location size",
    "file_open comm filename amode info fh",
    "file_close fh",
    "file_delete filename info",
    "file_set_view fh disp etype filetype datarep info",
    "file_read fh buf count datatype status",
    "file_read_all fh buf count datatype status",
    "file_read_at fh offset buf count datatype status",
    "file_read_at_all fh offset buf count datatype status",
    "file_write fh buf count datatype status",
    "file_write_all fh buf count datatype status",
    "file_write_at fh offset buf count datatype status",
    "file_write_at_all fh offset buf count datatype status",
    "file_seek fh offset whence",
    "file_get_position fh offset",
    "file_get_size fh file_size",
    "file_set_size fh file_size",
    "file_preallocate fh file_size",
    "file_sync fh",
    "win_create base size_long disp_unit info comm win",
    "win_allocate size_long disp_unit info comm baseptr win",
    "win_free win",
    "win_fence assert win",
    "win_lock lock_type rank assert win",
    "win_unlock rank win",
    "win_lock_all assert win",
    "win_unlock_all win",
    "win_flush rank win",
    "win_flush_local rank win",
    "win_flush_all win",
    "win_flush_local_all win",
    "win_sync win",
    "win_post group assert win",
    "win_start group assert win",
    "win_complete win",
    "win_wait win",
    "win_test win flag",
    "win_get_group win group",
    "win_set_name win win_name",
    "win_get_name win win_name resultlen",
    "win_set_errhandler win errhandler",
    "win_create_keyval win_copy_attr_fn win_delete_attr_fn win_keyval extra_state",
    "win_free_keyval win_keyval",
    "win_set_attr win win_keyval attribute_long",
    "win_get_attr win win_keyval attribute_long flag",
    "win_delete_attr win win_keyval",
    "alloc_mem size_long info baseptr",
    "free_mem base",
    "put origin_addr origin_count origin_datatype target_rank target_disp target_count target_datatype win",
    "rput origin_addr origin_count origin_datatype target_rank target_disp target_count target_datatype win request",
    "get origin_addr origin_count origin_datatype target_rank target_disp target_count target_datatype win",
    "rget origin_addr origin_count origin_datatype target_rank target_disp target_count target_datatype win request",
    "accumulate origin_addr origin_count origin_datatype target_rank target_disp target_count target_datatype op win",
    "raccumulate origin_addr origin_count origin_datatype target_rank target_disp target_count target_datatype op win \
     request",
    "get_accumulate origin_addr origin_count origin_datatype result_addr result_count result_datatype target_rank \
     target_disp target_count target_datatype op win",
    "rget_accumulate origin_addr origin_count origin_datatype result_addr result_count result_datatype target_rank \
     target_disp target_count target_datatype op win request",
    "fetch_and_op origin_addr result_addr datatype target_rank target_disp op win",
    "compare_and_swap origin_addr compare_addr result_addr datatype target_rank target_disp win",
    "op_create user_fn commute op",
    "op_free op",
    "op_commutative op commute",
    "reduce_local inbuf inoutbuf count datatype op",
];

/// A kind of handle: the type in `mpi_f08`, the number of its range, and its constants with their numbers.
const HANDLES: &[(&str, u32, &[(&str, u32)])] = &[
    ("comm", 1, &[("comm_null", 0), ("comm_world", 1), ("comm_self", 2)]),
    ("group", 2, &[("group_null", 0), ("group_empty", 1)]),
    (
        "datatype",
        3,
        &[
            ("datatype_null", 0),
            ("integer", 1),
            ("real", 2),
            ("double_precision", 3),
            ("complex", 4),
            ("double_complex", 5),
            ("logical", 6),
            ("character", 7),
            ("byte", 8),
            ("packed", 9),
            ("integer1", 10),
            ("integer2", 11),
            ("integer4", 12),
            ("integer8", 13),
            ("real4", 14),
            ("real8", 15),
            ("complex8", 16),
            ("complex16", 17),
            ("2integer", 18),
            ("2real", 19),
            ("2double_precision", 20),
            ("int", 21),
            ("long", 22),
            ("long_long", 23),
            ("float", 24),
            ("double", 25),
            ("char", 26),
            ("int8_t", 27),
            ("int16_t", 28),
            ("int32_t", 29),
            ("int64_t", 30),
            ("aint", 31),
            ("count", 32),
            ("offset", 33),
            ("c_bool", 34),
            ("c_float_complex", 35),
            ("c_double_complex", 36),
            ("logical1", 37),
            ("logical2", 38),
            ("logical4", 39),
            ("logical8", 40),
        ],
    ),
    ("request", 4, &[("request_null", 0)]),
    (
        "op",
        5,
        &[
            ("op_null", 0),
            ("max", 1),
            ("min", 2),
            ("sum", 3),
            ("prod", 4),
            ("land", 5),
            ("band", 6),
            ("lor", 7),
            ("bor", 8),
            ("lxor", 9),
            ("bxor", 10),
            ("maxloc", 11),
            ("minloc", 12),
            ("replace", 13),
            ("no_op", 14),
        ],
    ),
    ("errhandler", 6, &[("errhandler_null", 0), ("errors_are_fatal", 1), ("errors_return", 2), ("errors_abort", 3)]),
    ("info", 7, &[("info_null", 0), ("info_env", 1)]),
    ("file", 8, &[("file_null", 0)]),
    ("win", 9, &[("win_null", 0)]),
];

/// Integer constants.
const NUMBERS: &[(&str, i64)] = &[
    ("success", 0),
    ("err_buffer", 1),
    ("err_count", 2),
    ("err_type", 3),
    ("err_tag", 4),
    ("err_comm", 5),
    ("err_rank", 6),
    ("err_request", 7),
    ("err_root", 8),
    ("err_group", 9),
    ("err_op", 10),
    ("err_topology", 11),
    ("err_dims", 12),
    ("err_arg", 13),
    ("err_unknown", 14),
    ("err_truncate", 15),
    ("err_other", 16),
    ("err_intern", 17),
    ("err_in_status", 18),
    ("err_pending", 19),
    ("err_access", 20),
    ("err_amode", 21),
    ("err_file_exists", 25),
    ("err_file", 27),
    ("err_info_key", 29),
    ("err_info_value", 30),
    ("err_info_nokey", 31),
    ("err_info", 34),
    ("err_no_mem", 35),
    ("err_unsupported_operation", 44),
    ("err_win", 45),
    ("err_base", 46),
    ("err_locktype", 47),
    ("err_keyval", 48),
    ("err_rma_conflict", 49),
    ("err_rma_sync", 50),
    ("err_size", 51),
    ("err_disp", 52),
    ("err_assert", 53),
    ("err_rma_range", 55),
    ("lock_exclusive", 234),
    ("lock_shared", 235),
    ("mode_nocheck", 1024),
    ("mode_nostore", 2048),
    ("mode_noput", 4096),
    ("mode_noprecede", 8192),
    ("mode_nosucceed", 16384),
    ("win_base", 11),
    ("win_size", 12),
    ("win_disp_unit", 13),
    ("win_create_flavor", 14),
    ("win_model", 15),
    ("win_flavor_create", 1),
    ("win_flavor_allocate", 2),
    ("win_flavor_dynamic", 3),
    ("win_flavor_shared", 4),
    ("win_separate", 1),
    ("win_unified", 2),
    ("err_io", 32),
    ("err_no_such_file", 37),
    ("err_read_only", 40),
    ("err_unsupported_datarep", 43),
    ("err_lastcode", 63),
    ("mode_create", 1),
    ("mode_rdonly", 2),
    ("mode_wronly", 4),
    ("mode_rdwr", 8),
    ("mode_delete_on_close", 16),
    ("mode_unique_open", 32),
    ("mode_excl", 64),
    ("mode_append", 128),
    ("mode_sequential", 256),
    ("seek_set", 600),
    ("seek_cur", 602),
    ("seek_end", 604),
    ("max_datarep_string", 128),
    ("any_source", -1),
    ("any_tag", -1),
    ("proc_null", -2),
    ("root", -3),
    ("undefined", -32766),
    ("status_size", 6),
    ("source", 1),
    ("tag", 2),
    ("error", 3),
    ("max_processor_name", 128),
    ("max_error_string", 256),
    ("max_object_name", 128),
    ("max_library_version_string", 256),
    ("max_info_key", 255),
    ("max_info_val", 1024),
    ("bsend_overhead", 64),
    ("version", 4),
    ("subversion", 0),
    ("thread_single", 0),
    ("thread_funneled", 1),
    ("thread_serialized", 2),
    ("thread_multiple", 3),
    ("comm_type_shared", 1),
    ("graph", 1),
    ("cart", 2),
    ("dist_graph", 3),
    ("ident", 0),
    ("congruent", 1),
    ("similar", 2),
    ("unequal", 3),
    ("order_c", 56),
    ("order_fortran", 57),
    ("tag_ub", 1),
    ("universe_size", 2),
    ("host", 3),
    ("wtime_is_global", 4),
    ("lastusedcode", 5),
    ("appnum", 6),
    ("io", 7),
    ("keyval_invalid", 0),
    ("typeclass_real", 1),
    ("typeclass_integer", 2),
    ("typeclass_complex", 3),
    ("address_kind", 8),
    ("count_kind", 8),
    ("offset_kind", 8),
    ("integer_kind", 4),
];

/// The three forms of the interfaces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Handles are integers.
    Module,
    /// Handles are types, and the error code is optional.
    F08,
    /// As `Module`, each procedure external.
    External,
}

/// The declaration of a dummy.
fn dummy(name: &str, form: Form) -> String {
    let handle = |kind: &str| match form {
        Form::F08 => format!("type(mpi_{kind})"),
        _ => "integer(4)".to_owned(),
    };
    if PROCEDURES.contains(&name) {
        return format!("external :: {name}");
    }
    let (ty, dims) = match name {
        "buf" | "buffer" | "sendbuf" | "recvbuf" | "inbuf" | "outbuf" | "inoutbuf" | "base" | "baseptr"
        | "origin_addr" | "result_addr" | "compare_addr" | "location" => {
            return format!("type(*), dimension(..) :: {name}");
        }
        "string" | "comm_name" | "type_name" | "win_name" | "filename" | "datarep" => {
            ("character(len=*)".to_owned(), "")
        }
        "comm" | "newcomm" | "comm1" | "comm2" => (handle("comm"), ""),
        "group" | "newgroup" | "group1" | "group2" => (handle("group"), ""),
        "datatype" | "origin_datatype" | "target_datatype" | "result_datatype" | "sendtype" | "recvtype"
        | "oldtype" | "newtype" => (handle("datatype"), ""),
        "types" | "sendtypes" | "recvtypes" => (handle("datatype"), "(*)"),
        "request" => (handle("request"), ""),
        "requests" => (handle("request"), "(*)"),
        "op" => (handle("op"), ""),
        "errhandler" => (handle("errhandler"), ""),
        "info" | "newinfo" => (handle("info"), ""),
        "fh" => (handle("file"), ""),
        "win" => (handle("win"), ""),
        "etype" | "filetype" => (handle("datatype"), ""),
        "status" if form == Form::F08 => ("type(mpi_status)".to_owned(), ""),
        "status" => ("integer(4)".to_owned(), "(6)"),
        "statuses" if form == Form::F08 => ("type(mpi_status)".to_owned(), "(*)"),
        "statuses" => ("integer(4)".to_owned(), "(6,*)"),
        "flag" | "reorder" | "commute" | "weighted" => ("logical(4)".to_owned(), ""),
        "periods" | "remain_dims" => ("logical(4)".to_owned(), "(*)"),
        "attribute_long" | "extra_state" | "size_long" | "target_disp" | "address" | "stride_bytes" | "lb"
        | "extent" | "offset" | "file_size" => ("integer(8)".to_owned(), ""),
        "displacements_bytes" | "sdispls_bytes" | "rdispls_bytes" => ("integer(8)".to_owned(), "(*)"),
        "ranges" => ("integer(4)".to_owned(), "(3,*)"),
        "recvcounts" | "sendcounts" | "displs" | "sdispls" | "rdispls" | "indices" | "ranks" | "ranks1" | "ranks2"
        | "dims" | "coords" | "blocklengths" | "displacements" | "sizes" | "subsizes" | "starts" | "index_list"
        | "edges" | "neighbors" | "sources" | "degrees" | "destinations" | "weights" | "sourceweights"
        | "destweights" => ("integer(4)".to_owned(), "(*)"),
        _ => ("integer(4)".to_owned(), ""),
    };
    match form {
        // Without an interface an element may stand for an array, and an array for its first element.
        Form::External if dims.is_empty() && !ty.starts_with("character") => format!("{ty} :: {name}(*)"),
        _ => format!("{ty} :: {name}{dims}"),
    }
}

/// The interfaces of all routines.
fn routines(form: Form) -> String {
    let mut out = String::new();
    for row in ROUTINES {
        let mut words = row.split(' ');
        let name = words.next().unwrap_or_default();
        let dummies: Vec<&str> = words.collect();
        let list: Vec<&str> = dummies.iter().copied().chain(["ierror"]).collect();
        let _ = writeln!(out, "    subroutine mpi_{name}({}) bind(c, name='rt:mpi:mpi_{name}')", list.join(", "));
        if form != Form::External {
            out.push_str("      import\n");
        }
        // The key of a rank is a number, that of an info object a text; the displacement in a grid is short, in a file long.
        if form == Form::External {
            let passed = |name: &&str| !dummy(name, form).starts_with("type(*)") && !PROCEDURES.contains(name);
            let any_rank: Vec<&str> = list.iter().copied().filter(passed).collect();
            let _ = writeln!(out, "      !dir$ ignore_tkr (r) {}", any_rank.join(", (r) "));
        }
        let (is_info, is_file) = (name.starts_with("info"), name.starts_with("file"));
        for dummy_name in dummies {
            let declaration = match dummy_name {
                "key" | "value" if is_info => format!("character(len=*) :: {dummy_name}"),
                "disp" if is_file && form == Form::External => "integer(8) :: disp(*)".to_owned(),
                "disp" if is_file => "integer(8) :: disp".to_owned(),
                _ => dummy(dummy_name, form),
            };
            let _ = writeln!(out, "      {declaration}");
        }
        let optional = if form == Form::F08 { ", optional" } else { "" };
        let _ = writeln!(out, "      integer(4){optional} :: ierror\n    end subroutine");
    }
    out
}

/// The interfaces by which programs declare procedures that MPI calls.
const CALLED: &str = "  abstract interface
    subroutine mpi_user_function(invec, inoutvec, len, datatype)
      import
      type(cufemu_c_ptr), value :: invec, inoutvec
      integer(4) :: len
      type(mpi_datatype) :: datatype
    end subroutine
    subroutine mpi_comm_copy_attr_function(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
      import
      type(mpi_comm) :: oldcomm
      integer(4) :: comm_keyval
      integer(8) :: extra_state, attribute_val_in, attribute_val_out
      logical(4) :: flag
      integer(4) :: ierror
    end subroutine
    subroutine mpi_comm_delete_attr_function(comm, comm_keyval, attribute_val, extra_state, ierror)
      import
      type(mpi_comm) :: comm
      integer(4) :: comm_keyval
      integer(8) :: attribute_val, extra_state
      integer(4) :: ierror
    end subroutine
    subroutine mpi_type_copy_attr_function(oldtype, type_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
      import
      type(mpi_datatype) :: oldtype
      integer(4) :: type_keyval
      integer(8) :: extra_state, attribute_val_in, attribute_val_out
      logical(4) :: flag
      integer(4) :: ierror
    end subroutine
    subroutine mpi_type_delete_attr_function(datatype, type_keyval, attribute_val, extra_state, ierror)
      import
      type(mpi_datatype) :: datatype
      integer(4) :: type_keyval
      integer(8) :: attribute_val, extra_state
      integer(4) :: ierror
    end subroutine
    subroutine mpi_comm_errhandler_function(comm, error_code)
      import
      type(mpi_comm) :: comm
      integer(4) :: error_code
    end subroutine
  end interface
";

/// Procedures that MPI has for copying and deleting attributes: by the beginning of their names, the type of the object, in
/// `mpi_f08` and otherwise, and the kind of values.
const ATTRIBUTED: [(&str, &str, u32); 4] =
    [("comm_", "comm", 8), ("type_", "datatype", 8), ("win_", "win", 8), ("", "comm", 4)];

/// Those procedures.
fn attribute_procedures(form: Form) -> String {
    let mut out = String::new();
    for (prefix, kind, bytes) in ATTRIBUTED {
        let object = if form == Form::F08 { format!("type(mpi_{kind})") } else { "integer(4)".to_owned() };
        for (name, is_copied) in [("null_copy_fn", false), ("dup_fn", true)] {
            let body = if is_copied { "    copied = given\n    flag = .true.\n" } else { "    flag = .false.\n" };
            let _ = write!(
                out,
                "\n  subroutine mpi_{prefix}{name}(object, keyval, extra_state, given, copied, flag, ierror)\n    \
                 {object} :: object\n    integer(4) :: keyval\n    integer({bytes}) :: extra_state, given, copied\n    \
                 logical(4) :: flag\n    integer(4) :: ierror\n{body}    ierror = 0\n  end subroutine\n"
            );
        }
        let _ = write!(
            out,
            "\n  subroutine mpi_{prefix}null_delete_fn(object, keyval, given, extra_state, ierror)\n    \
             {object} :: object\n    integer(4) :: keyval\n    integer({bytes}) :: given, extra_state\n    \
             integer(4) :: ierror\n    ierror = 0\n  end subroutine\n"
        );
    }
    out
}

/// The clock. MPI has it as functions.
const CLOCK: &str = "
  real(8) function mpi_wtime()
    integer(8) :: count, rate
    call system_clock(count, rate)
    mpi_wtime = real(count, 8)/real(rate, 8)
  end function

  real(8) function mpi_wtick()
    integer(8) :: count, rate
    call system_clock(count, rate)
    mpi_wtick = 1/real(rate, 8)
  end function
";

fn handle_number(kind: u32, number: u32) -> u32 {
    (kind << 24) | number
}

/// The constants; those that are handles as `handle` has them.
fn constants(handle: impl Fn(&str, u32) -> (String, String)) -> String {
    let mut out = String::new();
    for (kind, range, members) in HANDLES {
        for (name, number) in *members {
            let (ty, value) = handle(kind, handle_number(*range, *number));
            let _ = writeln!(out, "      {ty}, parameter :: mpi_{name} = {value}");
        }
    }
    for (name, value) in NUMBERS {
        let _ = writeln!(out, "      integer(4), parameter :: mpi_{name} = {value}");
    }
    out
}

fn plain(_: &str, number: u32) -> (String, String) {
    ("integer(4)".to_owned(), number.to_string())
}

/// The module `mpi`.
pub(crate) static MODULE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "! Module mpi.\nmodule mpi\n  implicit none\n{}\
         \x20 integer(4) :: mpi_in_place = 0, mpi_bottom = 0\n\
         \x20 integer(4) :: mpi_status_ignore(6) = 0, mpi_statuses_ignore(6,1) = 0\n\
         \x20 integer(4) :: mpi_errcodes_ignore(1) = 0, mpi_unweighted(1) = 0, mpi_weights_empty(1) = 0\n  interface\n{}  end interface\ncontains\n{CLOCK}{}end module mpi\n",
        constants(plain),
        routines(Form::Module),
        attribute_procedures(Form::Module)
    )
});

/// The module `mpi_f08`.
pub(crate) static F08: LazyLock<String> = LazyLock::new(|| {
    let mut types = String::new();
    let (mut equal, mut unequal, mut functions) = (Vec::new(), Vec::new(), String::new());
    for (kind, ..) in HANDLES {
        let _ = writeln!(types, "  type, bind(c) :: mpi_{kind}\n    integer(4) :: mpi_val\n  end type mpi_{kind}");
        for (name, operator, list) in [("equal", "==", &mut equal), ("unequal", "/=", &mut unequal)] {
            let function = format!("cufemu_{name}_{kind}");
            let _ = writeln!(
                functions,
                "\n  logical function {function}(a, b)\n    type(mpi_{kind}), intent(in) :: a, b\n    \
                 {function} = a%mpi_val {operator} b%mpi_val\n  end function"
            );
            list.push(function);
        }
    }
    let handle = |kind: &str, number: u32| (format!("type(mpi_{kind})"), format!("mpi_{kind}({number})"));
    format!(
        "! Module mpi_f08.\nmodule mpi_f08\n  use iso_c_binding, only: cufemu_c_ptr => c_ptr\n  implicit none\n{types}\
         \x20 type, bind(c) :: mpi_status\n    integer(4) :: mpi_source = -1, mpi_tag = -1, mpi_error = 0\n\
         \x20   integer(4) :: cufemu_bytes(2) = 0, cufemu_cancelled = 0\n  end type mpi_status\n{}\
         \x20 integer(4) :: mpi_in_place = 0, mpi_bottom = 0\n\
         \x20 type(mpi_status) :: mpi_status_ignore, mpi_statuses_ignore(1)\n\
         \x20 integer(4) :: mpi_errcodes_ignore(1) = 0, mpi_unweighted(1) = 0, mpi_weights_empty(1) = 0\n\
         \x20 interface operator(==)\n    procedure :: {}\n  end interface\n\
         \x20 interface operator(/=)\n    procedure :: {}\n  end interface\n\
         {CALLED}\x20 interface\n{}  end interface\ncontains\n{CLOCK}{functions}{}end module mpi_f08\n",
        constants(handle),
        equal.join(", "),
        unequal.join(", "),
        routines(Form::F08),
        attribute_procedures(Form::F08)
    )
});

/// The external procedures behind `mpif.h`.
pub(crate) static EXTERNAL_PROCEDURES: LazyLock<String> = LazyLock::new(|| {
    let attributes = attribute_procedures(Form::External);
    format!("! The procedures for mpif.h.\n{}{CLOCK}{attributes}", routines(Form::External))
});

/// The include file `mpif.h`; its lines are good in fixed and in free form.
static INCLUDE: LazyLock<String> = LazyLock::new(|| {
    let mut out = constants(plain);
    out.push_str("      double precision mpi_wtime, mpi_wtick\n      external mpi_wtime, mpi_wtick\n");
    for (prefix, ..) in ATTRIBUTED {
        for name in ["null_copy_fn", "dup_fn", "null_delete_fn"] {
            let _ = writeln!(out, "      external mpi_{prefix}{name}");
        }
    }
    for (name, dims) in [
        ("in_place", ""),
        ("bottom", ""),
        ("status_ignore", "(6)"),
        ("statuses_ignore", "(6,1)"),
        ("errcodes_ignore", "(1)"),
        ("unweighted", "(1)"),
        ("weights_empty", "(1)"),
    ] {
        let _ = writeln!(out, "      integer(4) mpi_{name}{dims}\n      common /mpi_{name}/ mpi_{name}");
    }
    let _ = writeln!(out, "      integer(4), parameter :: {MARK} = 1");
    out
});

/// An include file that comes with the compiler: the name by which it is known, and its text.
pub(crate) fn include(name: &str) -> Option<(String, String)> {
    (name == "mpif.h").then(|| ("<mpif.h>".to_owned(), INCLUDE.clone()))
}
