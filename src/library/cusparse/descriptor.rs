//! Descriptors of matrices and vectors.

use super::NOT_SUPPORTED;
use crate::call::{Call, Outcome, Status};
use crate::handles::DESCRIPTOR;
use crate::sparse::{Descriptor, Format, Indices, Sparse};

/// The data types that there are.
const TYPES: [i64; 4] = [0, 1, 4, 5];

impl Call<'_> {
    /// The descriptor that is the next argument.
    pub(super) fn descriptor(&mut self) -> Result<Descriptor, Status> {
        let number = self.word();
        self.note_object(number);
        match self.state.descriptors.get(number) {
            Some(descriptor) => Ok(descriptor.clone()),
            None => self.no_handle(&DESCRIPTOR, number),
        }
    }

    pub(super) fn add_descriptor(&mut self, address: u64, descriptor: Descriptor) -> Outcome {
        let destroy = match descriptor {
            Descriptor::Sparse(_) => "cusparseDestroySpMat",
            Descriptor::Vector { .. } => "cusparseDestroyDnVec",
            Descriptor::Matrix { .. } => "cusparseDestroyDnMat",
            Descriptor::System { has_matrix: false, .. } => "cusparseSpSV_destroyDescr",
            Descriptor::System { has_matrix: true, .. } => "cusparseSpSM_destroyDescr",
        };
        let number = self.state.descriptors.add(descriptor);
        self.put(address, &number.to_le_bytes(), "descr")?;
        self.has_made(number, &DESCRIPTOR, destroy)?;
        self.done()
    }

    /// An address of the device.
    fn place(&mut self, what: &str) -> Result<u64, Status> {
        let address = self.word();
        self.check_device(address, what)?;
        Ok(address)
    }

    /// The bytes of an index by the number of its type.
    fn index_bytes(&mut self, what: &str) -> Result<u64, Status> {
        match self.int() {
            2 => Ok(4),
            3 => Ok(8),
            other => {
                self.wrong(format!("`{what}` is {other}, and must be `CUSPARSE_INDEX_32I` or `CUSPARSE_INDEX_64I`"))
            }
        }
    }

    /// A data type that is supported.
    pub(super) fn data_type(&mut self, what: &str) -> Result<i64, Status> {
        let ty = self.int();
        if TYPES.contains(&ty) {
            return Ok(ty);
        }
        let types = "`CUDA_R_32F`, `CUDA_R_64F`, `CUDA_C_32F` and `CUDA_C_64F` are";
        self.wrong(format!("`{what}` is {ty}, which is not supported; {types}")).map_err(|_| Status(NOT_SUPPORTED))
    }
}

pub(super) fn destroy(call: &mut Call<'_>) -> Outcome {
    let number = call.word();
    match call.state.descriptors.remove(number) {
        Some(_) => {
            call.has_destroyed(number);
            call.done()
        }
        None => call.no_handle(&DESCRIPTOR, number),
    }
}

pub(super) fn create_csr(call: &mut Call<'_>) -> Outcome {
    create_sparse(call, Format::Rows)
}

pub(super) fn create_csc(call: &mut Call<'_>) -> Outcome {
    create_sparse(call, Format::Columns)
}

pub(super) fn create_coo(call: &mut Call<'_>) -> Outcome {
    create_sparse(call, Format::Pairs)
}

fn create_sparse(call: &mut Call<'_>, format: Format) -> Outcome {
    let address = call.word();
    let (rows, columns) = (call.wide_count("rows")?, call.wide_count("cols")?);
    let count = call.wide_count("nnz")?;
    let (first, second, values) = (call.place("offsets")?, call.place("indices")?, call.place("values")?);
    let of_first = call.index_bytes("the type of the indices")?;
    let of_second = if format == Format::Pairs { of_first } else { call.index_bytes("the type of the indices")? };
    let base = i64::from(call.choice("idxBase")?);
    let ty = call.data_type("valueType")?;
    let count_of_first = match format {
        Format::Rows => rows + 1,
        Format::Columns => columns + 1,
        Format::Pairs => count,
    };
    let first = Indices { address: first, count: count_of_first, bytes: of_first };
    let second = Indices { address: second, count, bytes: of_second };
    let (is_upper, has_unit_diagonal) = (false, false);
    let sparse = Sparse { format, rows, columns, first, second, values, base, ty, is_upper, has_unit_diagonal };
    call.add_descriptor(address, Descriptor::Sparse(sparse))
}

pub(super) fn create_vector(call: &mut Call<'_>) -> Outcome {
    let address = call.word();
    let count = call.wide_count("size")?;
    let values = call.place("values")?;
    let ty = call.data_type("valueType")?;
    call.add_descriptor(address, Descriptor::Vector { count, values, ty })
}

pub(super) fn create_matrix(call: &mut Call<'_>) -> Outcome {
    let address = call.word();
    let (rows, columns) = (call.wide_count("rows")?, call.wide_count("cols")?);
    let leading = call.wide_count("ld")?;
    let values = call.place("values")?;
    let ty = call.data_type("valueType")?;
    let is_by_rows = match call.int() {
        1 => false,
        2 => true,
        other => return call.wrong(format!("`order` is {other}, and must be 1 or 2")),
    };
    let smallest = if is_by_rows { columns } else { rows };
    if leading < smallest.max(1) {
        return call.wrong(format!("`ld` is {leading}, and must be {smallest} or more"));
    }
    call.add_descriptor(address, Descriptor::Matrix { rows, columns, leading, values, ty, is_by_rows })
}
