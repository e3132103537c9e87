import Foundation

/// The domain of Create ML's errors.
public let MLCreateErrorDomain: String = "com.apple.CreateML"

/// What Create ML cannot do.
public enum MLCreateError: Error {
  /// A setting, a picture or a number does not fit.
  case generic(reason: String)
  /// A file cannot be read or written.
  case io(reason: String)
  /// Something is of another type than expected.
  case type(reason: String)
  /// The job was cancelled.
  case cancelled
  /// A session is to go on with another setting.
  case incompatibleParameters(parameter: String, originalValue: String, newValue: String)
  /// A session is to go on with other pictures.
  case modifiedTrainingData
}

extension MLCreateError: CustomStringConvertible, LocalizedError, CustomNSError {
  /// One sentence.
  public var description: String {
    switch self {
    case .generic(let reason), .io(let reason), .type(let reason): return reason
    case .cancelled: return "The training was cancelled."
    case .incompatibleParameters(let parameter, let original, let new):
      return "The session was begun with \(parameter) \(original), but now it is \(new)."
    case .modifiedTrainingData:
      return "The pictures of the session have changed since it was begun."
    }
  }

  /// The sentence.
  public var errorDescription: String? { description }
  /// The sentence.
  public var failureReason: String? { description }

  /// What to do.
  public var recoverySuggestion: String? {
    switch self {
    case .incompatibleParameters: return "Go on with the same parameters, or make a new session."
    case .modifiedTrainingData: return "Put the pictures back, or make a new session."
    default: return nil
    }
  }

  /// The domain.
  public static var errorDomain: String { MLCreateErrorDomain }

  /// A number a case.
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

  /// The sentence under Foundation's key.
  public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }
}
