/* The functions of ISO_Fortran_binding.h (Fortran 2018, 18.5.5). They are compiled when C code needs one of them.
   What CFI_allocate gives is memory of C, of which a list is kept: the program may deallocate it (cufemu_release).
   Not here: descriptors of what the program passes (cufemu itself makes them). */
#include "ISO_Fortran_binding.h"

#include <stdlib.h>

/* An allocation; its data follows. The alignment is that of the largest vectors. */
struct block {
    struct block *next, *previous;
    char padding[48];
};

static struct block all = {&all, &all, {0}};

static struct block *find(const void *data) {
    for (struct block *b = all.next; b != &all; b = b->next)
        if ((const void *)(b + 1) == data)
            return b;
    return NULL;
}

static void *take(size_t bytes) {
    struct block *b;
    if (bytes > SIZE_MAX - 2 * sizeof *b)
        return NULL;
    b = aligned_alloc(64, (sizeof *b + bytes + 63) / 64 * 64);
    if (!b)
        return NULL;
    b->next = &all;
    b->previous = all.previous;
    b->previous->next = b->next->previous = b;
    return b + 1;
}

/* Gives back what CFI_allocate has given; whether it was that. */
int cufemu_release(void *data) {
    struct block *b = find(data);
    if (!b)
        return 0;
    b->previous->next = b->next;
    b->next->previous = b->previous;
    free(b);
    return 1;
}

static int is_attribute(CFI_attribute_t attribute) {
    return attribute == CFI_attribute_pointer || attribute == CFI_attribute_allocatable ||
           attribute == CFI_attribute_other;
}

/* Bytes of an element of an intrinsic type; 0 where the type does not say it, and -1 for none. */
static ptrdiff_t bytes_of(CFI_type_t type) {
    ptrdiff_t bytes = type >> CFI_type_kind_shift;
    if (type == CFI_type_struct || type == CFI_type_other)
        return 0;
    if (type == CFI_type_cptr)
        return sizeof(void *);
    if (type == CFI_type_cfunptr)
        return sizeof(void (*)(void));
    if (type < 0 || bytes == 0)
        return -1;
    if (bytes == 10)
        bytes = sizeof(long double);
    switch (type & CFI_type_mask) {
    case CFI_type_Integer:
    case CFI_type_Logical:
    case CFI_type_Real:
        return bytes;
    case CFI_type_Complex:
        return 2 * bytes;
    case CFI_type_Character:
        return 0;
    }
    return -1;
}

static int is_assumed_size(const CFI_cdesc_t *dv) {
    return dv->rank > 0 && dv->dim[dv->rank - 1].extent == -1;
}

void *CFI_address(const CFI_cdesc_t *dv, const CFI_index_t subscripts[]) {
    char *at;
    if (!dv || !dv->base_addr || (dv->rank > 0 && !subscripts))
        return NULL;
    at = dv->base_addr;
    for (int i = 0; i < dv->rank; i++) {
        CFI_index_t offset = subscripts[i] - dv->dim[i].lower_bound;
        int is_open = i == dv->rank - 1 && is_assumed_size(dv);
        if (offset < 0 || (!is_open && offset >= dv->dim[i].extent))
            return NULL;
        at += offset * dv->dim[i].sm;
    }
    return at;
}

int CFI_allocate(CFI_cdesc_t *dv, const CFI_index_t lower_bounds[], const CFI_index_t upper_bounds[], size_t elem_len) {
    size_t bytes;
    if (!dv)
        return CFI_INVALID_DESCRIPTOR;
    if (dv->attribute != CFI_attribute_allocatable && dv->attribute != CFI_attribute_pointer)
        return CFI_INVALID_ATTRIBUTE;
    if (dv->base_addr)
        return CFI_ERROR_BASE_ADDR_NOT_NULL;
    if (dv->rank > 0 && (!lower_bounds || !upper_bounds))
        return CFI_INVALID_EXTENT;
    /* Other types have the size that their descriptor was made with. */
    if ((dv->type & CFI_type_mask) == CFI_type_Character && dv->type > 0)
        dv->elem_len = elem_len;
    bytes = dv->elem_len;
    for (int i = 0; i < dv->rank; i++) {
        CFI_index_t extent = upper_bounds[i] - lower_bounds[i] + 1;
        if (extent < 0)
            extent = 0;
        dv->dim[i].lower_bound = lower_bounds[i];
        dv->dim[i].extent = extent;
        dv->dim[i].sm = bytes;
        if (__builtin_mul_overflow(bytes, (size_t)extent, &bytes))
            return CFI_ERROR_MEM_ALLOCATION;
    }
    dv->base_addr = take(bytes);
    return dv->base_addr ? CFI_SUCCESS : CFI_ERROR_MEM_ALLOCATION;
}

