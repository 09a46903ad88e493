/* version.c : which driver this is, and which target that makes. */
#include "driver/driver.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first word of text that starts with a digit and has a point: "580.159.04". */
static bool dotted_word(const char *text, char *out, size_t cap)
{
    for (const char *at = text; *at; at++) {
        if (!isdigit((unsigned char)*at) || (at > text && !isspace((unsigned char)at[-1])))
            continue;
        const size_t length = strspn(at, "0123456789.");
        if (!memchr(at, '.', length) || length >= cap) continue;
        memcpy(out, at, length);
        out[length] = '\0';
        return true;
    }
    return false;
}

static bool from_proc(char *out, size_t cap)
{
    char line[512];
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    if (!file) return false;
    const bool read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    return read && dotted_word(line, out, cap);
}

static bool from_nvml(char *out, size_t cap)
{
    int (*init)(void), (*version)(char *, unsigned), (*shutdown)(void);
    void *nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!nvml) return false;
    void *found[] = {dlsym(nvml, "nvmlInit_v2"), dlsym(nvml, "nvmlSystemGetDriverVersion"),
                     dlsym(nvml, "nvmlShutdown")};
    memcpy(&init, &found[0], sizeof init);
    memcpy(&version, &found[1], sizeof version);
    memcpy(&shutdown, &found[2], sizeof shutdown);
    bool ok = found[0] && found[1] && found[2] && init() == 0;
    if (ok) {
        ok = version(out, (unsigned)cap) == 0;
        shutdown();
    }
    dlclose(nvml);
    return ok;
}

void driver_version_text(char *out, size_t cap)
{
    out[0] = '\0';
    if (!from_proc(out, cap) && !from_nvml(out, cap)) out[0] = '\0';
}

uint32_t driver_branch_of(const char *version)
{
    return (uint32_t)strtoul(version, NULL, 10);
}

struct tmap_target driver_target(const struct tmap_gpu *gpu, const char *version)
{
    struct tmap_target target = tmap_default_target();
    char cuda[16], arch[16];
    snprintf(cuda, sizeof cuda, "%d.%d", gpu->cuda_version / 1000, gpu->cuda_version % 1000 / 10);
    snprintf(arch, sizeof arch, "sm_%d%da", gpu->cc_major, gpu->cc_minor);
    if (tmap_target_from(cuda, NULL, NULL, arch, &target) != TMAP_OK)
        tmap_target_from(cuda, NULL, NULL, NULL, &target);
    if (driver_branch_of(version)) target.driver = driver_branch_of(version);
    return target;
}
