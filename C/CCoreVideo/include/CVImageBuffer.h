// Empty: the Swift module CoreVideo holds the types.
#ifndef CVIMAGEBUFFER_H
#define CVIMAGEBUFFER_H
#endif
