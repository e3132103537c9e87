// An empty ICU data table, with the symbol name of the table in Foundation's archives. The linker takes the first
// definition, so this file replaces 34 MB of locale data that Atelier does not read. Documentation/Installing.md lists
// what the program cannot do without that data.
//
// Source: the structure of ICU's common data (unicode/udata.h: UDataInfo; ICU User Guide, "ICU Data"): a header of 32
// bytes with the format "ToCP" (table of contents, with pointers), then the number of entries.

#include <stdint.h>

struct EmptyTable {
  uint16_t headerSize;
  uint8_t magic[2];
  // UDataInfo
  uint16_t infoSize, reserved;
  uint8_t isBigEndian, charset, sizeOfCharacter, reservedByte;
  uint8_t format[4], formatVersion[4], dataVersion[4];
  uint8_t padding[8];
  uint32_t count, reservedWord;
  uint32_t noEntry[4];
};

// ICU_TABLE is the name of the symbol, such as icudt76_dat. Scripts/link_program.sh finds it in the archive.
const struct EmptyTable ICU_TABLE __attribute__((aligned(16), visibility("default"))) = {
    .headerSize = 32,
    .magic = {0xDA, 0x27},
    .infoSize = 20,
    .sizeOfCharacter = 2,
    .format = {'T', 'o', 'C', 'P'},
    .formatVersion = {1},
};
