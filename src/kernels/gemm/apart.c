/* D by even and odd rows, a batch each.
 *
 * Where rows of D are an odd number of 16 bytes apart, every second one begins inside a sector of
 * 32 bytes. A panel of 128 bytes then ends inside two sectors, and the cache reads both from memory
 * before it writes them: an H200 stores 2.1 TB/s so, an H100 1.7, and 3.8 and 3.0 where rows begin
 * with a sector (docs/EXPERIMENTS.md). Of the odd rows alone all begin inside a sector. So their
 * tiles begin half a sector earlier, and only D's own edges are torn. */
#include "kernels/gemm/sm90/geometry.h"
#include "kernels/gemm/suite.h"

/* By drawn products of bf16 (docs/EXPERIMENTS.md): with a longer K there is nothing to gain, and an
 * odd number of rows, whose odd ones come first, loses up to a third where D has fewer bytes. Why
 * is not known. */
enum { MOST_K_BYTES = 256, LEAST_ROWS = 1024 };
static const double LEAST_ODD_BYTES = 3e8;

/* In columns of D. */
static int32_t half_sector(const struct gemm_view *view)
{
    return GEMM_CLIP_BYTES / view->out_bytes;
}

/* A column-major B is loaded from so many of its elements on: whole 16 bytes (TMA132). */
static bool can_shift(const struct gemm_view *view)
{
    return !view->b.mn_major || half_sector(view) * view->element_bits % (8 * GEMM_CLIP_BYTES) == 0;
}

/* Steps after the sum know rows and columns by number. */
static bool can_be_apart(const struct tmap_gemm *suite, const struct gemm_view *view)
{
    const bool plain = !view->adds_c && !view->epilogue && !view->blocks && !view->early;
    const bool by_rows = !view->transposed && !view->a.mn_major && view->batch == 1;
    const int64_t row = view->d.ld * view->out_bytes;
    return suite->family == GEMM_SM90 && plain && by_rows && can_shift(view) &&
           view->d.address % GEMM_SECTOR_BYTES == 0 && row % GEMM_SECTOR_BYTES == GEMM_CLIP_BYTES &&
           !gemm_is_ragged(view) && view->m > 1;
}

static bool may_be_apart(const struct tmap_gemm_config *request)
{
    return request->apart >= 0 && request->split_k <= 1 && request->stream_k <= 0 &&
           request->direct <= 0;
}

/* Where the stores may take longer than the multiplies; the model compares. */
static bool may_pay(const struct gemm_view *view)
{
    const double d_bytes = (double)view->m * view->n * view->out_bytes;
    return view->m >= LEAST_ROWS && (view->m % 2 == 0 || d_bytes >= LEAST_ODD_BYTES) &&
           (int64_t)view->k * view->element_bits <= 8 * (int64_t)MOST_K_BYTES;
}

bool gemm_wants_apart(const struct tmap_gemm *suite, const struct gemm_view *view,
                      const struct tmap_gemm_config *request)
{
    return can_be_apart(suite, view) && may_be_apart(request) &&
           (request->apart > 0 || may_pay(view));
}

/* Of an odd number of rows the odd ones are one less. They come first then, with a row before them
 * that no tile has: their map begins a row before the matrix, where nothing may be mapped, and ends
 * where it does. */
static struct tmap_gemm_matrix by_parity(const struct tmap_gemm_matrix *whole, bool odd_first,
                                         int32_t element_bits)
{
    struct tmap_gemm_matrix x = *whole;
    x.batch_stride = whole->ld;
    x.ld = 2 * whole->ld;
    if (odd_first) x.address -= (uint64_t)(whole->ld * element_bits / 8);
    return x;
}

struct gemm_view gemm_view_apart(const struct gemm_view *view)
{
    struct gemm_view v = *view;
    v.apart = true;
    v.odd_first = view->m % 2 != 0;
    v.torn = false;
    v.m = gemm_ceil_div(view->m, 2);
    v.batch = 2;
    v.a = by_parity(&view->a, v.odd_first, view->element_bits);
    v.d = by_parity(&view->d, v.odd_first, 8 * view->out_bytes);
    v.b.batch_stride = 0; /* both of all of B */
    return v;
}

int32_t gemm_tiled_columns(const struct gemm_view *view)
{
    return view->n + (view->apart ? half_sector(view) : 0);
}

struct gemm_view gemm_view_in(const struct tmap_gemm_problem *problem,
                              const struct gemm_choice *choice)
{
    const struct gemm_view whole = gemm_view_of(problem, choice->config.swapped > 0);
    const struct gemm_view tiled = choice->config.apart > 0 ? gemm_view_apart(&whole) : whole;
    return gemm_view_for(&tiled, choice->instance);
}

/* The last columns of a tile that is not so many panels have a map of their own, where the first
 * tile's is. */
bool gemm_tiles_apart(const struct gemm_instance *instance)
{
    return instance->image != GEMM_EARLY &&
           (instance->bn < GEMM_SLAB_ROWS || instance->bn % GEMM_SLAB_ROWS == 0);
}

void gemm_describe_first(const struct gemm_view *view, int32_t tile_n, struct tmap_desc *desc)
{
    const uint64_t reach = (uint64_t)(tile_n - half_sector(view));
    if (reach < desc->dim[0]) desc->dim[0] = reach;
}

void gemm_fill_apart(const struct gemm_view *view, struct gemm_params *p)
{
    if (!view->apart) return;
    p->odd_left = (uint16_t)half_sector(view);
    p->odd_first = view->odd_first;
}
