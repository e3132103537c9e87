/// Reads embedded ICC profiles. Every length is checked against the profile's own size.
///
/// **Source:** ICC.1:2022, 7.2 (header), 7.3 (tag table), 8.10 (precedence of tags), 9.2.41 (profileDescriptionTag).
struct ColourProfile {
  /// A rendering intent, with its number in ICC profiles.
  enum Intent: Int32 {
    case perceptual = 0
    case relativeColorimetric = 1
  }

  private let bytes: UnsafeRawBufferPointer
  /// The places of the tags' contents in the profile, by the tags' signatures.
  private let tags: [String: Range<Int>]

  /// Reads the tag table of a profile. Damaged entries are left out. The profile is used only while the bytes are valid.
  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    var tags: [String: Range<Int>] = [:]
    if let count = Self.word(128, in: bytes), count <= 200 {
      for tag in 0..<count {
        let entry: Int = 132 + tag * 12
        guard let name = Self.signature(entry, in: bytes),
          let offset = Self.word(entry + 4, in: bytes), let size = Self.word(entry + 8, in: bytes),
          offset <= bytes.count, size <= bytes.count - offset
        else { continue }
        tags[name] = offset..<offset + size
      }
    }
    self.tags = tags
  }

  private static func word(_ offset: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
    guard offset >= 0, offset + 4 <= bytes.count else { return nil }
    return bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  private static func signature(_ offset: Int, in bytes: UnsafeRawBufferPointer) -> String? {
    guard offset >= 0, offset + 4 <= bytes.count else { return nil }
    return String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
  }

  /// Whether the profile is for colours of red, green and blue.
  private var isRGB: Bool { Self.signature(16, in: bytes) == "RGB " }

  /// Whether the profile describes itself as sRGB. If so, colours need no conversion.
  ///
  /// Reads the description of an RGB profile, as text (version 2) or UTF-16 (version 4).
  var isSRGB: Bool {
    guard isRGB, let place = tags["desc"], (12...4096).contains(place.count) else { return false }
    let letters: [UInt8] = bytes[place].dropFirst(8).filter { $0 != 0 }
    let text: String = String(decoding: letters, as: UTF8.self)
    return text.contains("sRGB") && !text.contains("linear") && !text.contains("Linear")
  }

  /// The intent with which colours are converted from the profile: relative colorimetric, or perceptual if the profile has
  /// only the perceptual table. A profile with curves and a matrix has every intent.
  var intentOfSource: Intent { intent(relative: "A2B1", perceptual: "A2B0") }

  /// The intent with which colours are converted to the profile, in the same way.
  var intentOfTarget: Intent { intent(relative: "B2A1", perceptual: "B2A0") }

  private func intent(relative: String, perceptual: String) -> Intent {
    tags[relative] == nil && tags[perceptual] != nil ? .perceptual : .relativeColorimetric
  }

  /// Whether colours of red, green and blue can be converted to the profile. Profiles of scanners and cameras may have
  /// tables for the other direction only.
  var isTargetForRGB: Bool {
    guard isRGB else { return false }
    let matrix: [String] = ["rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"]
    return tags["B2A0"] != nil || tags["B2A1"] != nil || matrix.allSatisfy { tags[$0] != nil }
  }
}
