import CoreML
import Foundation
import Imaging
import Service

/// What a client wants painted, and how.
struct StylizeOrder: Codable, Sendable {
  /// Whose colours a painting has.
  enum Colors: String, Codable, CaseIterable, Sendable {
    case style, photo
  }

  /// Which of a style's networks paints.
  enum Network: String, Codable, CaseIterable, Sendable {
    case large, small
  }

  /// The style's or model's identifier.
  var style: String
  /// The longer side of the painting in pixels; nil for the photo's own.
  var size: Int?
  var network: Network = .large
  /// How much of the painting there is over the photo, 0 to 1.
  var strength: Double = 1
  var colors: Colors = .style
  /// Where it is computed: `all` or `cpuOnly`.
  var units: String = Units.all.rawValue

  /// Reads an order.
  init(_ fields: Fields) throws {
    guard let style = fields.text("style") ?? fields.text("model") else {
      throw HTTPError(
        400, "bad_field", "'style' is missing: name one of those that /v1/styles lists.")
    }
    self.style = style
    size = try fields.integer("size", in: 16...16384)
    network = try fields.choice("network", Network.self) ?? .large
    strength = try fields.number("strength", in: 0...1) ?? 1
    colors = try fields.choice("colors", Colors.self) ?? .style
    units = (try fields.choice("units", Units.self) ?? .all).rawValue
  }

  /// The settings as one line, for the painting's file.
  var line: String {
    var parts = [style]
    if network == .small { parts.append("small network") }
    if strength < 1 { parts.append("strength \(strength)") }
    if colors == .photo { parts.append("photo's colours") }
    return parts.joined(separator: ", ")
  }
}

/// How a painting is to be written.
struct PictureOrder: Sendable {
  /// The kinds of files.
  enum Format: String, CaseIterable, Sendable {
    case jpeg, png, tiff, webp

    /// The same in Imaging's terms, and in HTTP's.
    var format: PictureFormat {
      switch self {
      case .jpeg: return .jpeg
      case .png: return .png
      case .tiff: return .tiff
      case .webp: return .webp
      }
    }
    var type: String { "image/\(rawValue)" }
  }

  var format: Format = .jpeg
  var quality = 92

  /// Reads an order.
  init(_ fields: Fields) throws {
    format = try fields.choice("format", Format.self) ?? .jpeg
    quality = try fields.integer("quality", in: 1...100) ?? 92
  }
}
