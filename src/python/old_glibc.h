/* old_glibc.h : for wheels that are to run with glibc 2.28 and newer though a newer one's headers
 * built them (LIBTMAP_MANYLINUX=1): the few functions of ours that got a newer version since, by
 * the version that every glibc of the architecture has. exp2, log2 and pow have changed in how they
 * set errno alone (2.29), dlopen in where it lies (2.34: _isl links libdl.so.2, too). */
#ifndef LIBTMAP_OLD_GLIBC_H
#define LIBTMAP_OLD_GLIBC_H

#if defined(__x86_64__)
#define LIBTMAP_OLD "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define LIBTMAP_OLD "GLIBC_2.17"
#endif
#ifdef LIBTMAP_OLD
__asm__(".symver exp2,exp2@" LIBTMAP_OLD);
__asm__(".symver log2,log2@" LIBTMAP_OLD);
__asm__(".symver pow,pow@" LIBTMAP_OLD);
__asm__(".symver dlopen,dlopen@" LIBTMAP_OLD);
__asm__(".symver dlclose,dlclose@" LIBTMAP_OLD);
__asm__(".symver dlsym,dlsym@" LIBTMAP_OLD);
#endif

#endif
