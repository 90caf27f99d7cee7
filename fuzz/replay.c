/* Runs a fuzz target over files instead of invented inputs: every argument is a file, or a folder
 * whose files are taken. The tests replay the corpora with it, under any compiler and sanitizer.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Exactly `size` bytes are allocated, so that a read beyond them is caught. */
static int replay_file(const char *path, size_t size) {
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(size > 0 ? size : 1);
    int good = file != NULL && data != NULL && fread(data, 1, size, file) == size;
    if (good) {
        LLVMFuzzerTestOneInput(data, size);
    } else {
        fprintf(stderr, "%s: cannot be read\n", path);
    }
    free(data);
    if (file != NULL) {
        fclose(file);
    }
    return good;
}

static int replay_folder(const char *path, int *n_files) {
    DIR *folder = opendir(path);
    if (folder == NULL) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return 0;
    }
    int good = 1;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char name[4096];
        struct stat facts;
        snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
        if (stat(name, &facts) == 0 && S_ISREG(facts.st_mode)) {
            good = replay_file(name, (size_t)facts.st_size) && good;
            *n_files += 1;
        }
    }
    closedir(folder);
    return good;
}

int main(int argc, char **argv) {
    int n_files = 0;
    int good = 1;
    for (int i = 1; i < argc; i++) {
        struct stat facts;
        if (stat(argv[i], &facts) != 0) {
            fprintf(stderr, "%s: there is no such file\n", argv[i]);
            good = 0;
        } else if (S_ISDIR(facts.st_mode)) {
            good = replay_folder(argv[i], &n_files) && good;
        } else {
            good = replay_file(argv[i], (size_t)facts.st_size) && good;
            n_files += 1;
        }
    }
    printf("%d files replayed\n", n_files);
    return good && n_files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
