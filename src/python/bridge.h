/* bridge.h : src/io for Python: texts in, texts and descriptors out. cffi reads this too. */

/* Bytes of an error's text, as src/io has them. */
enum { LIBTMAP_ERROR_SIZE = 512 };

/* libtmap_log() : the dumps in a log of program's ("triton"; NULL: what it looks like), at most
 * cap of them: descs[i], or errors[i] in LIBTMAP_ERROR_SIZE bytes each ("" when it was read),
 * lines[i] from 1, flags[i]: 1, the text does not say the address, which is 0 then; 2, errors[i]
 * names what else it does not say, and descs[i] is illegal for what it does; from bit 8 on the
 * architecture that the text is about, where that is not the default one, else 0. Returns how many
 * there are; -1 for an unknown program, -2 without memory. */
long libtmap_log(const char *program, const char *text, size_t size, struct tmap_desc *descs,
                 char *errors, size_t *lines, unsigned *flags, size_t cap);

/* libtmap_rule() : a row as JSON; libtmap_svg() : the picture of a legal descriptor's box. NULL: no
 * memory, or not legal. The caller frees both with libtmap_free(). */
char *libtmap_rule(const struct tmap_target *target, unsigned row);
char *libtmap_svg(const struct tmap_checker *checker, const struct tmap_desc *desc,
                  const char *name);
void libtmap_free(char *text);

/* libtmap_gpu() : the architecture of a GPU by its name ("B200"); NULL for any other. */
const char *libtmap_gpu(const char *name);
