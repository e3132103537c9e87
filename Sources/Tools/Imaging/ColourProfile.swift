/// Reads embedded ICC profiles.
enum ColourProfile {
  /// Returns whether a profile describes itself as sRGB. If so, colours need no conversion.
  ///
  /// Reads the description tag (`desc`) of an RGB profile, as text (version 2) or UTF-16 (version
  /// 4). Every length is checked against the profile's own size.
  ///
  /// **Source:** ICC.1:2022, 7.3 (tag table), 9.2.41 (profileDescriptionTag).
  static func isSRGB(_ profile: UnsafeRawBufferPointer) -> Bool {
    func word(_ offset: Int) -> Int? {
      guard offset >= 0, offset + 4 <= profile.count else { return nil }
      return (0..<4).reduce(0) { (value: Int, index: Int) -> Int in
        value << 8 | Int(profile[offset + index])
      }
    }
    let rgb: Int = 0x5247_4220
    let description: Int = 0x6465_7363
    guard word(16) == rgb, let tagCount: Int = word(128), tagCount <= 200 else { return false }
    for tag in 0..<tagCount {
      let entry: Int = 132 + tag * 12
      guard word(entry) == description else { continue }
      guard let offset: Int = word(entry + 4), let size: Int = word(entry + 8),
        size >= 12, size <= 4096, offset <= profile.count, size <= profile.count - offset
      else { return false }
      let letters: [UInt8] = profile[(offset + 8)..<(offset + size)].filter { $0 != 0 }
      let text: String = String(decoding: letters, as: UTF8.self)
      return text.contains("sRGB") && !text.contains("linear") && !text.contains("Linear")
    }
    return false
  }
}
