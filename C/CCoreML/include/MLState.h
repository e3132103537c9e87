// Empty: the Swift module CoreML holds the types.
#ifndef MLSTATE_H
#define MLSTATE_H
#endif
