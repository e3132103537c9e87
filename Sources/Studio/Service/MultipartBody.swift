import Foundation

/// The parts of a `multipart/form-data` body (RFC 7578).
public struct MultipartBody: Sendable {
  /// A part: a field of the form.
  public struct Part: Sendable {
    /// The field's name.
    public let name: String
    /// The file name that the client sent. Nil for a plain field. Code that uses the file name as a path must check it
    /// first, as the upload of packages does.
    public let fileName: String?
    /// The content of the part. It is a slice of the body, without a copy, so its indices do not begin at 0.
    public let data: Data

    /// Creates a part.
    public init(name: String, fileName: String?, data: Data) {
      self.name = name
      self.fileName = fileName
      self.data = data
    }
  }

  /// The parts in their order.
  public let parts: [Part]

  /// The maximum number of parts of a body.
  public static let mostParts = 600

  /// Splits a body into its parts.
  public init(_ body: Data, contentType: String) throws {
    func damaged(_ reason: String) -> HTTPError {
      HTTPError(400, "bad_form", "The form's body cannot be read: \(reason).")
    }
    guard let boundary = Self.parameter("boundary", of: contentType), !boundary.isEmpty,
      boundary.utf8.count <= 70
    else { throw damaged("its type names no boundary") }
    let mark = Data("--\(boundary)".utf8)
    let lineEnd = Data("\r\n".utf8)
    let blank = Data("\r\n\r\n".utf8)
    guard var position = body.range(of: mark)?.upperBound else { throw damaged("no part begins") }
    var found: [Part] = []
    while true {
      if body[position...].starts(with: Data("--".utf8)) { break }
      guard body[position...].starts(with: lineEnd),
        let headEnd = body.range(of: blank, in: position..<body.endIndex),
        headEnd.lowerBound - position < 16384,
        let end = body.range(of: lineEnd + mark, in: headEnd.upperBound - 2..<body.endIndex)
      else { throw damaged("part \(found.count + 1) does not end") }
      guard found.count < Self.mostParts else {
        throw damaged("it has more than \(Self.mostParts) parts")
      }
      let head = String(decoding: body[position..<headEnd.lowerBound], as: UTF8.self)
      let disposition = head.split(whereSeparator: \.isNewline).first {
        $0.lowercased().hasPrefix("content-disposition:")
      }
      guard let disposition, let name = Self.parameter("name", of: String(disposition)) else {
        throw damaged("part \(found.count + 1) has no name")
      }
      let start = min(headEnd.upperBound, end.lowerBound)
      found.append(
        Part(
          name: name, fileName: Self.parameter("filename", of: String(disposition)),
          data: body[start..<max(start, end.lowerBound)]))
      position = end.upperBound
    }
    parts = found
  }

  /// Returns the value of a header's parameter, `; name="value"`.
  static func parameter(_ name: String, of header: String) -> String? {
    var rest = Substring(header)
    while let mark = rest.firstIndex(of: ";") {
      rest = rest[rest.index(after: mark)...].drop { $0 == " " || $0 == "\t" }
      guard let equals = rest.firstIndex(of: "=") else { return nil }
      let key = rest[..<equals].trimmingCharacters(in: .whitespaces).lowercased()
      rest = rest[rest.index(after: equals)...]
      var value = ""
      if rest.first == "\"" {
        rest = rest.dropFirst()
        while let letter = rest.first, letter != "\"" {
          rest = rest.dropFirst()
          if letter == "\\", let next = rest.first {
            value.append(next)
            rest = rest.dropFirst()
          } else {
            value.append(letter)
          }
        }
        rest = rest.dropFirst()
      } else {
        let end = rest.firstIndex(of: ";") ?? rest.endIndex
        value = rest[..<end].trimmingCharacters(in: .whitespaces)
        rest = rest[end...]
      }
      if key == name { return value }
    }
    return nil
  }
}
