import CoreML
import Foundation
import Imaging
import Service

/// The settings that a request states: in its address, in a form, or in JSON; and the files of a form.
struct Fields: Sendable {
  /// Settings by name; those of the body count before those of the address.
  private(set) var values: [String: String]
  /// The files of a form, or the body itself under the name `""`.
  private(set) var files: [MultipartBody.Part] = []

  /// Settings of our own.
  init(values: [String: String]) { self.values = values }

  /// Reads the settings of a request.
  init(_ request: HTTPRequest) throws {
    values = request.head.query
    switch request.head.contentType {
    case _ where request.body.isEmpty: break
    case "application/json":
      guard let object = try? JSONSerialization.jsonObject(with: request.body) as? [String: Any]
      else { throw HTTPError(400, "bad_json", "The body is no JSON object.") }
      for (name, value) in object {
        switch value {
        case let text as String: values[name] = text
        case let number as NSNumber: values[name] = number.stringValue
        default: throw HTTPError(400, "bad_field", "'\(name)' is neither a text nor a number.")
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
        "Forms are taken as multipart/form-data (curl -F), pictures as they are"
          + " (curl --data-binary @photo.jpg -H 'Content-Type: image/jpeg').")
    default: files = [MultipartBody.Part(name: "", fileName: nil, data: request.body)]
    }
  }

  /// The file of a name, or the body itself.
  func file(_ name: String) -> Data? {
    (files.first { $0.name == name } ?? files.first { $0.name.isEmpty })?.data
  }

  /// A text.
  func text(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// A whole number in a range.
  func integer(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let text = text(name) else { return nil }
    guard let number = Int(text) ?? Double(text).flatMap({ Int(exactly: $0) }),
      range.contains(number)
    else {
      throw HTTPError(
        400, "bad_field",
        "'\(name)' is '\(text.prefix(40))', expected a whole number from \(range.lowerBound) to"
          + " \(range.upperBound).")
    }
    return number
  }

  /// A number in a range.
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

  /// One of some words.
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

  /// Where the model is to compute; `all` unless told otherwise.
  func units() throws -> MLComputeUnits {
    try choice("units", Units.self)?.units ?? .all
  }
}

/// The compute units by the names that requests use.
enum Units: String, Codable, CaseIterable, Sendable {
  case all, cpuOnly

  /// The same in Core ML's terms.
  var units: MLComputeUnits { self == .all ? .all : .cpuOnly }
}