int CFI_deallocate(CFI_cdesc_t *dv) {
    if (!dv)
        return CFI_INVALID_DESCRIPTOR;
    if (dv->attribute != CFI_attribute_allocatable && dv->attribute != CFI_attribute_pointer)
        return CFI_INVALID_ATTRIBUTE;
    if (!dv->base_addr)
        return CFI_ERROR_BASE_ADDR_NULL;
    /* What is not ours the program has allocated, which gives it back when it sees the descriptor. */
    cufemu_release(dv->base_addr);
    dv->base_addr = NULL;
    return CFI_SUCCESS;
}

int CFI_establish(CFI_cdesc_t *dv, void *base_addr, CFI_attribute_t attribute, CFI_type_t type, size_t elem_len,
                  CFI_rank_t rank, const CFI_index_t extents[]) {
    ptrdiff_t bytes = bytes_of(type);
    CFI_index_t sm;
    if (!dv)
        return CFI_INVALID_DESCRIPTOR;
    if (!is_attribute(attribute))
        return CFI_INVALID_ATTRIBUTE;
    if (attribute == CFI_attribute_allocatable && base_addr)
        return CFI_ERROR_BASE_ADDR_NOT_NULL;
    if (rank < 0 || rank > CFI_MAX_RANK)
        return CFI_INVALID_RANK;
    if (bytes < 0)
        return CFI_INVALID_TYPE;
    if (bytes == 0 && elem_len == 0)
        return CFI_INVALID_ELEM_LEN;
    if (rank > 0 && base_addr && !extents)
        return CFI_INVALID_EXTENT;
    for (int i = 0; base_addr && i < rank; i++)
        if (extents[i] < 0)
            return CFI_INVALID_EXTENT;
    dv->base_addr = base_addr;
    dv->elem_len = bytes > 0 ? (size_t)bytes : elem_len;
    dv->version = CFI_VERSION;
    dv->rank = rank;
    dv->attribute = attribute;
    dv->type = type;
    sm = dv->elem_len;
    for (int i = 0; base_addr && i < rank; i++) {
        dv->dim[i].lower_bound = 0;
        dv->dim[i].extent = extents[i];
        dv->dim[i].sm = sm;
        sm *= extents[i];
    }
    return CFI_SUCCESS;
}

int CFI_is_contiguous(const CFI_cdesc_t *dv) {
    CFI_index_t sm;
    if (!dv || !dv->base_addr || dv->rank < 0)
        return 0;
    if (is_assumed_size(dv))
        return 1;
    sm = dv->elem_len;
    for (int i = 0; i < dv->rank; i++)
        if (dv->dim[i].extent == 0)
            return 1;
    for (int i = 0; i < dv->rank; i++) {
        if (dv->dim[i].extent != 1 && dv->dim[i].sm != sm)
            return 0;
        sm *= dv->dim[i].extent;
    }
    return 1;
}

