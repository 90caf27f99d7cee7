/* What the kinds of `ironbird info` share. */
#ifndef IB_CLI_INFO_H
#define IB_CLI_INFO_H

#include "cli.h"

/* A list of channels, wherever they come from. */
typedef struct ib_channel_list {
    ib_channel_info *list;
    size_t n;
} ib_channel_list;

/* Members of a JSON object: "name": value. What is not finite is null. */
void ib_info_json_text(ib_str *text, const char *name, const char *value);
void ib_info_json_number(ib_str *text, const char *name, double value);
void ib_info_json_channels(ib_str *text, const ib_channel_list *all);

/* info_mission.c */
ib_status ib_info_mission(const char *path, const ib_arguments *given, ib_diags *diags);

#endif
