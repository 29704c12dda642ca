/* The header of Fortran's interoperability with C (Fortran 2018, 18.5), as cufemu passes arguments.
   Not here: what the functions do (iso_fortran_binding.c), which procedures get descriptors (cufemu itself). */
#ifndef ISO_FORTRAN_BINDING_H
#define ISO_FORTRAN_BINDING_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CFI_VERSION 20180515
#define CFI_MAX_RANK 15

typedef ptrdiff_t CFI_index_t;
typedef int8_t CFI_rank_t;
typedef int8_t CFI_attribute_t;
typedef int16_t CFI_type_t;

typedef struct CFI_dim_t {
    CFI_index_t lower_bound;
    CFI_index_t extent;
    CFI_index_t sm;
} CFI_dim_t;

#define CFI_DESCRIPTOR_OF(dimensions) \
    void *base_addr;                  \
    size_t elem_len;                  \
    int version;                      \
    CFI_rank_t rank;                  \
    CFI_attribute_t attribute;        \
    CFI_type_t type;                  \
    CFI_dim_t dim[dimensions];

#ifdef __cplusplus
typedef struct CFI_cdesc_t { CFI_DESCRIPTOR_OF(1) } CFI_cdesc_t;
#else
typedef struct CFI_cdesc_t { CFI_DESCRIPTOR_OF() } CFI_cdesc_t;
#endif

/* A descriptor of rank 0 has room for one dimension: no array is empty. */
#define CFI_CDESC_T(r) struct { CFI_DESCRIPTOR_OF((r) ? (r) : 1) }

#define CFI_attribute_pointer 0
#define CFI_attribute_allocatable 1
#define CFI_attribute_other 2

/* A type is a class and, above it, the bytes of an element or of a part of a complex number: those of 64-bit x86 with Unix. */
#define CFI_type_mask 0xFF
#define CFI_type_kind_shift 8
#define CFI_TYPE_OF(class, bytes) ((class) + ((bytes) << CFI_type_kind_shift))
#define CFI_type_Integer 1
#define CFI_type_Logical 2
#define CFI_type_Real 3
#define CFI_type_Complex 4
#define CFI_type_Character 5

#define CFI_type_struct 6
#define CFI_type_cptr 7
#define CFI_type_cfunptr 8
#define CFI_type_other (-1)

#define CFI_type_signed_char CFI_TYPE_OF(CFI_type_Integer, 1)
#define CFI_type_short CFI_TYPE_OF(CFI_type_Integer, 2)
#define CFI_type_int CFI_TYPE_OF(CFI_type_Integer, 4)
#define CFI_type_long CFI_TYPE_OF(CFI_type_Integer, 8)
#define CFI_type_long_long CFI_TYPE_OF(CFI_type_Integer, 8)
#define CFI_type_size_t CFI_TYPE_OF(CFI_type_Integer, 8)
#define CFI_type_int8_t CFI_TYPE_OF(CFI_type_Integer, 1)
#define CFI_type_int16_t CFI_TYPE_OF(CFI_type_Integer, 2)
#define CFI_type_int32_t CFI_TYPE_OF(CFI_type_Integer, 4)
#define CFI_type_int64_t CFI_TYPE_OF(CFI_type_Integer, 8)
#define CFI_type_int_least8_t CFI_TYPE_OF(CFI_type_Integer, 1)
#define CFI_type_int_least16_t CFI_TYPE_OF(CFI_type_Integer, 2)
#define CFI_type_int_least32_t CFI_TYPE_OF(CFI_type_Integer, 4)
#define CFI_type_int_least64_t CFI_TYPE_OF(CFI_type_Integer, 8)
#define CFI_type_int_fast8_t CFI_TYPE_OF(CFI_type_Integer, 1)
#define CFI_type_int_fast16_t CFI_TYPE_OF(CFI_type_Integer, 8)
#define CFI_type_int_fast32_t CFI_TYPE_OF(CFI_type_Integer, 8)
#define CFI_type_int_fast64_t CFI_TYPE_OF(CFI_type_Integer, 8)
#define CFI_type_intmax_t CFI_TYPE_OF(CFI_type_Integer, 8)
#define CFI_type_intptr_t CFI_TYPE_OF(CFI_type_Integer, 8)
#define CFI_type_ptrdiff_t CFI_TYPE_OF(CFI_type_Integer, 8)
#define CFI_type_int128_t CFI_TYPE_OF(CFI_type_Integer, 16)
#define CFI_type_int_least128_t CFI_TYPE_OF(CFI_type_Integer, 16)
#define CFI_type_int_fast128_t CFI_TYPE_OF(CFI_type_Integer, 16)
#define CFI_type_Bool CFI_TYPE_OF(CFI_type_Logical, 1)
#define CFI_type_float CFI_TYPE_OF(CFI_type_Real, 4)
#define CFI_type_double CFI_TYPE_OF(CFI_type_Real, 8)
#define CFI_type_long_double CFI_TYPE_OF(CFI_type_Real, 10)
#define CFI_type_float128 CFI_TYPE_OF(CFI_type_Real, 16)
#define CFI_type_float_Complex CFI_TYPE_OF(CFI_type_Complex, 4)
#define CFI_type_double_Complex CFI_TYPE_OF(CFI_type_Complex, 8)
#define CFI_type_long_double_Complex CFI_TYPE_OF(CFI_type_Complex, 10)
#define CFI_type_float128_Complex CFI_TYPE_OF(CFI_type_Complex, 16)
#define CFI_type_char CFI_TYPE_OF(CFI_type_Character, 1)
#define CFI_type_ucs4_char CFI_TYPE_OF(CFI_type_Character, 4)

#define CFI_SUCCESS 0
#define CFI_ERROR_BASE_ADDR_NULL 1
#define CFI_ERROR_BASE_ADDR_NOT_NULL 2
#define CFI_INVALID_ELEM_LEN 3
#define CFI_INVALID_RANK 4
#define CFI_INVALID_TYPE 5
#define CFI_INVALID_ATTRIBUTE 6
#define CFI_INVALID_EXTENT 7
#define CFI_INVALID_DESCRIPTOR 8
#define CFI_ERROR_MEM_ALLOCATION 9
#define CFI_ERROR_OUT_OF_BOUNDS 10

void *CFI_address(const CFI_cdesc_t *dv, const CFI_index_t subscripts[]);
int CFI_allocate(CFI_cdesc_t *dv, const CFI_index_t lower_bounds[], const CFI_index_t upper_bounds[], size_t elem_len);
int CFI_deallocate(CFI_cdesc_t *dv);
int CFI_establish(CFI_cdesc_t *dv, void *base_addr, CFI_attribute_t attribute, CFI_type_t type, size_t elem_len,
                  CFI_rank_t rank, const CFI_index_t extents[]);
int CFI_is_contiguous(const CFI_cdesc_t *dv);
int CFI_section(CFI_cdesc_t *result, const CFI_cdesc_t *source, const CFI_index_t lower_bounds[],
                const CFI_index_t upper_bounds[], const CFI_index_t strides[]);
int CFI_select_part(CFI_cdesc_t *result, const CFI_cdesc_t *source, size_t displacement, size_t elem_len);
int CFI_setpointer(CFI_cdesc_t *result, CFI_cdesc_t *source, const CFI_index_t lower_bounds[]);

#ifdef __cplusplus
}
#endif

#endif
