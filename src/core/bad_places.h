/* The places at which a row is evaluated, by its span: BAD_PLACE(when, must, i, least rank - 1) of
 * each. Whoever includes this says what BAD_PLACE does. */
#ifndef TMAP_CORE_BAD_PLACES_H
#define TMAP_CORE_BAD_PLACES_H

#define BAD_OUTER(c, m)                                                                            \
    BAD_PLACE(c, m, 1, 1) BAD_PLACE(c, m, 2, 2) BAD_PLACE(c, m, 3, 3) BAD_PLACE(c, m, 4, 4)
#define BAD_DIMS(c, m) BAD_PLACE(c, m, 0, 0) BAD_OUTER(c, m)
#define BAD_STRIDES(c, m)                                                                          \
    BAD_PLACE(c, m, 0, 1) BAD_PLACE(c, m, 1, 2) BAD_PLACE(c, m, 2, 3) BAD_PLACE(c, m, 3, 4)
#define BAD_SPATIALS(c, m) BAD_PLACE(c, m, 0, 2) BAD_PLACE(c, m, 1, 3) BAD_PLACE(c, m, 2, 4)

#endif
