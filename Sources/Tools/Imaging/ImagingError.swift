import Foundation
import Platform

/// What went wrong with a picture: a code for programs, a sentence for people.
public struct ImagingError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  public enum Code: Sendable, Hashable {
    /// The file is missing or may not be read.
    case unreadableFile
    /// The bytes are not a picture, or only part of one.
    case notAPicture
    /// The picture has more pixels than the limit allows.
    case tooLarge
    /// A size, a region or an amount of bytes does not fit.
    case invalidGeometry
    /// The file name's extension stands for no format that can be written.
    case unknownFormat
    /// The file could not be written.
    case unwritableFile
    /// Pixels in a format that pictures cannot be made from.
    case unsupportedPixels
    /// Memory is short.
    case outOfMemory
    /// libvips failed in a way that input does not explain.
    case libraryFailure
  }

  /// The kind of failure.
  public let code: Code

  /// One sentence: the file or the thing, what was expected, what was found, the way out.
  public let message: String

  /// An error with its sentence.
  public init(code: Code, message: String) {
    self.code = code
    self.message = ErrorSentence.tidied(message)
  }

  /// The sentence.
  public var description: String { message }
}

extension ImagingError: LocalizedError {
  /// The sentence.
  public var errorDescription: String? { message }
}
