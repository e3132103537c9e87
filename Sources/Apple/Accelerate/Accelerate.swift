/// vDSP, vForce, BLAS, LAPACK and vImage: the C functions are those of the target CAccelerate.
@_exported public import CAccelerate

/// vDSP's functions with Swift's types.
public enum vDSP {}

/// vForce's functions with Swift's types.
public enum vForce {}