int CFI_section(CFI_cdesc_t *result, const CFI_cdesc_t *source, const CFI_index_t lower_bounds[],
                const CFI_index_t upper_bounds[], const CFI_index_t strides[]) {
    CFI_dim_t dims[CFI_MAX_RANK];
    CFI_index_t offset = 0;
    int rank = 0, is_empty = 0;
    if (!result || !source)
        return CFI_INVALID_DESCRIPTOR;
    if (result->attribute == CFI_attribute_allocatable)
        return CFI_INVALID_ATTRIBUTE;
    if (!source->base_addr)
        return CFI_ERROR_BASE_ADDR_NULL;
    if (source->rank < 1 || source->rank > CFI_MAX_RANK)
        return CFI_INVALID_RANK;
    if (result->type != source->type)
        return CFI_INVALID_TYPE;
    if (result->elem_len != source->elem_len)
        return CFI_INVALID_ELEM_LEN;
    if (is_assumed_size(source) && !upper_bounds)
        return CFI_INVALID_DESCRIPTOR;
    for (int i = 0; i < source->rank; i++) {
        CFI_dim_t of = source->dim[i];
        int is_open = i == source->rank - 1 && is_assumed_size(source);
        CFI_index_t lower = lower_bounds ? lower_bounds[i] : of.lower_bound;
        CFI_index_t upper = upper_bounds ? upper_bounds[i] : of.lower_bound + of.extent - 1;
        CFI_index_t stride = strides ? strides[i] : 1;
        CFI_index_t extent;
        if (stride == 0) {
            /* The dimension goes, and one subscript stays. */
            if (lower != upper)
                return CFI_ERROR_OUT_OF_BOUNDS;
            extent = 1;
        } else {
            extent = (upper - lower + stride) / stride;
            if ((stride > 0 && upper < lower) || (stride < 0 && upper > lower))
                extent = 0;
        }
        if (extent > 0) {
            CFI_index_t last = lower + (extent - 1) * stride;
            CFI_index_t least = lower < last ? lower : last, most = lower < last ? last : lower;
            if (least < of.lower_bound || (!is_open && most >= of.lower_bound + of.extent))
                return CFI_ERROR_OUT_OF_BOUNDS;
        }
        is_empty |= extent == 0;
        offset += (lower - of.lower_bound) * of.sm;
        if (stride != 0) {
            dims[rank].lower_bound = 0;
            dims[rank].extent = extent;
            dims[rank].sm = of.sm * stride;
            rank++;
        }
    }
    if (rank != result->rank)
        return CFI_INVALID_RANK;
    for (int i = 0; i < rank; i++)
        result->dim[i] = dims[i];
    result->base_addr = (char *)source->base_addr + (is_empty ? 0 : offset);
    return CFI_SUCCESS;
}

int CFI_select_part(CFI_cdesc_t *result, const CFI_cdesc_t *source, size_t displacement, size_t elem_len) {
    size_t bytes;
    if (!result || !source)
        return CFI_INVALID_DESCRIPTOR;
    if (result->attribute == CFI_attribute_allocatable)
        return CFI_INVALID_ATTRIBUTE;
    if (!source->base_addr)
        return CFI_ERROR_BASE_ADDR_NULL;
    if (result->rank != source->rank)
        return CFI_INVALID_RANK;
    if (is_assumed_size(source))
        return CFI_INVALID_DESCRIPTOR;
    bytes = (result->type & CFI_type_mask) == CFI_type_Character && result->type > 0 ? elem_len : result->elem_len;
    if (displacement >= source->elem_len || bytes > source->elem_len - displacement)
        return CFI_ERROR_OUT_OF_BOUNDS;
    result->elem_len = bytes;
    for (int i = 0; i < source->rank; i++)
        result->dim[i] = source->dim[i];
    result->base_addr = (char *)source->base_addr + displacement;
    return CFI_SUCCESS;
}

int CFI_setpointer(CFI_cdesc_t *result, CFI_cdesc_t *source, const CFI_index_t lower_bounds[]) {
    if (!result)
        return CFI_INVALID_DESCRIPTOR;
    if (result->attribute != CFI_attribute_pointer)
        return CFI_INVALID_ATTRIBUTE;
    if (!source || (!source->base_addr && source->attribute == CFI_attribute_pointer)) {
        result->base_addr = NULL;
        return CFI_SUCCESS;
    }
    if (!source->base_addr)
        return CFI_ERROR_BASE_ADDR_NULL;
    if (source->rank != result->rank)
        return CFI_INVALID_RANK;
    if (source->type != result->type)
        return CFI_INVALID_TYPE;
    if (source->elem_len != result->elem_len)
        return CFI_INVALID_ELEM_LEN;
    if (is_assumed_size(source))
        return CFI_INVALID_DESCRIPTOR;
    for (int i = 0; i < source->rank; i++) {
        result->dim[i] = source->dim[i];
        if (lower_bounds)
            result->dim[i].lower_bound = lower_bounds[i];
    }
    result->base_addr = source->base_addr;
    return CFI_SUCCESS;
}
