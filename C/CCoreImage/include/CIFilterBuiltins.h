// Empty: the Swift module CoreImage holds the filters.
#ifndef CIFILTERBUILTINS_H
#define CIFILTERBUILTINS_H
#endif
