import Foundation

/// The error domain of Create ML.
public let MLCreateErrorDomain: String = "com.apple.CreateML"

/// An error of Create ML.
public enum MLCreateError: Error {
  /// A setting, an image or a value is not valid.
  case generic(reason: String)
  /// A file cannot be read or written.
  case io(reason: String)
  /// A value or a model does not have the expected type.
  case type(reason: String)
  /// The job was cancelled.
  case cancelled
  /// The caller resumed a session with a setting that differs from the session's.
  case incompatibleParameters(parameter: String, originalValue: String, newValue: String)
  /// The caller resumed a session with images that differ from the session's.
  case modifiedTrainingData
}

extension MLCreateError: CustomStringConvertible, LocalizedError, CustomNSError {
  /// The message, one sentence.
  public var description: String {
    switch self {
    case .generic(let reason), .io(let reason), .type(let reason): return reason
    case .cancelled: return "The training was cancelled."
    case .incompatibleParameters(let parameter, let original, let new):
      return "The session was started with \(parameter) \(original), but now it is \(new)."
    case .modifiedTrainingData:
      return "The pictures of the session have changed since it was started."
    }
  }

  /// The message.
  public var errorDescription: String? { description }
  /// The message.
  public var failureReason: String? { description }

  /// A sentence that says how to fix the problem.
  public var recoverySuggestion: String? {
    switch self {
    case .incompatibleParameters: return "Resume with the same parameters, or make a new session."
    case .modifiedTrainingData: return "Restore the pictures, or make a new session."
    default: return nil
    }
  }

  /// The error domain.
  public static var errorDomain: String { MLCreateErrorDomain }

  /// The number of the case.
  public var errorCode: Int {
    switch self {
    case .generic: return 0
    case .io: return 1
    case .type: return 2
    case .cancelled: return 3
    case .incompatibleParameters: return 4
    case .modifiedTrainingData: return 5
    }
  }

  /// The message for `NSLocalizedDescriptionKey`.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}
