/* The archive an FMU comes in, and the folder it is unpacked into. Private to the module. */
#ifndef IB_FMI_ARCHIVE_H
#define IB_FMI_ARCHIVE_H

#include "fmi/fmi.h"

/* ---- folder.c: folders that go when their process does ------------------------------------- */

/* A new folder of ours below TMPDIR, or /tmp. Folders that processes left behind that are no more
 * are removed on the way. */
typedef struct ib_fmi_folder {
    char *path; /* absolute, without a slash at the end; NULL: there is none */
    int lock;   /* held as long as the folder is in use */
} ib_fmi_folder;

ib_status ib_fmi_folder_open(ib_diags *diags, ib_fmi_folder *folder);
void ib_fmi_folder_close(ib_fmi_folder *folder);
/* Removes a file or a folder with everything in it; links are removed, not followed. */
void ib_fmi_remove(const char *path);

/* ---- archive.c ----------------------------------------------------------------------------- */

/* Unpacks every entry below `folder`, which exists and is empty. Nothing is written outside it:
 * entries with other names, links, and archives that are damaged, contradict themselves or unpack
 * to too much are refused with the entry named. */
ib_status ib_fmi_unpack(const char *archive, const char *folder, ib_diags *diags);

#endif
