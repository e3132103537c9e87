// Swift Testing adds a module of this name wherever a file imports both `Testing` and a module called
// `CoreGraphics`, also on Linux, where the toolchain does not have it. It is empty here: attaching
// images to test reports is Apple's. `CoreGraphics` depends on it, so that it is found wherever that is.
