/// What went wrong in a request. Raw values are Apple's.
public enum VNErrorCode: Int, Sendable, Hashable {
  /// An error of an older framework; never given here.
  case turiCoreErrorCode = -1
  /// Nothing.
  case OK = 0
  /// The request was cancelled.
  case requestCancelled = 1
  /// A format is not supported.
  case invalidFormat = 2
  /// The operation failed.
  case operationFailed = 3
  /// Coordinates lie outside their bounds.
  case outOfBoundsError = 4
  /// An option has a wrong value.
  case invalidOption = 5
  /// A file could not be read or written.
  case ioError = 6
  /// An option that is needed is missing.
  case missingOption = 7
  /// The request does nothing here.
  case notImplemented = 8
  /// A mistake of the framework's own.
  case internalError = 9
  /// There is not enough memory.
  case outOfMemory = 10
  /// Nobody knows what went wrong.
  case unknownError = 11
  /// The operation is not allowed now.
  case invalidOperation = 12
  /// The picture cannot be used.
  case invalidImage = 13
  /// An argument has a wrong value.
  case invalidArgument = 14
  /// The model cannot be used.
  case invalidModel = 15
  /// The revision is not supported.
  case unsupportedRevision = 16
  /// Data that is needed is missing.
  case dataUnavailable = 17
  /// A picture has no time.
  case timeStampNotFound = 18
  /// The request is not supported.
  case unsupportedRequest = 19
  /// The request took too long.
  case timeout = 20
  /// The compute stage is not supported.
  case unsupportedComputeStage = 21
  /// The compute device is not supported.
  case unsupportedComputeDevice = 22
}
