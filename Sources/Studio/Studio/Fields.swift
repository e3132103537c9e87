import CoreML
import Foundation
import Imaging
import Service

/// The settings of a request, and the files of its form. Settings are in the query, and in the body as a form or as
/// JSON.
struct Fields: Sendable {
  /// The settings by name. The settings of the body override the settings of the query.
  private(set) var values: [String: String]
  /// The files of a form. If the body is neither a form nor JSON, this contains the body itself, under the name `""`.
  private(set) var files: [MultipartBody.Part] = []

  /// Creates settings from values that the studio chose, without a request.
  init(values: [String: String]) { self.values = values }

  /// Reads the settings of a request.
  init(_ request: HTTPRequest) throws {
    values = request.head.query
    switch request.head.contentType {
    case _ where request.body.isEmpty: break
    case "application/json":
      guard let object = try? JSONSerialization.jsonObject(with: request.body) as? [String: Any]
      else { throw HTTPError(400, "bad_json", "The body is not a JSON object.") }
      for (name, value) in object {
        switch value {
        case let text as String: values[name] = text
        case let number as NSNumber: values[name] = number.stringValue
        default: throw HTTPError(400, "bad_field", "'\(name)' is not a string or a number.")
        }
      }
    case "multipart/form-data":
      let form = try MultipartBody(
        request.body, contentType: request.head.header("content-type") ?? "")
      for part in form.parts {
        if part.fileName == nil, let text = String(validating: part.data, as: UTF8.self) {
          values[part.name] = text
        } else {
          files.append(part)
        }
      }
    case "application/x-www-form-urlencoded":
      throw HTTPError(
        415, "wrong_type",
        "Send a form as multipart/form-data (curl -F), or a picture as the body (curl --data-binary"
          + " @photo.jpg -H 'Content-Type: image/jpeg').")
    default: files = [MultipartBody.Part(name: "", fileName: nil, data: request.body)]
    }
  }

  /// Returns the file with the given name. If there is none, returns the body if it is a file, and nil otherwise.
  func file(_ name: String) -> Data? {
    (files.first { $0.name == name } ?? files.first { $0.name.isEmpty })?.data
  }

  /// Returns a setting as a text, or nil if it is missing or empty.
  func text(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// Returns a setting as an integer, or nil if the setting is missing. Throws if it is not an integer in the range.
  func integer(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let text = text(name) else { return nil }
    guard let number = Int(text) ?? Double(text).flatMap({ Int(exactly: $0) }),
      range.contains(number)
    else {
      throw HTTPError(
        400, "bad_field",
        "'\(name)' is '\(text.prefix(40))', expected an integer from \(range.lowerBound) to"
          + " \(range.upperBound).")
    }
    return number
  }

  /// Returns a setting as a number, or nil if the setting is missing. Throws if it is not a number in the range.
  func number(_ name: String, in range: ClosedRange<Double>) throws -> Double? {
    guard let text = text(name) else { return nil }
    guard let number = Double(text), range.contains(number) else {
      throw HTTPError(
        400, "bad_field",
        "'\(name)' is '\(text.prefix(40))', expected a number from \(range.lowerBound) to"
          + " \(range.upperBound).")
    }
    return number
  }

  /// Returns a setting as a case of an enumeration, or nil if the setting is missing. Throws if the enumeration has no
  /// such case.
  func choice<Word: RawRepresentable & CaseIterable>(
    _ name: String, _: Word.Type
  ) throws -> Word? where Word.RawValue == String {
    guard let text = text(name) else { return nil }
    guard let word = Word(rawValue: text) else {
      throw HTTPError(
        400, "bad_field",
        "'\(name)' is '\(text.prefix(40))', expected one of"
          + " \(Word.allCases.map(\.rawValue).joined(separator: ", ")).")
    }
    return word
  }

  /// Returns the compute units of the setting `units`, `all` by default.
  func units() throws -> MLComputeUnits {
    try choice("units", Units.self)?.units ?? .all
  }
}

/// The compute units by the names that requests use.
enum Units: String, Codable, CaseIterable, Sendable {
  case all, cpuOnly

  /// The compute units as Core ML names them.
  var units: MLComputeUnits { self == .all ? .all : .cpuOnly }
}
