// The module contains only its header. SwiftPM needs a source file to make a module of a folder.
#include "atelier.h"
