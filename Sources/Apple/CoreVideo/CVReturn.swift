/// The status of a CoreVideo call: `kCVReturnSuccess` or one of the error codes.
public typealias CVReturn = Int32

/// The call did what it was asked to.
public let kCVReturnSuccess: CVReturn = 0

/// A call failed for a reason that has no code of its own.
public let kCVReturnError: CVReturn = -6660

/// An argument is out of its range.
public let kCVReturnInvalidArgument: CVReturn = -6661

/// There was not enough memory.
public let kCVReturnAllocationFailed: CVReturn = -6662

/// The call is not supported.
public let kCVReturnUnsupported: CVReturn = -6663

/// The pixel format is unknown, or does not suit the call.
public let kCVReturnInvalidPixelFormat: CVReturn = -6680

/// A width, a height or a row length is not usable.
public let kCVReturnInvalidSize: CVReturn = -6681

/// The attributes contradict each other.
public let kCVReturnInvalidPixelBufferAttributes: CVReturn = -6682
