// Empty: the Swift module CoreVideo holds the types.
#ifndef CVPIXELBUFFER_H
#define CVPIXELBUFFER_H
#endif
