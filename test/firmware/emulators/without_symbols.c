/* An emulator that loads plugins as QEMU does and exports none of QEMU's functions, as one built
 * without modules: what comes after -plugin, up to the comma, is the plugin. */
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

typedef int install(uint64_t id, const void *info, int n, char **arguments);

int main(int argc, char **argv) {
    for (int i = 1; i + 1 < argc; i++) {
        if (strcmp(argv[i], "-plugin") != 0)
            continue;
        char *comma = strchr(argv[i + 1], ',');
        if (!comma)
            return 1;
        *comma = '\0';
        void *plugin = dlopen(argv[i + 1], RTLD_NOW);
        void *found = plugin ? dlsym(plugin, "qemu_plugin_install") : NULL;
        install *begin;
        memcpy(&begin, &found, sizeof begin);
        char *arguments[] = {comma + 1, NULL};
        return found ? begin(1, NULL, 1, arguments) : 1;
    }
    return 1;
}
