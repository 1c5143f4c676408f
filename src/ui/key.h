/* SPDX-License-Identifier: BSD-2-Clause */
/* key.h - a key, whatever keyboard it comes from. */
#ifndef SRC_UI_KEY_H
#define SRC_UI_KEY_H

enum key_code {
    KEY_NONE,
    KEY_UP,
    KEY_DOWN,
    KEY_LEFT,
    KEY_RIGHT,
    KEY_HOME,
    KEY_END,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_ENTER,
    KEY_ESCAPE,
    KEY_BACKSPACE,
    KEY_CHARACTER,
    KEY_OTHER,
};

struct key {
    enum key_code code;
    char character; /* printable ASCII, where code is KEY_CHARACTER */
};

#endif
