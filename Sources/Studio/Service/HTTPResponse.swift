import Foundation

/// An answer to a request.
public struct HTTPResponse: Sendable {
  /// The bytes of an answer.
  public enum Body: Sendable {
    /// Bytes that belong to the answer.
    case data(Data)
    /// Bytes of the program itself, which are not copied.
    case lasting(UnsafeStaticBytes)
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
    self.message = message
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
