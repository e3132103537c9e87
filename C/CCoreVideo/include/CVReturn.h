// Empty: the Swift module CoreVideo holds the types.
#ifndef CVRETURN_H
#define CVRETURN_H
#endif
