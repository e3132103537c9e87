import Foundation
import Glibc
import Platform

/// An answer to a request.
public struct HTTPResponse: Sendable {
  /// The bytes of an answer.
  public enum Body: Sendable {
    /// Bytes that belong to the answer.
    case data(Data)
    /// Bytes of the program itself, which are not copied.
    case lasting(UnsafeStaticBytes)
    /// The bytes of a file, which are read as the client takes them.
    case file(OpenFile)
  }

  /// The status.
  public var status: Int
  /// Names and values.
  public var headers: [(name: String, value: String)]
  /// The body.
  public var body: Body
  /// What to do with the connection once it is a WebSocket; it runs on a thread of its own.
  public var socket: (@Sendable (WebSocket) -> Void)?

  /// An answer.
  public init(
    _ status: Int, headers: [(name: String, value: String)] = [], body: Body = .data(Data())
  ) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// An answer with bytes of a type.
  public init(_ status: Int = 200, type: String, _ data: Data) {
    self.init(status, headers: [("Content-Type", type)], body: .data(data))
  }

  /// An answer with a file's bytes, which never lie in memory as a whole.
  public init(type: String, file: URL) throws {
    self.init(200, headers: [("Content-Type", type)], body: .file(try OpenFile(file)))
  }

  /// An answer in JSON: sorted keys, times in seconds.
  public static func json(_ value: some Encodable, status: Int = 200) throws -> HTTPResponse {
    HTTPResponse(status, type: "application/json", try encoded(value))
  }

  /// A value in JSON as ``json(_:status:)`` writes it.
  public static func encoded(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .secondsSince1970
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try encoder.encode(value)
  }

  /// An answer without a body.
  public static let done = HTTPResponse(204)
}

/// Bytes that live as long as the program.
///
/// `@unchecked Sendable`: nobody writes to them.
public struct UnsafeStaticBytes: @unchecked Sendable {
  /// The bytes.
  public let bytes: UnsafeRawBufferPointer

  /// Bytes of the program's own data.
  public init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }
}

/// A file that is open for reading, and stays as it is when another takes its name.
public final class OpenFile: Sendable {
  /// The open file.
  let descriptor: Int32
  /// Its bytes when it was opened.
  let count: Int

  /// Opens a regular file.
  ///
  /// - Throws: ``HTTPError`` of status 404 where there is none that may be read.
  public init(_ file: URL) throws {
    descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    var state = stat()
    guard descriptor >= 0, fstat(descriptor, &state) == 0, state.st_mode & S_IFMT == S_IFREG else {
      if descriptor >= 0 { close(descriptor) }
      throw HTTPError.missing("file of that name")
    }
    count = Int(state.st_size)
  }

  deinit { close(descriptor) }

  /// Another descriptor of the file, for an owner that closes it; -1 where the system has none left.
  func another() -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 3) }
}

/// Why a request is refused or failed: a status, a word for programs, a sentence for people.
public struct HTTPError: Error, Sendable, CustomStringConvertible {
  /// The status.
  public let status: Int
  /// A word for programs: `too_large`.
  public let code: String
  /// One sentence.
  public let message: String
  /// Headers that belong to it.
  public let headers: [(name: String, value: String)]

  /// An error.
  public init(
    _ status: Int, _ code: String, _ message: String,
    headers: [(name: String, value: String)] = []
  ) {
    self.status = status
    self.code = code
    self.message = ErrorSentence.tidied(message)
    self.headers = headers
  }

  public var description: String { message }

  /// The error as an answer.
  public var response: HTTPResponse {
    struct Words: Encodable {
      let code: String
      let message: String
    }
    let made = try? HTTPResponse.json(
      ["error": Words(code: code, message: message)], status: status)
    var response = made ?? HTTPResponse(status)
    response.headers += headers
    return response
  }

  /// There is nothing of that name.
  public static func missing(_ what: String) -> HTTPError {
    HTTPError(404, "not_found", "There is no \(what) here.")
  }
}
