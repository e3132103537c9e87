import CoreML
import Foundation
import Imaging
import Service

/// The settings with which a client orders a painting.
struct StylizeOrder: Codable, Sendable {
  /// Where the colours of the painting come from.
  enum Colors: String, Codable, CaseIterable, Sendable {
    /// The network's colours. If the style is from the gallery, they are brought closer to the colours of the original
    /// painting.
    case style
    /// The photo's colours.
    case photo
    /// The colours that the network makes, unchanged.
    case network
  }

  /// Which of the style's networks paints: the large or the small one.
  enum Network: String, Codable, CaseIterable, Sendable {
    case large, small
  }

  /// The identifier of the style or model.
  var style: String
  /// The maximum length of the painting's longer side, in pixels. The painting is never larger than the photo. Nil for
  /// the photo's size.
  var size: Int?
  var network: Network = .large
  /// The weight of the painting when it is mixed with the photo, 0 (only the photo) to 1.
  var strength: Double = 1
  var colors: Colors = .style
  /// The compute units: `all` or `cpuOnly`.
  var units: String = Units.all.rawValue

  /// Reads an order from a request's settings.
  init(_ fields: Fields) throws {
    guard let style = fields.text("style") ?? fields.text("model") else {
      throw HTTPError(
        400, "bad_field", "'style' is missing. Name one of the styles that /v1/styles lists.")
    }
    self.style = style
    size = try fields.integer("size", in: 16...16384)
    network = try fields.choice("network", Network.self) ?? .large
    strength = try fields.number("strength", in: 0...1) ?? 1
    colors = try fields.choice("colors", Colors.self) ?? .style
    units = (try fields.choice("units", Units.self) ?? .all).rawValue
  }

  /// The settings as one line, for the metadata of the painting.
  var line: String {
    var parts = [style]
    if network == .small { parts.append("small network") }
    if strength < 1 { parts.append("strength \(strength)") }
    switch colors {
    case .style: break
    case .photo: parts.append("photo's colours")
    case .network: parts.append("network's colours")
    }
    return parts.joined(separator: ", ")
  }
}

/// The file format of a painting.
struct PictureOrder: Sendable {
  /// The file formats.
  enum Format: String, CaseIterable, Sendable {
    case jpeg, png, tiff, webp

    /// This format as a `PictureFormat` of the module Imaging.
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

  /// Reads the format and quality from a request's settings.
  init(_ fields: Fields) throws {
    format = try fields.choice("format", Format.self) ?? .jpeg
    quality = try fields.integer("quality", in: 1...100) ?? 92
  }
}
