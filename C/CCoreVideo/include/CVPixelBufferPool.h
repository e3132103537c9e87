// Empty: the Swift module CoreVideo holds the types.
#ifndef CVPIXELBUFFERPOOL_H
#define CVPIXELBUFFERPOOL_H
#endif
