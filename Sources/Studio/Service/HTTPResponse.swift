import Foundation
import Glibc
import Platform

/// The response to a request.
public struct HTTPResponse: Sendable {
  /// The bytes of a response.
  public enum Body: Sendable {
    /// Bytes in memory.
    case data(Data)
    /// Bytes in the program's constant data. The server sends them without copying them.
    case lasting(UnsafeStaticBytes)
    /// The bytes of a file. The server reads them while it sends them.
    case file(OpenFile)
    /// A part of the bytes of a file.
    case part(OpenFile, Range<Int>)
  }

  /// The HTTP status code.
  public var status: Int
  /// The headers, in the order in which they are sent.
  public var headers: [(name: String, value: String)]
  /// The body.
  public var body: Body
  /// If not nil, the connection becomes a WebSocket, and the server calls this function on a new thread.
  public var socket: (@Sendable (WebSocket) -> Void)?

  /// Creates a response.
  public init(
    _ status: Int, headers: [(name: String, value: String)] = [], body: Body = .data(Data())
  ) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Creates a response with a body of a media type.
  public init(_ status: Int = 200, type: String, _ data: Data) {
    self.init(status, headers: [("Content-Type", type)], body: .data(data))
  }

  /// Creates a response that sends a file without loading all of it into memory.
  public init(type: String, file: URL) throws {
    self.init(200, headers: [("Content-Type", type)], body: .file(try OpenFile(file)))
  }

  /// Encodes a value as a JSON response, with sorted keys and with dates in seconds since 1970.
  public static func json(_ value: some Encodable, status: Int = 200) throws -> HTTPResponse {
    HTTPResponse(status, type: "application/json", try encoded(value))
  }

  /// Encodes a value as the JSON that ``json(_:status:)`` sends.
  public static func encoded(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .secondsSince1970
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try encoder.encode(value)
  }

  /// The response 204, which has no body.
  public static let done = HTTPResponse(204)
}

/// Bytes that live as long as the program.
///
/// `@unchecked Sendable`: the bytes are never written.
public struct UnsafeStaticBytes: @unchecked Sendable {
  /// The bytes.
  public let bytes: UnsafeRawBufferPointer

  /// Refers to bytes in the program's constant data.
  public init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }
}

/// A file that is open for reading. If another file replaces it under the same name, this object still reads the old
/// file.
public final class OpenFile: Sendable {
  /// The file descriptor.
  let descriptor: Int32
  /// The size that the file had when it was opened, in bytes.
  let count: Int
  /// An entity tag: another version of the file has another one.
  let tag: String

  /// Opens a regular file.
  ///
  /// - Throws: ``HTTPError`` of status 404 if no such file can be read.
  public init(_ file: URL) throws {
    descriptor = open(file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    var state = stat()
    guard descriptor >= 0, fstat(descriptor, &state) == 0, state.st_mode & S_IFMT == S_IFREG else {
      if descriptor >= 0 { close(descriptor) }
      throw HTTPError.missing("file of that name")
    }
    count = Int(state.st_size)
    tag = "\"\(state.st_ino)-\(state.st_mtim.tv_sec).\(state.st_mtim.tv_nsec)-\(state.st_size)\""
  }

  deinit { close(descriptor) }

  /// Duplicates the file descriptor, which the caller closes. Returns -1 if the process can open no more files.
  func another() -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 3) }
}

/// The reason why a request was refused or failed. It has a status, a code for programs, and a sentence for people.
public struct HTTPError: Error, Sendable, CustomStringConvertible {
  /// The HTTP status code.
  public let status: Int
  /// A code for programs, such as `too_large`.
  public let code: String
  /// A sentence that says what is wrong.
  public let message: String
  /// Additional headers of the response.
  public let headers: [(name: String, value: String)]

  /// Creates an error.
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

  /// The error as a response.
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

  /// The error as a response in the form that the target's protocol expects. Below `/v2`, the Open Inference Protocol,
  /// that is `{"error": "text"}`.
  public func response(target: String) -> HTTPResponse {
    guard target == "/v2" || target.hasPrefix("/v2/") || target.hasPrefix("/v2?") else {
      return response
    }
    var response = (try? HTTPResponse.json(["error": message], status: status)) ?? response
    response.headers += headers
    return response
  }

  /// Returns the error 404 for something that does not exist. `what` names it.
  public static func missing(_ what: String) -> HTTPError {
    HTTPError(404, "not_found", "There is no \(what) here.")
  }
}
