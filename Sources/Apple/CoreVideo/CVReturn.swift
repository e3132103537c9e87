/// The status of a CoreVideo call: `kCVReturnSuccess` or one of the error codes.
public typealias CVReturn = Int32

/// The call succeeded.
public let kCVReturnSuccess: CVReturn = 0

/// The call failed for a reason without a code.
public let kCVReturnError: CVReturn = -6660

/// An argument is out of range.
public let kCVReturnInvalidArgument: CVReturn = -6661

/// There was not enough memory.
public let kCVReturnAllocationFailed: CVReturn = -6662

/// The call is not supported.
public let kCVReturnUnsupported: CVReturn = -6663

/// The pixel format is unknown, or the call does not support it.
public let kCVReturnInvalidPixelFormat: CVReturn = -6680

/// A width, a height or a number of bytes per row is not valid.
public let kCVReturnInvalidSize: CVReturn = -6681

/// The attributes of a pool do not allow another buffer.
public let kCVReturnWouldExceedAllocationThreshold: CVReturn = -6689

/// The attributes are not valid.
public let kCVReturnInvalidPixelBufferAttributes: CVReturn = -6682
