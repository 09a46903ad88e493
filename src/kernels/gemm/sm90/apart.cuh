// D whose odd rows are a batch of their own (apart.c): where their tiles begin, and end.
#pragma once

#include "kernels/gemm/members.cuh"
#include "layout.cuh"

// Of the kernels without steps after the sum, which know rows and columns by number; and p.d_end
// is free where a tile is so many whole panels.
template <class S>
constexpr bool TILES_APART = !S::EARLY && !S::EPILOGUE && !S::QUICK && !S::GATED && !S::BLOCKS &&
                             !S::IM2COL && !S::PARTIAL && !S::GROUPED;

// A store may not begin outside D (TMA134): so the first tile begins where D does.
template <class S>
PTX_FN void begin_tile(const gemm_params &p, int32_t batch, int32_t &row, int32_t &col)
{
    if constexpr (TILES_APART<S>) {
        const int32_t odd = batch ^ p.odd_first;
        row += odd & p.odd_first;
        col = max(col - odd * p.odd_left, 0);
    }
}

// Where odd rows come first, A's map begins a row before A. A load whose box begins outside would
// touch that row (docs/SIMULATOR.md): it takes the last row instead, for rows that D does not have.
template <class S> PTX_FN int32_t load_inside(const gemm_params &p, int32_t row)
{
    return TILES_APART<S> && p.odd_first ? min(row, p.m - 1) : row;
}

// Whose tile it is: a member's has its number for a batch, and its matrices are no distance apart.
template <class S> PTX_FN const gemm_params &owner_of(const gemm_params &p, int32_t batch)
{
    if constexpr (S::GROUPED)
        return member_of(p, batch);
    else
        return p;
}

// That tile ends where the second begins: D as far as there, or all of it.
template <class S>
PTX_FN const gemm_map &map_of_tile(const gemm_params &p, int32_t batch, int32_t col)
{
    if constexpr (TILES_APART<S>)
        if (p.odd_left && col == 0 && batch != p.odd_first) return p.d_end;
    return owner_of<S>(p, batch).d;
}
