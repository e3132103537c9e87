import Foundation
import Platform

/// An error with a picture: a code for programs, a sentence for people.
public struct ImagingError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: Sendable, Hashable {
    /// The file is missing or may not be read.
    case unreadableFile
    /// The bytes are not a picture, or are only a part of a picture.
    case notAPicture
    /// The picture has more pixels than the limit allows.
    case tooLarge
    /// A size, a region or a number of bytes is out of range.
    case invalidGeometry
    /// The file name's extension belongs to no format that can be written.
    case unknownFormat
    /// The file could not be written.
    case unwritableFile
    /// The pixels have a format that cannot be converted to a picture.
    case unsupportedPixels
    /// There is not enough free memory.
    case outOfMemory
    /// libvips failed for a reason that the input does not cause.
    case libraryFailure
  }

  /// The kind of failure.
  public let code: Code

  /// A sentence that says which file or object failed, what was expected, what was found, and what to do.
  public let message: String

  /// Creates an error with a sentence.
  public init(code: Code, message: String) {
    self.code = code
    self.message = ErrorSentence.tidied(message)
  }

  /// The same as ``message``.
  public var description: String { message }
}

extension ImagingError: LocalizedError {
  /// The same as ``message``.
  public var errorDescription: String? { message }
}
