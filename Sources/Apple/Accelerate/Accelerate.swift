/// vDSP, vForce, BLAS, LAPACK and vImage: the C functions are those of the target CAccelerate.
@_exported public import CAccelerate
// Apple's vImage takes CoreVideo's and CoreGraphics' types, so Accelerate exports these modules.
@_exported public import CoreGraphics
@_exported public import CoreVideo

/// vDSP's functions with Swift's types.
public enum vDSP {}

/// vForce's functions with Swift's types.
public enum vForce {}
