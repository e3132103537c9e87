// SwiftPM makes a module of a folder with a source file; the header is all there is.
#include "atelier.h"
