// Empty: the Swift module CoreVideo holds the types.
#ifndef CVBUFFER_H
#define CVBUFFER_H
#endif
