// An empty table of ICU's data, under the name of the table that Foundation carries. Linked before Foundation's
// archives, it takes the place of 34 MB of locale data, which nothing in Atelier reads. Documentation/Installing.md says
// what the program then cannot do.
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
