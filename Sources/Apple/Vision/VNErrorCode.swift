/// The kind of a request's error. Raw values are Apple's.
public enum VNErrorCode: Int, Sendable, Hashable {
  /// An error of an older framework. Not used here.
  case turiCoreErrorCode = -1
  /// No error.
  case OK = 0
  /// The request was cancelled.
  case requestCancelled = 1
  /// A format is not supported.
  case invalidFormat = 2
  /// The operation failed.
  case operationFailed = 3
  /// Coordinates are outside of their bounds.
  case outOfBoundsError = 4
  /// An option has an invalid value.
  case invalidOption = 5
  /// A file could not be read or written.
  case ioError = 6
  /// A required option is missing.
  case missingOption = 7
  /// The request is not implemented.
  case notImplemented = 8
  /// An internal error of the framework.
  case internalError = 9
  /// There is not enough memory.
  case outOfMemory = 10
  /// An unknown error.
  case unknownError = 11
  /// The operation is not allowed in this state.
  case invalidOperation = 12
  /// The image is not valid.
  case invalidImage = 13
  /// An argument has an invalid value.
  case invalidArgument = 14
  /// The model is not valid for the request.
  case invalidModel = 15
  /// The revision is not supported.
  case unsupportedRevision = 16
  /// Required data is missing.
  case dataUnavailable = 17
  /// An image has no time stamp.
  case timeStampNotFound = 18
  /// The request is not supported.
  case unsupportedRequest = 19
  /// The request exceeded its time limit.
  case timeout = 20
  /// The compute stage is not supported.
  case unsupportedComputeStage = 21
  /// The compute device is not supported.
  case unsupportedComputeDevice = 22
}
